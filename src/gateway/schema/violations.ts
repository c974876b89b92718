/** Where a policy does not meet the schema that the CRD publishes: one violation for each mistake. */
import { isObject, type Json, type JsonObject } from '../../json/member.ts'
import type { PolicyView } from '../objects/policy.ts'
import { type Meant, meantField, toPattern } from './fields.ts'
import { errorsOf, type SchemaError, type SchemaKeyword, type SchemaType } from './validate.mjs'

/** One place where a policy does not meet the schema. */
export type Violation = {
  /** JSON Pointer of the value, of the member that is missing, or of the field that nobody knows. */
  readonly pointer: string
  /** The pointer with `*` for every index. */
  readonly pattern: string
  /** What the schema asks for. `additionalProperties`: a field that it does not have. */
  readonly keyword: SchemaKeyword
  /** What stands there; undefined where a member is missing. */
  readonly actual: Json | undefined
  /** The type that is asked for, where the type is wrong. */
  readonly type?: SchemaType | undefined
  /** The bound of a length or a count. */
  readonly bound?: number | undefined
  /** Which field an unknown one was meant to be. */
  readonly meant?: Meant | undefined
}

const NONE: readonly Violation[] = []
const known = new WeakMap<JsonObject, readonly Violation[]>()

/** Every violation of a policy, in the order of the schema; judged once and remembered with the object. */
export function violations({ object }: Pick<PolicyView, 'object'>): readonly Violation[] {
  let found = known.get(object)
  if (!found) {
    const errors = errorsOf(object)
    found = errors.length === 0 ? NONE : withoutConsequences(errors.map(toViolation))
    known.set(object, found)
  }
  return found
}

function toViolation({ instancePath, keyword, params, data }: SchemaError): Violation {
  if (params.missingProperty !== undefined) return missing(`${instancePath}/${params.missingProperty}`)
  if (params.additionalProperty !== undefined) return unknown(instancePath, params.additionalProperty, data)
  const isItem = /\/\d+$/.test(instancePath)
  if (keyword === 'type' && data === null && !isItem) return missing(instancePath)
  return {
    pointer: instancePath,
    pattern: toPattern(instancePath),
    keyword,
    actual: data,
    type: [params.type ?? []].flat().find((type) => type !== 'null'),
    bound: params.limit,
  }
}

const missing = (pointer: string): Violation => ({
  pointer,
  pattern: toPattern(pointer),
  keyword: 'required',
  actual: undefined,
})

function unknown(parent: string, name: string, data: Json | undefined): Violation {
  const object = isObject(data) ? data : {}
  const pointer = `${parent}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
  const present = new Set(Object.keys(object).filter((field) => object[field] !== null))
  return {
    pointer,
    pattern: toPattern(pointer),
    keyword: 'additionalProperties',
    actual: object[name],
    meant: meantField(parent, name, present),
  }
}

/** Leaves out what follows from another violation: a bound of what has the wrong type, a field that is missing because it is misspelt or misplaced. */
function withoutConsequences(all: readonly Violation[]): readonly Violation[] {
  const mistyped = new Set(all.filter(({ keyword }) => keyword === 'type').map(({ pointer }) => pointer))
  const meant = meantPatterns(all)
  return all.filter(({ keyword, pointer, pattern }) => {
    if (keyword === 'required') return !holdsAny(pattern, meant)
    return keyword === 'type' || !mistyped.has(pointer)
  })
}

const meantPatterns = (all: readonly Violation[]): readonly string[] =>
  all.flatMap(({ meant }) => (meant ? [`${meant.home}/${meant.field}`] : []))

/** True where one of the fields is the one at the pattern, or within it. */
const holdsAny = (pattern: string, fields: readonly string[]): boolean =>
  fields.some((field) => field === pattern || field.startsWith(`${pattern}/`))

/** True where an unknown field of the policy was meant to be this one, or one within it. */
export const isMisspelt = (policy: Pick<PolicyView, 'object'>, pattern: string): boolean =>
  holdsAny(pattern, meantPatterns(violations(policy)))
