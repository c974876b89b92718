/** Globs, of the settings and of the command line: the one file that needs the package for them. */
import { resolve } from 'node:path'
import picomatch from 'picomatch'
import { shownPath, withSlashes } from '../paths.ts'
import { type Glob, NOTHING, type PathTest } from './patterns.ts'

/** A test for globs that are relative to a folder. A glob that matches a folder means everything in it. */
export function matchPaths(globs: readonly string[], folder: string): PathTest {
  if (globs.length === 0) return NOTHING
  const relative = globs.map((glob) => withSlashes(glob).replace(/^\.\//, '').replace(/\/+$/, ''))
  if (relative.some((glob) => glob === '' || glob === '.')) return () => true
  const matches = picomatch(
    relative.flatMap((glob) => [glob, `${glob}/**`]),
    { dot: true },
  )
  return (path) => matches(shownPath(path, folder))
}

/** Reads an argument that names no path as a glob; undefined where it is none either. */
export function readGlob(argument: string, cwd: string): Glob | undefined {
  const { base, glob, isGlob, negated } = picomatch.scan(withSlashes(argument))
  if (!isGlob || negated) return undefined
  const folder = resolve(cwd, base)
  return { folder, matches: matchPaths([glob], folder) }
}
