/** Which objects of a world are defined more than once, and where. */

import { groupBy } from '../text/group.ts'
import { cachedBy, lazily } from '../world/cache.ts'
import { tableOf } from '../world/identities.ts'
import type { Definitions, Identified, KindObjects } from '../world/objects.ts'
import { type CollectedObjects, canBeLookedUp, type FoundObject, identityOf } from './objects.ts'
import { fileOf, type Source } from './source.ts'

/**
 * The definitions among some objects. `isOne` is true where all of them certainly come to one cluster; otherwise only
 * those of one text, and those that one kustomization deploys: two files may be those of two clusters.
 */
export function definitionsIn(
  byKind: CollectedObjects['byKind'],
  named: (kind: string) => KindObjects,
  isOne: boolean,
): Definitions {
  const found = lazily(() => [...byKind.values()].flat().filter(canBeLookedUp))
  const byView = lazily(() => new Map(found().map((object) => [object.view, object])))
  const byIdentity = lazily(() => tableOf(found(), identityOf))
  /** What is defined again among the definitions of one identity, with its first definition. */
  const repeatedIn = cachedBy((namesakes: readonly FoundObject[]) => repetitions(namesakes, isOne))
  const namesakesOf = ({ identity: { kind, namespace, name } }: Identified) =>
    (namespace === undefined || name === undefined ? undefined : byIdentity().at(kind, namespace, name)) ?? NONE
  const repeated = (kind: string, namespace: string | undefined, name: string) =>
    repeatedIn(namesakesOf({ identity: { kind, namespace, name } }))
  const isAmbiguous: Definitions['isAmbiguous'] = (kind, namespace, name) =>
    named(kind).index().isAmbiguous(kind, namespace, name)
  return {
    isAmbiguous,
    earlier(view) {
      const { kind, namespace, name } = view.identity
      const object = name !== undefined && isAmbiguous(kind, namespace, name) ? byView().get(view) : undefined
      const earlier = object && repeated(kind, namespace, name ?? '').get(object)?.origin.source
      if (!earlier) return undefined
      const [source, file] = [object.origin.source, fileOf(earlier)]
      const isSameBuild = buildOf(source) !== undefined && buildOf(source) === buildOf(earlier)
      return { file, isSameFile: file === fileOf(source), isSameBuild }
    },
    isRepeated: (kind, namespace, name) =>
      isAmbiguous(kind, namespace, name) && repeated(kind, namespace, name).size > 0,
    mayBeApart: lazily(() => {
      if (isOne || [...byKind.keys()].every((kind) => areUnique(named(kind)))) return undefined
      const groups = new Set(found().map(({ view }) => namesakesOf(view)))
      const apart = [...groups].filter((group) => repeatedIn(group).size < group.length - 1)
      if (apart.length === 0) return undefined
      const branches = branchesOf(apart.map((group) => group.map(fileOfObject)))
      return (views) => branches.separate(views.flatMap((view) => byView().get(view) ?? []).map(fileOfObject))
    }),
  }
}

const NONE: readonly FoundObject[] = []

const areUnique = (objects: KindObjects): boolean => objects.index().unique.length === objects.all().length

const fileOfObject = ({ origin }: FoundObject): string => fileOf(origin.source)

const buildOf = (source: Source): string | undefined => ('object' in source ? source.built?.folder : undefined)

/** The objects that have an earlier definition of the same world, each with the first one. */
function repetitions(namesakes: readonly FoundObject[], isOne: boolean): ReadonlyMap<FoundObject, FoundObject> {
  /** The position of the first object of each group. */
  const first = new Map<unknown, number>()
  const repeated = new Map<FoundObject, FoundObject>()
  for (const [position, object] of namesakes.entries()) {
    const groups = isOne ? ['all'] : groupsOf(object.origin.source)
    const earliest = namesakes[Math.min(...groups.flatMap((group) => first.get(group) ?? []))]
    if (earliest) repeated.set(object, earliest)
    for (const group of groups) if (!first.has(group)) first.set(group, position)
  }
  return repeated
}

/** What makes objects belong together: their text, and the kustomizations that deploy them. */
const groupsOf = (source: Source): readonly unknown[] => [source, ...(source.together ?? [])]

/** Folders and files that stand for several clusters. */
type Branches = {
  /** True where two of some files are in folders of which one object has definitions that may be of several clusters. */
  separate(files: readonly string[]): boolean
}

/**
 * Learns from files that define one object what distinguishes clusters: the names of the folders in which their paths
 * first differ, wherever these are (`prod` and `staging`), or of the files where all folders are the same. Each of
 * `groups` has the files that define one object.
 */
function branchesOf(groups: readonly (readonly string[])[]): Branches {
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
