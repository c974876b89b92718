/** What the settings say about files: their worlds, and severities of their own. */
import type { TextSource } from '../../project/source.ts'
import type { Override, Severities, WorldPaths } from '../../settings/settings.ts'
import type { Globs } from './globs.ts'

/** What the settings say about a file, by its absolute path: its worlds, and severities of its own. */
export type PathSettings = (path: string) => Pick<TextSource, 'rules'> & { readonly world?: readonly string[] }

/** The settings about paths. */
export type PathSettingsOptions = {
  /** The folder that globs are relative to. */
  readonly folder: string
  readonly worlds: readonly WorldPaths[]
  readonly overrides: readonly Override[]
  /** Severities of the command line: they take precedence over every override. */
  readonly rules: Severities
}

/** Prepares {@link PathSettings}. Files to which the same overrides apply share one object of severities. */
export function createPathSettings(
  { folder, worlds, overrides, rules }: PathSettingsOptions,
  { matchPaths }: Pick<Globs, 'matchPaths'>,
): PathSettings {
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
    const names = worldTests.filter(({ matches }) => matches(path)).map(({ name }) => name)
    const own = severitiesOf(path)
    return { ...(names.length > 0 ? { world: names } : {}), ...(own ? { rules: own } : {}) }
  }
}
