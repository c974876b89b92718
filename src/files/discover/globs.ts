/** Globs of the settings and of the command line. The package that matches them is loaded only for runs that have any. */

import type { PathTest } from '../paths.ts'

/** What reads globs. */
export type Globs = Pick<typeof import('./picomatch-globs.ts'), 'matchPaths' | 'readGlob'>

/** For runs without any glob. */
const NO_GLOBS: Globs = { matchPaths: () => NO_PATH, readGlob: () => undefined }
const NO_PATH: PathTest = () => false

/** Settings and flags that have globs. */
type GlobSettings = Readonly<Record<'worlds' | 'overrides' | 'ignores', readonly unknown[]>> & {
  readonly exclude?: readonly unknown[] | undefined
}

const GLOB_CHARACTERS = /[*?[{(!]/

/** Loads what reads the globs among these paths and settings. */
export async function loadGlobs(
  paths: readonly string[],
  { worlds, overrides, ignores, exclude = [] }: GlobSettings,
): Promise<Globs> {
  const hasGlobs =
    worlds.length + overrides.length + ignores.length + exclude.length > 0 ||
    paths.some((path) => GLOB_CHARACTERS.test(path))
  return hasGlobs ? await import('./picomatch-globs.ts') : NO_GLOBS
}
