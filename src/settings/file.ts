/** `sluice.config.yaml`: its text to settings, or to everything that is wrong with it. */

import { nginxOf } from '../fabric/releases.ts'
import { isObject } from '../json/member.ts'
import { fieldPath, valueAt } from '../json/pointer.ts'
import { parseSize } from '../limits/size.ts'
import { readDocuments, type TextDocument } from '../yaml/documents.ts'
import { inlineText } from '../yaml/inline.ts'
import { createLineIndex, createLocator, type LineColumn, type TextRange } from '../yaml/locate.ts'
import {
  type SettingsError,
  sameNames,
  schemaErrors,
  slowGlobs,
  unknownReasons,
  unknownRules,
  unmatchedGlobs,
} from './errors.ts'
import type { SettingsFile, WrittenSeverities } from './schema.ts'
import type { ProjectSettings, Severities } from './settings.ts'
import {
  DEFAULT_ADMISSION,
  DEFAULT_KINDS,
  DEFAULT_SETTINGS,
  LOCAL_PREFIX,
  type LocalPolicy,
  type Settings,
} from './settings.ts'
import { failingCodes } from './unjudged.ts'
import { validate } from './validate.mjs'

/** One thing wrong with a settings file, with its place. */
type SettingsProblem = LineColumn & {
  /** `platform.nginxVersion`, or empty for the text as a whole. */
  readonly path: string
  readonly message: string
}

/** What a command line says in place of the file, and on which other defaults depend. */
export type SettingsOver = Pick<SettingsFile, 'fabricVersion'>

/** The settings, or all problems in the file. */
export type SettingsOutcome =
  | { readonly ok: true; readonly project: ProjectSettings }
  | { readonly ok: false; readonly problems: readonly SettingsProblem[] }

/**
 * Reads the text of a settings file. `ruleIds` are those of all rules. With `matchesFile`, a glob of a world that matches
 * no file is an error. `over` takes the place of what the file says.
 */
export function readSettings(
  text: string,
  ruleIds: readonly string[],
  matchesFile?: (glob: string) => boolean,
  more: SettingsReading = {},
): SettingsOutcome {
  const [document, second] = readDocuments(text, { mentions: /(?:)/ })
  const place = createLineIndex(text)
  const broken = document?.problems ?? []
  if (broken.length > 0)
    return invalid(broken.map(({ reason, start }) => ({ path: '', message: reason, ...place(start) })))
  if (second) return invalid([{ path: '', message: 'expected one document, found a second', ...place(second.start) }])
  const checked = checkSettings(document?.value ?? {}, ruleIds, matchesFile, more)
  if (checked.ok) return checked
  return invalid(document ? checked.errors.map(createPlacer(text, document)).sort(byPlace) : [])
}

/** The settings of a value, or all errors in it. */
export type CheckedSettings =
  | { readonly ok: true; readonly project: ProjectSettings }
  | { readonly ok: false; readonly errors: readonly SettingsError[] }

/** Says what is wrong with the value of `policies`. */
export type PolicyCheck = (policies: unknown) => readonly SettingsError[]

/** What is over the settings of the file, and what checks its policies: without that they are not checked. */
type SettingsReading = SettingsOver & { readonly errorsOfPolicies?: PolicyCheck }

/** Reads the value of a settings file. `ruleIds` are those of all rules but the policies of the file. */
export function checkSettings(
  value: unknown,
  ruleIds: readonly string[],
  matchesFile: (glob: string) => boolean = () => true,
  { errorsOfPolicies = () => [], ...over }: SettingsReading = {},
): CheckedSettings {
  const policies = isObject(value) ? value.policies : undefined
  const ids = [...ruleIds, ...localIds(policies)]
  const worlds = typeof value === 'object' && value !== null && 'worlds' in value ? value.worlds : undefined
  const slow = slowGlobs(value)
  const ofWorlds = [...sameNames(worlds), ...slow, ...(slow.length > 0 ? [] : unmatchedGlobs(worlds, matchesFile))]
  const errors: SettingsError[] = [
    ...schemaErrors(value),
    ...allUnknownRules(value, ids),
    ...unknownReasons(value),
    ...ofWorlds,
  ]
  if (errors.length === 0) errors.push(...errorsOfPolicies(policies))
  return errors.length === 0 && validate(value)
    ? { ok: true, project: toProject({ ...value, ...over }) }
    : { ok: false, errors }
}

const invalid = (problems: readonly SettingsProblem[]): SettingsOutcome => ({ ok: false, problems })

const byPlace = (a: LineColumn, b: LineColumn) => a.line - b.line || a.column - b.column

/** The ids of the policies of a file. */
const localIds = (policies: unknown): readonly string[] =>
  (Array.isArray(policies) ? policies : []).flatMap((policy: unknown) =>
    isObject(policy) && typeof policy.name === 'string' ? [LOCAL_PREFIX + policy.name] : [],
  )

function allUnknownRules(value: unknown, ids: readonly string[]): readonly SettingsError[] {
  if (typeof value !== 'object' || value === null) return []
  const own = 'rules' in value ? unknownRules(value.rules, '/rules', ids) : []
  const overrides: readonly unknown[] = 'overrides' in value && Array.isArray(value.overrides) ? value.overrides : []
  const others = overrides.flatMap((override, index) =>
    typeof override === 'object' && override !== null && 'rules' in override
      ? unknownRules(override.rules, `/overrides/${index}/rules`, ids)
      : [],
  )
  return [...own, ...others]
}

function createPlacer(text: string, document: TextDocument): (error: SettingsError) => SettingsProblem {
  const place = createLineIndex(text)
  const locate = createLocator(text, document)
  return ({ pointer, at, message, offset }) => {
    const span = locate(pointer, { at })
    const { start, end } = span
    const path = pointer === '' ? '' : fieldPath(pointer)
    const from =
      offset === undefined ? start : outside(text, span, { content: valueAt(document.value, pointer), offset })
    return { path, message: message + versionHint(message, text.slice(start, end)), ...place(from) }
  }
}

/** Where a character of a text stands that is written as a scalar: at its beginning where that is not known. */
function outside(
  text: string,
  { start, end }: TextRange,
  { content, offset }: { readonly content: unknown; readonly offset: number },
): number {
  if (typeof content !== 'string') return start
  if (text.slice(start, end) === content) return start + offset
  return inlineText(text, { start, end }, content)?.outside(offset) ?? start
}

/** `1.30` without quotes is the number 1.3. */
const versionHint = (message: string, written: string): string =>
  message.includes('in quotes') && /^\d[\d.]*$/.test(written) ? ` (write "${written}")` : ''

function toProject(file: SettingsFile): ProjectSettings {
  const { $schema: _, worlds = [], overrides = [], ignores = [], failOnUnjudged = false, admission, ...settings } = file
  return {
    settings: toSettings(settings),
    worlds,
    overrides: overrides.map(({ files, rules }) => ({ files, rules: severities(rules) })),
    ignores,
    failOnUnjudged: failingCodes(failOnUnjudged),
    admission: { ...DEFAULT_ADMISSION, ...admission },
  }
}

/** Members that are not named here stand in the file as they are in the settings. */
function toSettings(file: Omit<SettingsFile, '$schema' | keyof Omit<ProjectSettings, 'settings'>>): Settings {
  const { rules = {}, platform, budgets, composition, apiGroups, policies = [], ...others } = file
  const { fabricVersion } = others
  const { platform: machine, budgets: thresholds } = DEFAULT_SETTINGS
  const variables = platform?.variables ?? machine.variables
  return {
    ...DEFAULT_SETTINGS,
    ...others,
    rules: severities(rules),
    platform: {
      ...machine,
      nginxVersion: nginxOf(fabricVersion) ?? machine.nginxVersion,
      ...platform,
      variables: variables.map((name) => name.replace(/^\$/, '')),
    },
    budgets: {
      zoneMemory: bytes(budgets?.zoneMemory) ?? thresholds.zoneMemory,
      expectedKeys: budgets?.expectedKeys ?? thresholds.expectedKeys,
      queueSeconds: budgets?.queueSeconds ?? thresholds.queueSeconds,
    },
    composition: composition ?? (fabricVersion === undefined ? DEFAULT_SETTINGS.composition : 'inherit'),
    apiGroups: { ...DEFAULT_SETTINGS.apiGroups, ...apiGroups },
    policies: policies.map(withDefaults),
  }
}

const withDefaults = (policy: NonNullable<SettingsFile['policies']>[number]): LocalPolicy => ({
  kinds: DEFAULT_KINDS,
  severity: 'error',
  remedy: `Change the object so that this is true: ${policy.expression.trim()}`,
  ...policy,
})

const severities = (written: WrittenSeverities): Severities =>
  Object.fromEntries(Object.entries(written).map(([id, severity]) => [id, severity === false ? 'off' : severity]))

function bytes(size: string | number | undefined): number | undefined {
  if (typeof size !== 'string') return size
  return parseSize(size)?.bytes
}
