/** The form in which bodies are stored: policies in `proxyConfig.policies`, and some defaults written out. */
import { isObject, type Json, type JsonObject } from '../json/member.ts'
import { isSameValue, textOf } from '../json/same.ts'
import { cachedBy } from '../world/cache.ts'
import { BODY, CONFIG, type Field, type Fields } from './fields.ts'

/** A default that was filled in. */
export type FilledDefault = {
  /** JSON Pointer of the member in the stored form. */
  readonly pointer: string
  readonly value: string | number | boolean
}

/** A body as it is stored. */
export type StoredForm = { readonly body: JsonObject; readonly filled: readonly FilledDefault[] }

/** The stored form of a body that the rules accept; of any other body, something that can be stored, too. */
export function toStoredForm(sent: JsonObject): StoredForm {
  const { policies, ...others } = sent
  const filled: FilledDefault[] = []
  const body = filledObject(others, BODY, { at: '', filled })
  const config = isObject(body.proxyConfig) ? body.proxyConfig : {}
  if (policies === undefined || (config.policies ?? undefined) !== undefined) return { body, filled }
  const own = filledIn(policies, CONFIG.policies, { at: '/proxyConfig/policies', filled })
  return { body: { ...body, proxyConfig: { ...config, policies: own } }, filled }
}

/** The policies of an environment as they are stored; pointers are those of its body. */
export function toStoredPolicies(sent: JsonObject): {
  readonly policies: JsonObject
  readonly filled: readonly FilledDefault[]
} {
  const filled: FilledDefault[] = []
  const policies = filledIn(sent, CONFIG.policies, { at: '/policies', filled })
  return { policies: isObject(policies) ? policies : {}, filled }
}

type Filling = { readonly at: string; readonly filled: FilledDefault[] }

/** A value with the defaults of its field, and of the fields in it, that are stored. */
function filledIn(value: Json, field: Field, { at, filled }: Filling): Json {
  if (field.type === 'object' && isObject(value)) return filledObject(value, field.fields, { at, filled })
  if (field.type !== 'list' || !Array.isArray(value)) return value
  return value.map((item: Json, index) => filledIn(item, field.items, { at: `${at}/${index}`, filled }))
}

function filledObject(object: JsonObject, fields: Fields, { at, filled }: Filling): JsonObject {
  const whole: Record<string, Json | undefined> = { ...object }
  const all = entriesOf(fields)
  for (const [name, field] of all) {
    if (object[name] !== undefined || !field.isStored) continue
    filled.push({ pointer: `${at}/${name}`, value: field.default })
    whole[name] = field.default
  }
  for (const [name, field] of all) {
    const value = object[name]
    if (value === undefined || (field.type !== 'object' && field.type !== 'list')) continue
    whole[name] = filledIn(value, field, { at: `${at}/${name}`, filled })
  }
  return whole
}

const entriesOf = cachedBy((fields: Fields) => Object.entries(fields))

/** True for a body that has policies and nothing else: it adds them to a proxy. */
export function isPoliciesAlone(body: JsonObject): boolean {
  const names = Object.keys(body)
  if (names.length !== 1) return false
  if (names[0] === 'policies') return true
  const { proxyConfig } = body
  return names[0] === 'proxyConfig' && isObject(proxyConfig) && Object.keys(proxyConfig).join() === 'policies'
}

/**
 * A stored body with the policies of another one. Entries of lists are appended, but for those that are there already, whatever
 * defaults are written out, so that a repeated request adds nothing; a value that is no list replaces the one of its name.
 */
export function withPolicies(stored: JsonObject, added: JsonObject): JsonObject {
  const config = isObject(stored.proxyConfig) ? stored.proxyConfig : {}
  const before = isObject(config.policies) ? config.policies : {}
  const merged = Object.entries(added).map(([name, value]): readonly [string, Json | undefined] => {
    const known = Object.hasOwn(before, name) ? before[name] : undefined
    if (!Array.isArray(known) || !Array.isArray(value)) return [name, value]
    const field = Object.hasOwn(POLICY_FIELDS, name) ? POLICY_FIELDS[name] : undefined
    const applying = (entry: Json) => (field?.type === 'list' ? allOf(entry, field.items) : entry)
    const there = known.map(applying)
    const isNew = (entry: Json) => !there.some((other) => isSameValue(applying(entry), other))
    return [name, [...known, ...value.filter(isNew)]]
  })
  const policies = Object.fromEntries([...Object.entries(before), ...merged])
  return { ...stored, proxyConfig: { ...config, policies } }
}

/** The same text for policies that mean the same, whatever defaults are written out. */
export const meaningOf = (policies: JsonObject): string => textOf(allOf(policies, CONFIG.policies))

const POLICY_FIELDS: Fields = CONFIG.policies.fields

/** All that applies of a value: with every default, also of what is absent, and words in one case. */
function allOf(value: Json | undefined, field: Field): Json | undefined {
  if (field.type === 'any') return value
  if (field.type === 'list')
    return Array.isArray(value) ? value.map((item: Json) => allOf(item, field.items) ?? null) : value
  if (field.type === 'object') {
    if (value !== undefined && !isObject(value)) return value
    const own = value ?? {}
    const known = Object.entries(field.fields).map(([name, inner]) => [name, allOf(own[name], inner)] as const)
    const all = Object.entries({ ...own, ...Object.fromEntries(known) }).filter(([, one]) => one !== undefined)
    return value === undefined && all.length === 0 ? undefined : Object.fromEntries(all)
  }
  const whole = value ?? field.default
  return field.type === 'string' && field.isAnyCase && typeof whole === 'string' ? whole.toLowerCase() : whole
}
