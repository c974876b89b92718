/** Which files the paths of a command line mean, be they there or not. */
import { resolve, sep } from 'node:path'
import { loadGlobs } from './load-globs.ts'
import type { PathTest } from './patterns.ts'
import { DISK } from './tree.ts'

const NO_SETTINGS = { worlds: [], overrides: [], ignores: [] }

/** A test for absolute paths: named by themselves, below a folder that is named, or matched by a glob. */
export async function createReach(paths: readonly string[], cwd: string): Promise<PathTest> {
  const globs = await loadGlobs(paths, NO_SETTINGS)
  const tests = (paths.length === 0 ? ['.'] : paths).map((argument): PathTest => {
    const named = resolve(cwd, argument)
    const glob = DISK.exists(named) ? undefined : globs.readGlob(argument, cwd)
    if (glob) return glob.matches
    const below = named.endsWith(sep) ? named : named + sep
    return (path) => path === named || path.startsWith(below)
  })
  return (path) => tests.some((test) => test(path))
}
