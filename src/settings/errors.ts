/** Errors of the settings in words. */

import { unknownFabricVersion } from '../fabric/releases.ts'
import { isObject } from '../json/member.ts'
import { escapeToken } from '../json/pointer.ts'
import { isSlowGlob, LONGEST_GLOB } from '../text/glob.ts'
import { MOST_SUGGESTIONS, nearest } from '../text/nearest.ts'
import { unknownRule } from './rule-ids.ts'
import type { SettingsSchemaError } from './schema.ts'
import { unknownCodes } from './unjudged.ts'
import { errorsOf } from './validate.mjs'

/** One thing wrong with the settings, at a JSON Pointer. */
export type SettingsError = {
  readonly pointer: string
  /** Which token is wrong: the key, or else the value. */
  readonly at: 'key' | 'value'
  readonly message: string
  /** Where in the value, which is a text; default: at its beginning. */
  readonly offset?: number
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
    .map((id, index) => {
      const message = index < MOST_SUGGESTIONS ? unknownRule(id, ids) : `unknown rule "${id}"`
      return { pointer: `${pointer}/${escapeToken(id)}`, at: 'key', message }
    })
}

/** Reasons of `failOnUnjudged` that there are not. */
export const unknownReasons = (value: unknown): readonly SettingsError[] =>
  unknownCodes(memberOf(value, 'failOnUnjudged')).map(({ index, message }) => ({
    pointer: `/failOnUnjudged/${index}`,
    at: 'value',
    message,
  }))

/** Worlds that have one name, at the second of them. */
export function sameNames(worlds: unknown): readonly SettingsError[] {
  const known = new Set<unknown>()
  return (Array.isArray(worlds) ? worlds : []).flatMap((world: unknown, index) => {
    const name = memberOf(world, 'name')
    const isSecond = known.has(name)
    known.add(name)
    return typeof name === 'string' && isSecond
      ? [{ pointer: `/worlds/${index}/name`, at: 'value', message: `another world has the name "${name}" already` }]
      : []
  })
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

/** Globs that would take very long to match, and very long ones. */
export function slowGlobs(value: unknown): readonly SettingsError[] {
  const globsAt = (pointer: string, globs: unknown): SettingsError[] =>
    (Array.isArray(globs) ? globs : []).flatMap((glob: unknown, at) => {
      const message = typeof glob !== 'string' ? undefined : glob.length > LONGEST_GLOB ? LONG : slowness(glob)
      return message === undefined ? [] : [{ pointer: `${pointer}/${at}`, at: 'value', message }]
    })
  const inEach = (name: string, member: string): SettingsError[] => {
    const items = memberOf(value, name)
    return (Array.isArray(items) ? items : []).flatMap((item, index) =>
      globsAt(`/${name}/${index}/${member}`, memberOf(item, member)),
    )
  }
  return [
    ...globsAt('/ignores', memberOf(value, 'ignores')),
    ...inEach('worlds', 'paths'),
    ...inEach('overrides', 'files'),
  ]
}

const slowness = (glob: string): string | undefined => (isSlowGlob(glob) ? SLOW : undefined)

const SLOW =
  'with more than three "*", or a repeated group, a glob must have neither "!" nor "\\{"; write what it matches without them'
const LONG = `a glob must not have more than ${LONGEST_GLOB} characters; write several globs`

const memberOf = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined)

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
  if (instancePath === '/fabricVersion' && typeof data === 'string')
    return { pointer: instancePath, at: 'value', message: unknownFabricVersion(data) }
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
