/** Reading globs is loaded only where there are some: it would be a part of every start. */
import { type Globs, NO_GLOBS } from './patterns.ts'

/** True for arguments that may be globs. */
export const mayBeGlob = (argument: string): boolean => /[*?[{(!]/.test(argument)

/** The reader of globs, where these paths or settings may have any. */
export async function loadGlobs(
  paths: readonly string[],
  settings: Readonly<Record<'worlds' | 'overrides' | 'ignores', readonly unknown[]>>,
): Promise<Globs> {
  const { worlds, overrides, ignores } = settings
  const hasGlobs = worlds.length + overrides.length + ignores.length > 0 || paths.some(mayBeGlob)
  return hasGlobs ? await import('./globs.ts') : NO_GLOBS
}
