/** Where the paths of a repository part into folders of several clusters. */
import { groupBy } from '../text/group.ts'

/** Folders and files that stand for several clusters. */
export type Branches = {
  /** True where two of some files are in folders of which one object has definitions that may be of several clusters. */
  separate(files: readonly string[]): boolean
}

/**
 * Learns from files that define one object what distinguishes clusters: the names of the folders in which their paths
 * first differ, wherever these are (`prod` and `staging`), or of the files where all folders are the same. Each of
 * `groups` has the files that define one object.
 */
export function branchesOf(groups: readonly (readonly string[])[]): Branches {
  const known = new Set<string>()
  const siblingsOf = new Map<string, number[]>()
  for (const names of groups.flatMap((files) => [...siblingsAmong(files)])) {
    const key = JSON.stringify(names)
    if (known.has(key)) continue
    for (const name of names) {
      const siblings = siblingsOf.get(name) ?? []
      siblings.push(known.size)
      siblingsOf.set(name, siblings)
    }
    known.add(key)
  }
  return {
    separate(files) {
      for (const names of siblingsAmong(files)) {
        const seen = new Set<number>()
        for (const siblings of names.flatMap((name) => siblingsOf.get(name) ?? []))
          if (seen.has(siblings)) return true
          else seen.add(siblings)
      }
      return false
    },
  }
}

/** The names that tell files apart, for each folder in which their paths part. Every list is sorted and has each name once. */
const siblingsAmong = (files: readonly string[]): Iterable<readonly string[]> =>
  siblingsBelow(
    [...new Set(files)].map((file) => file.split('/')),
    0,
  )

function* siblingsBelow(paths: readonly (readonly string[])[], depth: number): Iterable<readonly string[]> {
  const folders = groupBy(
    paths.filter((path) => path.length > depth + 1),
    (path) => path[depth] ?? '',
  )
  const files = paths.filter((path) => path.length === depth + 1).map((path) => path[depth] ?? '')
  // A file beside folders stands for the folder in which it is.
  const here = files.length > 0 ? [`${(paths[0] ?? []).slice(0, depth).join('/')}/.`] : []
  const names = [...folders.keys(), ...here]
  if (names.length > 1) yield names.sort()
  if (files.length > 1) yield files.sort()
  for (const group of folders.values()) if (group.length > 1) yield* siblingsBelow(group, depth + 1)
}
