/** Errors of the settings in words. */

import { escapeToken } from '../json/pointer.ts'
import { nearest } from '../text/nearest.ts'
import { unknownRule } from './rule-ids.ts'
import type { SettingsSchemaError } from './schema.ts'
import { errorsOf } from './validate.mjs'

/** One thing wrong with the settings, at a JSON Pointer. */
export type SettingsError = {
  readonly pointer: string
  /** Which token is wrong: the key, or else the value. */
  readonly at: 'key' | 'value'
  readonly message: string
}

/** Everything in which a value does not meet the schema, each place once. */
export function schemaErrors(value: unknown): readonly SettingsError[] {
  const errors = errorsOf(value).filter(({ propertyName, keyword }) => !propertyName && keyword !== 'propertyNames')
  const alternatives = new Set(errors.filter(({ keyword }) => keyword === 'anyOf').map((error) => error.instancePath))
  const isCause = (error: SettingsSchemaError) => error.keyword === 'anyOf' || !alternatives.has(error.instancePath)
  return errors.filter(isCause).map(inWords)
}

/** Rule ids of a mapping of severities that no rule has. */
export function unknownRules(rules: unknown, pointer: string, ids: readonly string[]): readonly SettingsError[] {
  if (typeof rules !== 'object' || rules === null || Array.isArray(rules)) return []
  return Object.keys(rules)
    .filter((id) => !ids.includes(id))
    .map((id) => ({ pointer: `${pointer}/${escapeToken(id)}`, at: 'key', message: unknownRule(id, ids) }))
}

/** Worlds that have one name, at the second of them. */
export function sameNames(worlds: unknown): readonly SettingsError[] {
  const names = (Array.isArray(worlds) ? worlds : []).map((world: unknown) =>
    typeof world === 'object' && world !== null && 'name' in world ? world.name : undefined,
  )
  return names.flatMap((name, index) =>
    typeof name === 'string' && names.indexOf(name) < index
      ? [{ pointer: `/worlds/${index}/name`, at: 'value', message: `another world has the name "${name}" already` }]
      : [],
  )
}

/** Globs of worlds that match no file. */
export function unmatchedGlobs(worlds: unknown, matchesFile: (glob: string) => boolean): readonly SettingsError[] {
  return (Array.isArray(worlds) ? worlds : []).flatMap((world: unknown, index) => {
    const paths = typeof world === 'object' && world !== null && 'paths' in world ? world.paths : undefined
    return (Array.isArray(paths) ? paths : []).flatMap((glob: unknown, at) =>
      typeof glob === 'string' && glob !== '' && !matchesFile(glob)
        ? [{ pointer: `/worlds/${index}/paths/${at}`, at: 'value', message: `no file matches "${glob}"` }]
        : [],
    )
  })
}

const suggestion = (word: string | undefined): string => (word === undefined ? '' : `; did you mean "${word}"?`)

function inWords({ instancePath, keyword, params, parentSchema, data }: SettingsSchemaError): SettingsError {
  if (keyword === 'additionalProperties') {
    const key = String(params.additionalProperty)
    const known = Object.keys(parentSchema.properties ?? {}).filter((name) => !name.startsWith('$'))
    const meant = nearest(key, known)
    const hint = meant === undefined ? `; known are ${known.join(', ')}` : suggestion(meant)
    return { pointer: `${instancePath}/${escapeToken(key)}`, at: 'key', message: `unknown key${hint}` }
  }
  if (keyword === 'required')
    return { pointer: instancePath, at: 'value', message: `"${params.missingProperty}" is missing` }
  return {
    pointer: instancePath,
    at: 'value',
    message: `expected ${expected(parentSchema, keyword)}; got ${describe(data)}`,
  }
}

/** What is expected, by the words for the thing. */
function expected({ type, title, enum: choices }: SettingsSchemaError['parentSchema'], keyword: string): string {
  if (keyword === 'minItems') return 'at least one entry'
  if (choices) return oneOf(choices.filter((choice) => choice !== false).map(String))
  if (type === 'array') return 'a list'
  if (type === 'object') return 'a mapping'
  return title ?? (type === 'boolean' ? 'true or false' : 'a string')
}

const oneOf = (choices: readonly string[]): string => `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`

const LONGEST_VALUE = 60

function describe(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (typeof value === 'object' && value !== null) return 'a mapping'
  const text = JSON.stringify(value) ?? 'nothing'
  const short = text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text
  return typeof value === 'number' ? `the number ${short}` : short
}
