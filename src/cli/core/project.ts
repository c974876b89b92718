/** The settings of a run: the settings file, with the command line over it. */
import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { RULES } from '../../../rules/index.ts'
import { readSmallText } from '../../disk/read-regular-file.ts'
import { findFabricVersion, unknownFabricVersion } from '../../fabric/releases.ts'
import { describeSystemError } from '../../files/input-problem.ts'
import { foldersAbove, shownPath } from '../../files/paths.ts'
import { errorsOfPolicies } from '../../registry.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import type { SettingsOver } from '../../settings/file.ts'
import { findRuleId } from '../../settings/rule-ids.ts'
import type { RuleSetting } from '../../settings/settings.ts'
import { DEFAULT_PROJECT, type ProjectSettings, type Settings, type Severities } from '../../settings/settings.ts'
import { nearest } from '../../text/nearest.ts'
import type { Args } from './flags.ts'
import { InputError, type Io } from './io.ts'

/** The settings of a working directory. */
export type Project = ProjectSettings & {
  /** The folder that globs of the settings are relative to. */
  readonly folder: string
}

/** The name of a settings file. */
export const SETTINGS_FILE = 'sluice.config.yaml'

/** Names that look like that of a settings file, and that are not read. */
const SIMILAR_FILE = /^(?:\.?sluice(?:[.-]?(?:config|rc))?(?:\.(?:ya?ml|json|toml))?|\.sluicerc)$/i

/** Also a misspelt name: `sluice.confg.yaml`. */
const isSimilar = (name: string): boolean =>
  SIMILAR_FILE.test(name) || (/sl.*\.ya?m?l?$/i.test(name) && nearest(name, [SETTINGS_FILE]) !== undefined)

/** A file that somebody may take for the settings, where there is none; nearest folder first. */
function findSimilar(folder: string): string | undefined {
  for (const candidate of [folder, ...foldersAbove(folder)]) {
    const names = namesIn(candidate)
    const similar = names.find((name) => name !== SETTINGS_FILE && isSimilar(name) && isFile(join(candidate, name)))
    if (similar !== undefined) return join(candidate, similar)
    if (names.includes('.git')) return undefined
  }
  return undefined
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    describeSystemError(error)
    return []
  }
}

const isFile = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false

/** The nearest settings file at or above a folder, no higher than its Git repository; undefined where there is none. */
export function findSettings(folder: string): string | undefined {
  for (const candidate of [folder, ...foldersAbove(folder)]) {
    const file = join(candidate, SETTINGS_FILE)
    if (existsSync(file)) return file
    if (existsSync(join(candidate, '.git'))) return undefined
  }
  return undefined
}

/** Which settings are read, and how. */
export type LoadOptions = {
  /** `--config`; undefined to search for the file. */
  readonly named: string | undefined
  /** `--fabric-version` */
  readonly over?: SettingsOver
  readonly ruleIds: readonly string[]
  /** True where files are read: then each glob of a world must match some. */
  readonly readsFiles: boolean
}

/**
 * Finds and reads the settings, and prints a note where a file merely looks like them. Throws {@link InputError} with
 * everything that is wrong.
 */
export async function loadProject(
  { cwd, stderr }: Pick<Io, 'cwd' | 'stderr'>,
  { named, over = {}, ruleIds, readsFiles }: LoadOptions,
): Promise<Project> {
  const file = named === undefined ? findSettings(cwd) : resolve(cwd, named)
  if (file === undefined) {
    const similar = findSimilar(cwd)
    if (similar !== undefined)
      stderr.write(`note: ${escapeUnsafe(shownPath(similar, cwd))} is not read: the settings are in ${SETTINGS_FILE}\n`)
    if (over.fabricVersion === undefined) return { ...DEFAULT_PROJECT, folder: cwd }
    const { checkSettings } = await import('../../settings/file.ts')
    const defaults = checkSettings({}, ruleIds, undefined, over)
    return { ...(defaults.ok ? defaults.project : DEFAULT_PROJECT), folder: cwd }
  }
  const shown = shownPath(file, cwd)
  const text = readText(file, shown)
  const { readSettings } = await import('../../settings/file.ts')
  const folder = dirname(file)
  const globs =
    readsFiles && /\bworlds\b/.test(text) ? await import('../../files/discover/picomatch-globs.ts') : undefined
  const matches = globs && ((glob: string) => globs.matchesAnything(glob, folder))
  const outcome = readSettings(text, ruleIds, matches, { ...over, errorsOfPolicies })
  if (outcome.ok) return { ...outcome.project, folder }
  const lines = outcome.problems.map(
    ({ line, column, path, message }) => `${shown}:${line}:${column}: ${path === '' ? '' : `${path}: `}${message}`,
  )
  throw new InputError(lines.join('\nsluice: '))
}

function readText(file: string, shown: string): string {
  try {
    return readSmallText(file)
  } catch (error) {
    throw new InputError(`${shown}: ${describeSystemError(error)}`)
  }
}

/** What the flags say about the settings. Throws {@link InputError} for an unknown release. */
export function readProjectFlags({
  value,
}: Pick<Args<'config' | 'fabric-version'>, 'value'>): Pick<LoadOptions, 'named' | 'over'> {
  const written = value('fabric-version')
  const fabricVersion = findFabricVersion(written)
  if (written !== undefined && fabricVersion === undefined)
    throw new InputError(`--fabric-version: ${unknownFabricVersion(written)}`)
  return { named: value('config'), over: fabricVersion === undefined ? {} : { fabricVersion } }
}

/** The severities that a rule can be set to. */
export const SEVERITIES: readonly string[] = ['off', 'info', 'warning', 'error'] satisfies RuleSetting[]

const isSetting = (text: string): text is RuleSetting => SEVERITIES.includes(text)

/** Reads the values of `--rule ID=SEVERITY`; the part of an id after the slash is enough. Throws {@link InputError}. */
export function readRuleFlags(values: readonly string[], ruleIds: readonly string[]): Severities {
  const rules: Record<string, RuleSetting> = {}
  for (const value of values) {
    const [written = '', word = ''] = value.split('=')
    const severity = word === 'warn' ? 'warning' : word
    if (!isSetting(severity)) throw new InputError(`--rule ${value}: write ID=off, ID=info, ID=warning or ID=error`)
    const rule = findRuleId(written, ruleIds)
    if ('problem' in rule) throw new InputError(`--rule ${value}: ${rule.problem}`)
    rules[rule.id] = severity
  }
  return rules
}

/** The settings of a run that reads no manifests. Throws {@link InputError} as {@link loadProject} does. */
export async function loadSettings(io: Io, args: Pick<Args<'config'>, 'value'>): Promise<Settings> {
  const ruleIds = RULES.map(({ id }) => id)
  const { settings } = await loadProject(io, { named: args.value('config'), ruleIds, readsFiles: false })
  return settings
}
