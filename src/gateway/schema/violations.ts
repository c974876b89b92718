/**
 * Where a policy does not meet the schema that the CRD publishes: one violation for each mistake. A field that is
 * missing because it is misspelt, misplaced or incomplete is one mistake and not two.
 */
import { fieldsOf, type Meant, meantField, toPattern } from '../../json/fields.ts'
import { isObject, type Json, type JsonObject, type Member } from '../../json/member.ts'
import { escapeToken, parentPointer } from '../../json/pointer.ts'
import { cachedBy, cachedByLatest } from '../../world/cache.ts'
import { type PolicyView, SHARED_SETTINGS, type SharedSetting } from '../objects/policy.ts'
import { errorsOf, FIELDS, type SchemaError, type SchemaKeyword, type SchemaType } from './validate.mjs'

/** The fields that the object at a pointer can have, or none where any field is allowed. */
export const fieldsAt = (pointer: string): readonly string[] => fieldsOf(FIELDS, pointer)

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

const everyViolationOf = cachedByLatest((object: JsonObject): readonly Violation[] => {
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

const causesAmong = cachedByLatest(withoutConsequences)

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
    meant: meantField(FIELDS, { parent, name, present: presentFields(object) }),
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

/** The fields that authors of unknown fields meant: no more than the schema has. */
const meantPatterns = (all: readonly Violation[]): ReadonlySet<string> =>
  new Set(all.flatMap(({ meant }) => (meant ? [patternOf(meant)] : [])))

/** True where one of the fields is at the pattern or below it. */
const includesField = (pattern: string, fields: ReadonlySet<string>): boolean =>
  fields.has(pattern) || [...fields].some((field) => field.startsWith(`${pattern}/`))

/** True where the author of an unknown field of the policy meant the field at a pattern, or one below it. */
export const isMisspelt = (policy: Pick<PolicyView, 'object'>, pattern: string): boolean =>
  includesField(pattern, meantPatterns(violations(policy)))

/** Where the unknown fields among some violations are: their objects, and the patterns of those by the field that is meant. */
const unknownAmong = cachedByLatest((all: readonly Violation[]) => {
  const places = new Set<string>()
  const meaning = new Map<string, Set<string>>()
  for (const { keyword, pointer, meant } of all) {
    if (keyword !== 'additionalProperties') continue
    const place = parentPointer(pointer)
    places.add(place)
    if (!meant) continue
    const patterns = meaning.get(patternOf(meant)) ?? new Set()
    meaning.set(patternOf(meant), patterns.add(toPattern(place)))
  }
  return { places, meaning }
})

/**
 * True where an unknown field may be the one that is missing at a pointer: a field beside it, or a field elsewhere whose
 * author meant this one. Then the unknown field is the mistake, and rules do not report the missing one as well.
 */
export function mayBeMisspelt(policy: PolicyView, pointer: string): boolean {
  const all = violations(policy)
  if (all.length === 0) return false
  const { places, meaning } = unknownAmong(all)
  const parent = parentPointer(pointer)
  if (places.has(parent)) return true
  if (meaning.size === 0) return false
  const parentPattern = toPattern(parent)
  return [...(meaning.get(toPattern(pointer)) ?? [])].some((pattern) => pattern !== parentPattern)
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
