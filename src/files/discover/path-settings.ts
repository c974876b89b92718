/** What the settings say of a file by its path: its world, and severities of its own. */

import type { TextSource } from '../../project/source.ts'
import type { Override, Severities, WorldPaths } from '../../settings/project.ts'
import type { Globs } from './patterns.ts'

/** Answers by absolute path. */
export type Surroundings = (path: string) => Pick<TextSource, 'world' | 'rules'>

export type SurroundingsOptions = {
  /** The folder that globs are relative to. */
  readonly folder: string
  readonly worlds: readonly WorldPaths[]
  readonly overrides: readonly Override[]
  /** Severities of the command line: they win over every override. */
  readonly rules: Severities
}

/** Prepares the answers. Files to which the same overrides apply share one object of severities. */
export function createSurroundings(
  { folder, worlds, overrides, rules }: SurroundingsOptions,
  { matchPaths }: Pick<Globs, 'matchPaths'>,
): Surroundings {
  const worldTests = worlds.map(({ name, paths }) => ({ name, matches: matchPaths(paths, folder) }))
  const overrideTests = overrides.map((override) => ({ ...override, matches: matchPaths(override.files, folder) }))
  const shared = new Map<string, Severities>()
  const severitiesOf = (path: string): Severities | undefined => {
    const applying = overrideTests.filter(({ matches }) => matches(path))
    if (applying.length === 0) return undefined
    const key = applying.map((override) => overrideTests.indexOf(override)).join()
    const known = shared.get(key) ?? Object.assign({}, ...applying.map((override) => override.rules), rules)
    shared.set(key, known)
    return known
  }
  return (path) => {
    const world = worldTests.find(({ matches }) => matches(path))?.name
    const own = severitiesOf(path)
    return { ...(world === undefined ? {} : { world }), ...(own ? { rules: own } : {}) }
  }
}
