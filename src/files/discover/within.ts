/** Paths that say what is judged among the files of a folder, all of which are looked up in: `lint --within`. */
import { basename, dirname, join, resolve, sep } from 'node:path'
import type { InputProblem } from '../problem.ts'
import type { Globs, PathTest } from './patterns.ts'
import type { Tree } from './tree.ts'

/** What paths name. */
export type Named = {
  /** True for a file that is named, or that a named folder or glob holds. Takes absolute paths. */
  readonly has: PathTest
  /** True where something that is named lies at a path or below it. */
  readonly isBelow: PathTest
  /** Named paths that lie in none of the folders, as they were written. */
  readonly outside: readonly string[]
}

type Surroundings = {
  readonly cwd: string
  readonly tree: Tree
  readonly globs: Globs
  /** The folders whose files are looked up in. */
  readonly folders: readonly string[]
}

/** Reads paths, of which some may have been deleted: those name nothing. */
export function readNames(paths: readonly string[], { cwd, tree, globs, folders }: Surroundings): Named {
  const files = new Set<string>()
  const tests: PathTest[] = []
  const outside: string[] = []
  const roots = folders.map((folder) => tree.real(resolve(cwd, folder)))
  for (const argument of paths) {
    const path = resolve(cwd, argument)
    if (!tree.exists(path)) {
      const glob = globs.readGlob(argument, cwd)
      if (glob) tests.push(glob.matches)
      continue
    }
    const real = tree.real(path)
    // A folder above all of them names them as well.
    if (!roots.some((root) => isWithin(real, root) || isWithin(root, real))) outside.push(argument)
    if (tree.stat(real).isDirectory()) tests.push((candidate) => isWithin(candidate, real))
    // A link and what it leads to are one file, whichever of the two is found.
    files.add(real).add(join(tree.real(dirname(path)), basename(path)))
  }
  return {
    has: (path) => files.has(path) || tests.some((matches) => matches(path)),
    isBelow: (path) => [...files].some((file) => isWithin(file, path)),
    outside,
  }
}

const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)

/** What could not be looked into, as shown. */
type Unread = {
  readonly problems: readonly InputProblem[]
  readonly charts: readonly string[]
  readonly brokenKustomizations: readonly string[]
}

/** Leaves out what concerns no file that is named; `isPartial` where that leaves out something. */
export function onlyNamed(unread: Unread, { has, isBelow }: Named, cwd: string): Unread & { isPartial: boolean } {
  const concerns = (file: string) => has(resolve(cwd, file)) || isBelow(resolve(cwd, file))
  const problems = unread.problems.filter(({ file }) => concerns(file))
  const charts = unread.charts.filter(concerns)
  return {
    problems,
    charts,
    brokenKustomizations: unread.brokenKustomizations.filter((file) => concerns(dirname(file))),
    isPartial: problems.length + charts.length < unread.problems.length + unread.charts.length,
  }
}
