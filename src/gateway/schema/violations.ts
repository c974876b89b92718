/**
 * Where a policy does not meet the schema that the CRD publishes: one violation for each mistake. A field that is
 * missing because it is misspelt, misplaced or incomplete is one mistake and not two.
 */
import { isObject, type Json, type JsonObject, type Member } from '../../json/member.ts'
import { escapeToken, parentPointer } from '../../json/pointer.ts'
import { nearestInAnyCase } from '../../text/nearest.ts'
import { withOrdinarySpaces } from '../../text/space.ts'
import { cachedBy } from '../../world/cache.ts'
import { type PolicyView, SHARED_SETTINGS, type SharedSetting } from '../objects/policy.ts'
import { errorsOf, FIELDS, type SchemaError, type SchemaKeyword, type SchemaType } from './validate.mjs'

/** A JSON Pointer with `*` for every index: the form in which the schema lists the fields of an object. */
const toPattern = (pointer: string): string => pointer.replace(/\/\d+(?=\/|$)/g, '/*')

/** The field that the author of an unknown field meant. */
type Meant = {
  /** Pattern of the object that has the field. */
  readonly home: string
  readonly field: string
}

/** The fields that the object at a pointer can have, or none where any field is allowed. */
export const fieldsAt = (pointer: string): readonly string[] => FIELDS[toPattern(pointer)] ?? []

/**
 * The field that the author of an unknown field certainly meant, or undefined. A name that is known in another object
 * is in the wrong place; any other name is a misspelt field that the object (`present`) does not have yet. A field that it
 * has, in other letters, is there twice.
 */
function meantField(parent: string, written: string, present: ReadonlySet<string>): Meant | undefined {
  const name = withoutUnusualSpaces(written)
  const here = toPattern(parent)
  const homes = Object.keys(FIELDS).filter((pattern) => pattern !== here && FIELDS[pattern]?.includes(name))
  const home = homes.find((pattern) => isChild(pattern, here)) ?? (homes.length === 1 ? homes[0] : undefined)
  if (home !== undefined) return { home, field: name }
  const fields = fieldsAt(parent)
  const isDouble = fields.some((field) => present.has(field) && field.toLowerCase() === name.toLowerCase())
  const candidates = isDouble ? [] : fields.filter((field) => !present.has(field))
  const field = nearestInAnyCase(name, candidates)
  return field === undefined ? undefined : { home: here, field }
}

/** The name before spaces that YAML takes for a part of it, as in `rate:\u00A010r/s`. */
const withoutUnusualSpaces = (written: string): string => {
  const name = withOrdinarySpaces(written)
  return name === written ? written : name.trim().replace(/:\s.*$/s, '')
}

const isChild = (pattern: string, parent: string): boolean =>
  pattern.startsWith(`${parent}/`) && !pattern.includes('/', parent.length + 1)

/** One place where a policy does not meet the schema. */
export type Violation = {
  /** JSON Pointer of the value, of the missing member, or of the unknown field. */
  readonly pointer: string
  /** The pointer with `*` for every index. */
  readonly pattern: string
  /** The keyword of the schema that is not met. `additionalProperties`: an unknown field. */
  readonly keyword: SchemaKeyword
  /** The value; undefined where a member is missing. */
  readonly actual: Json | undefined
  /** The expected type, where the type is wrong. */
  readonly type?: SchemaType | undefined
  /** The bound of a length or a count. */
  readonly bound?: number | undefined
  /** The field that the author of an unknown field meant. */
  readonly meant?: Meant | undefined
}

const NONE: readonly Violation[] = []

const everyViolationOf = cachedBy((object: JsonObject): readonly Violation[] => {
  const errors = errorsOf(object)
  return errors.length === 0 ? NONE : errors.map(toViolation)
})

/** Every violation, also those that follow from another one: what the API server, which only drops unknown fields, goes by. */
export const everyViolation = ({ object }: Pick<PolicyView, 'object'>): readonly Violation[] => everyViolationOf(object)

/** Every violation of a policy, in the order of the schema; computed once for each object. */
export function violations({ object }: Pick<PolicyView, 'object'>): readonly Violation[] {
  const all = everyViolationOf(object)
  return all.length === 0 ? NONE : causesAmong(all)
}

const causesAmong = cachedBy(withoutConsequences)

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
  const object = isObject(data) ? data : NO_FIELDS
  const pointer = `${parent}/${escapeToken(name)}`
  return {
    pointer,
    pattern: toPattern(pointer),
    keyword: 'additionalProperties',
    actual: object[name],
    meant: meantField(parent, name, presentFields(object)),
  }
}

const NO_FIELDS: JsonObject = {}

/** Made once for each object, however many unknown fields it has. */
const presentFields = cachedBy(
  (object: JsonObject): ReadonlySet<string> => new Set(Object.keys(object).filter((field) => object[field] !== null)),
)

/** Leaves out what follows from another violation: a bound of a value with the wrong type, a field that is missing because it is misspelt or misplaced. */
function withoutConsequences(all: readonly Violation[]): readonly Violation[] {
  if (all.length === 0) return all
  const mistyped = new Set(all.filter(({ keyword }) => keyword === 'type').map(({ pointer }) => pointer))
  const meant = meantPatterns(all)
  return all.filter(({ keyword, pointer, pattern }) => {
    if (keyword === 'required') return !includesField(pattern, meant)
    return keyword === 'type' || !mistyped.has(pointer)
  })
}

const patternOf = ({ home, field }: Meant): string => `${home}/${field}`

const meantPatterns = (all: readonly Violation[]): readonly string[] =>
  all.flatMap(({ meant }) => (meant ? [patternOf(meant)] : []))

/** True where one of the fields is at the pattern or below it. */
const includesField = (pattern: string, fields: readonly string[]): boolean =>
  fields.some((field) => field === pattern || field.startsWith(`${pattern}/`))

/** True where the author of an unknown field of the policy meant the field at a pattern, or one below it. */
export const isMisspelt = (policy: Pick<PolicyView, 'object'>, pattern: string): boolean =>
  includesField(pattern, meantPatterns(violations(policy)))

/**
 * True where an unknown field may be the one that is missing at a pointer: a field beside it, or a field elsewhere whose
 * author meant this one. Then the unknown field is the mistake, and rules do not report the missing one as well.
 */
export function mayBeMisspelt(policy: PolicyView, pointer: string): boolean {
  const all = violations(policy)
  if (all.length === 0) return false
  const parent = parentPointer(pointer)
  const pattern = toPattern(pointer)
  return all.some(({ keyword, pointer: unknownField, meant }) => {
    if (keyword !== 'additionalProperties') return false
    const place = parentPointer(unknownField)
    if (place === parent) return true
    const isInAnotherItem = toPattern(place) === toPattern(parent)
    return !isInAnotherItem && meant !== undefined && patternOf(meant) === pattern
  })
}

/** Why a policy has no limits. */
type MissingLimits = {
  /** The outermost member that is missing or empty: `rateLimit`, `local` or `rules`. */
  readonly at: Member<unknown>
  /** The settings that the policy has nevertheless. */
  readonly settings: readonly SharedSetting[]
}

/** Why a policy has no limits; undefined where it has some, and where another mistake explains it. */
export function missingLimits(policy: PolicyView): MissingLimits | undefined {
  const { spec, rateLimit, local, rules } = policy
  if (!spec.value || policy.limits.length > 0) return undefined
  const path: readonly Member<unknown>[] = [rateLimit, local, rules]
  const at = path.find((member) => member.raw === undefined || isEmpty(member.value))
  if (!at || path.slice(0, path.indexOf(at)).some(({ value }) => value === undefined)) return undefined
  if (path.some(({ pointer }) => mayBeMisspelt(policy, pointer))) return undefined
  return { at, settings: SHARED_SETTINGS.filter((name) => policy[name].raw !== undefined) }
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0
