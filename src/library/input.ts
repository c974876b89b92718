/** What most functions of the library get: sources, settings, and what is known of both. */
import { isObject } from '../json/member.ts'
import { fieldPath } from '../json/pointer.ts'
import { withKustomizations } from '../project/kustomize.ts'
import type { NamespaceHint, ObjectSource, Reading, Source, TextSource } from '../project/source.ts'
import { kubernetesTime } from '../queries/status.ts'
import { errorsOfPolicies, MENTIONS, RULE_IDS } from '../registry.ts'
import { checkSettings, readSettings as readText } from '../settings/file.ts'
import { unknownRule } from '../settings/rule-ids.ts'
import type { SettingsFile } from '../settings/schema.ts'
import type { ProjectSettings, Settings } from '../settings/settings.ts'
import { createTexts } from '../yaml/documents.ts'
import { at, boolean, type Check, json, list, type Members, object, oneOf, problemsOf, string, value } from './check.ts'
import { failure, guarded, type Problem, type Result, success } from './result.ts'

/** Settings as an object: the members of a settings file, save those about files and about the webhook. */
export type SettingsInput = Omit<SettingsFile, 'worlds' | 'overrides' | 'ignores' | 'admission'> | Settings

/** Options of every function that reads manifests. */
export type InputOptions = {
  /** Default: those without a settings file. `readSettings` reads the text of one. */
  readonly settings?: SettingsInput | undefined
  /** True where the sources are all there is: what is not in them is absent, not unknown. */
  readonly closedWorld?: boolean | undefined
  /** The namespace of manifests that name none. */
  readonly namespace?: string | undefined
  /**
   * True where the texts are files of kustomizations: each that no other one builds on is built, and what it builds is
   * looked at. The `file` of a source is its path.
   */
  readonly kustomize?: boolean | undefined
}

/** Arguments that are right, with settings in full. */
export type Input = Reading & {
  readonly settings: Settings
  readonly closedWorld: boolean
  readonly namespace: string | undefined
  readonly kustomize: boolean
}

/** For what is checked elsewhere. */
export const notChecked: Check = () => {}

/** Checks {@link InputOptions}; settings are checked with their own schema. */
export const INPUT_OPTIONS = {
  settings: notChecked,
  closedWorld: boolean,
  namespace: string,
  kustomize: boolean,
} as const satisfies Members<keyof InputOptions>

const isText = (given: unknown) => typeof given === 'string'
const isTexts = (given: unknown) => Array.isArray(given) && given.every(isText)

const textOrNull = value('a string or null', (given) => given === null || isText(given))
const textOrTexts = value('a string or a list of strings', (given) => isText(given) || isTexts(given))
const texts = list(string)

const NAMESPACE = { override: string, fallback: string, sharedBy: textOrNull } as const satisfies Members<
  keyof NamespaceHint
>

const severity = oneOf(['error', 'warning', 'info', 'off'])

/** Severities by the id of their rule. */
const severities: Check = (given, path, problems) => {
  if (!isObject(given)) object({})(given, path, problems)
  else
    for (const [id, one] of Object.entries(given)) {
      if (!RULE_IDS.includes(id)) problems.push({ path: at(path, id), message: unknownRule(id, RULE_IDS) })
      severity(one, at(path, id), problems)
    }
}

const CONTEXT = {
  file: string,
  namespace: object(NAMESPACE),
  world: textOrTexts,
  together: texts,
  unjudged: boolean,
  rules: severities,
}
/** What only reading files says of a text. */
type MadeByFiles = 'problem' | 'isPart' | 'isIgnored' | 'isSubstituted' | 'builds'
const TEXT = { ...CONTEXT, text: string } as const satisfies Members<Exclude<keyof TextSource, MadeByFiles>>
/** An object of JSON. */
export const anyObject: Check = (given, path, problems) => {
  if (!isObject(given)) object({})(given, path, problems)
  else json(given, path, problems)
}
const OBJECT = { ...CONTEXT, object: anyObject } as const satisfies Members<Exclude<keyof ObjectSource, 'built'>>

/** Checks sources: texts with `file` and `text`, or objects with `object`. */
export const sourcesCheck: Check = list((given, path, problems) => {
  const hasObject = isObject(given) && given.object !== undefined
  object(hasObject ? OBJECT : TEXT, hasObject ? ['object'] : ['file', 'text'])(given, path, problems)
})

/** Checks sources and options; `members` are the options of the function. */
export function readInput(
  sources: readonly Source[],
  options: InputOptions | undefined,
  members: Members,
): Result<Input> {
  const ofOptions = options === undefined ? [] : problemsOf(object(members), options, '')
  const settings = readSettingsOption(options?.settings)
  const problems: readonly Problem[] = [...problemsOf(sourcesCheck, sources, 'sources'), ...ofOptions]
  if (!settings.ok) return failure(...problems, ...settings.problems)
  if (problems.length > 0) return failure(...problems)
  const { closedWorld = false, namespace, kustomize = false } = options ?? {}
  const context = { namespace, kustomize, texts: createTexts() }
  return success({ sources: inContext(sources, context), settings: settings.value, closedWorld, ...context })
}

/**
 * Gives sources the namespace of manifests that name none, and objects their times as text; builds the kustomizations
 * among the sources.
 */
export function inContext(
  sources: readonly Source[],
  { namespace, kustomize, texts }: Pick<Input, 'namespace' | 'kustomize' | 'texts'>,
): readonly Source[] {
  const named = inNamespace(sources.map(withTimes), namespace)
  return kustomize ? withKustomizations({ sources: named, texts }, MENTIONS) : named
}

/** Gives sources the namespace of manifests that name none. */
export function inNamespace(sources: readonly Source[], fallback: string | undefined): readonly Source[] {
  if (fallback === undefined) return sources
  return sources.map((source) => ({ ...source, namespace: { fallback, ...source.namespace } }))
}

/** A source without dates; the very same one where it has none. */
function withTimes(source: Source): Source {
  if (!('object' in source)) return source
  const object = timesWritten(source.object)
  return object === source.object || !isObject(object) ? source : { ...source, object }
}

/** Clients of Kubernetes make dates of times. A value with those as the API server writes them. */
function timesWritten(given: unknown): unknown {
  if (given instanceof Date) return kubernetesTime(given.toISOString())
  if (typeof given !== 'object' || given === null) return given
  const entries = Object.entries(given).map(([name, one]) => [name, timesWritten(one), one] as const)
  if (entries.every(([, now, before]) => now === before)) return given
  return Array.isArray(given)
    ? entries.map(([, now]) => now)
    : Object.fromEntries(entries.map(([name, now]) => [name, now]))
}

/** Settings of a file that a caller with sources at hand applies to them. */
const FILE_ONLY: Readonly<Record<string, string>> = {
  worlds: 'is about paths of files: give the sources their `world`',
  overrides: 'is about paths of files: give the sources their `rules`',
  ignores: 'is about paths of files: leave these sources out',
  admission: 'is about the webhook, which the library does not run',
}

/** Reads the option `settings`. */
export function readSettingsOption(given: unknown): Result<Settings> {
  const notJson = given === undefined ? [] : problemsOf(json, given, 'settings')
  if (notJson.length > 0) return failure(...notJson)
  const outcome = checkSettings(given ?? {}, RULE_IDS, undefined, { errorsOfPolicies })
  const errors = outcome.ok ? [] : outcome.errors
  const misplaced = isObject(given) ? Object.entries(FILE_ONLY).filter(([name]) => given[name] !== undefined) : []
  if (outcome.ok && misplaced.length === 0) return success(outcome.project.settings)
  return failure(
    ...misplaced.map(([name, message]) => ({ path: `settings.${name}`, message })),
    ...errors.map(({ pointer, message }) => ({ path: pathOf(pointer), message })),
  )
}

const pathOf = (pointer: string): string => (pointer === '' ? 'settings' : `settings.${fieldPath(pointer)}`)

/**
 * Reads the text of a `sluice.config.yaml`, or says everything that is wrong with it, with line and column. The member
 * `settings` of its value is for the option `settings`; the others are about files and the webhook.
 */
export function readSettings(text: string): Result<ProjectSettings> {
  return guarded(() => {
    const problems = problemsOf(string, text, 'text')
    if (problems.length > 0) return failure(...problems)
    const outcome = readText(text, RULE_IDS, undefined, { errorsOfPolicies })
    return outcome.ok ? success(outcome.project) : failure(...outcome.problems)
  })
}
