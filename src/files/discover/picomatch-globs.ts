/** Matches globs: the one file that needs the package for them. Loaded by globs.ts. */
import { join, resolve } from 'node:path'
import picomatch from 'picomatch'
import { describeSystemError } from '../input-problem.ts'
import { type PathTest, shownPath, withSlashes } from '../paths.ts'
import { DISK, type FolderEntry } from './file-tree.ts'

/** A glob of the command line: the folder to walk, and which of the paths in it match. */
export type Glob = { readonly folder: string; readonly matches: PathTest }

/** A test for globs that are relative to a folder. A glob that matches a folder means everything in it. */
export function matchPaths(globs: readonly string[], folder: string): PathTest {
  if (globs.length === 0) return () => false
  const relative = globs.map((glob) => withSlashes(glob).replace(/^\.\//, '').replace(/\/+$/, ''))
  if (relative.some((glob) => glob === '' || glob === '.')) return () => true
  const matches = picomatch(
    relative.flatMap((glob) => [glob, `${glob}/**`]),
    { dot: true },
  )
  return (path) => matches(shownPath(path, folder))
}

/** True where a glob that is relative to a folder matches anything on the disk. */
export function matchesAnything(glob: string, folder: string): boolean {
  const { base, isGlob, negated } = picomatch.scan(withSlashes(glob))
  if (!isGlob || negated) return DISK.exists(resolve(folder, glob))
  const matches = matchPaths([glob], folder)
  return isAnyBelow(resolve(folder, base), matches)
}

function isAnyBelow(folder: string, matches: PathTest): boolean {
  const entries = listOf(folder)
  if (entries.some(({ name }) => matches(join(folder, name)))) return true
  return entries.some(
    (entry) =>
      entry.isDirectory() &&
      !entry.name.startsWith('.') &&
      entry.name !== 'node_modules' &&
      isAnyBelow(join(folder, entry.name), matches),
  )
}

function listOf(folder: string): readonly FolderEntry[] {
  try {
    return DISK.list(folder)
  } catch (error) {
    describeSystemError(error)
    return []
  }
}

/** Reads an argument that is not the path of a file as a glob; undefined where it is not a glob either. */
export function readGlob(argument: string, cwd: string): Glob | undefined {
  const { base, glob, isGlob, negated } = picomatch.scan(withSlashes(argument))
  if (!isGlob || negated) return undefined
  const folder = resolve(cwd, base)
  return { folder, matches: matchPaths([glob], folder) }
}
