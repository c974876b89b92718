/** Where a body has other fields or types than a rate limit policy declares: one violation for each mistake. */
import { type Fields, fieldsOf, type Meant, meantField, toPattern } from '../json/fields.ts'
import { isObject, type Json, type JsonObject } from '../json/member.ts'
import { escapeToken, parentPointer } from '../json/pointer.ts'
import { cachedByLatest } from '../world/cache.ts'
import { type AnyField, type Field, fieldsWithin, type ObjectField, POLICIES } from './fields.ts'
import type { ProxyView } from './proxy.ts'

const POLICY_LIST = POLICIES['rate-limit']

/** The pointer below `policies`. */
const below = (pointer: string): string => pointer.replace(/^(?:\/proxyConfig)?\/policies/, '')

/** The names that an object can have, without those that are only accepted. */
const namesIn = ({ fields }: ObjectField): readonly string[] =>
  Object.entries(fields).flatMap(([name, { isDeprecated }]) => (isDeprecated ? [] : [name]))

/** The closed objects of a policy by their patterns below `policies`. */
const CLOSED = [...fieldsWithin(POLICY_LIST, '/rate-limit')].flatMap(({ path, field }) =>
  field.type === 'object' && field.isClosed ? [[path, field] as const] : [],
)

/** The fields by the object in which one looks for them: not by one that is only accepted. */
const FIELDS: Fields = Object.fromEntries(
  CLOSED.flatMap(([path, field]) => (field.isDeprecated ? [] : [[path, namesIn(field)] as const])),
)
const NAMES: Fields = Object.fromEntries(CLOSED.map(([path, field]) => [path, namesIn(field)]))

/** The fields that the object at a pointer of a body can have, or none where any field is allowed. */
export const fieldsAt = (pointer: string): readonly string[] => fieldsOf(NAMES, below(pointer))

/** One place where a body is not what a policy must be. */
export type Violation = {
  /** JSON Pointer of the value, of the missing member, or of the unknown field. */
  readonly pointer: string
  readonly actual: Json | undefined
} & (
  | { readonly problem: 'missing' }
  | { readonly problem: 'type'; readonly field: Exclude<Field, AnyField> }
  | { readonly problem: 'unknown'; readonly meant: Meant | undefined }
)

/** Every violation of a body, in the order of its text; computed once for each view. */
export const violations = cachedByLatest(({ sets }: ProxyView): readonly Violation[] =>
  withoutConsequences(
    sets.flatMap(({ pointer, rateLimit: { raw } }) =>
      raw === undefined ? [] : violationsIn(raw, `${pointer}/rate-limit`, POLICY_LIST),
    ),
  ),
)

function violationsIn(value: Json, pointer: string, field: Field): readonly Violation[] {
  if (field.type === 'any') return []
  if (field.type === 'object' && isObject(value)) return violationsOfObject(value, pointer, field)
  if (field.type === 'list' && Array.isArray(value))
    return value.flatMap((item: Json, index) => violationsIn(item, `${pointer}/${index}`, field.items))
  // A number is enough where a whole one is needed: a rule of its own says which numbers a field may have.
  const isOfType = field.type !== 'object' && typeof value === (field.type === 'integer' ? 'number' : field.type)
  return isOfType ? [] : [{ pointer, actual: value, problem: 'type', field }]
}

function violationsOfObject(object: JsonObject, pointer: string, { fields }: ObjectField): readonly Violation[] {
  const names = Object.keys(object)
  const missing = Object.entries(fields).flatMap(([name, { isRequired }]): readonly Violation[] =>
    isRequired && !names.includes(name)
      ? [{ pointer: `${pointer}/${name}`, actual: undefined, problem: 'missing' }]
      : [],
  )
  return [
    ...missing,
    ...names.flatMap((name): readonly Violation[] => {
      const at = `${pointer}/${escapeToken(name)}`
      const value = object[name]
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined
      if (field) return value === undefined ? [] : violationsIn(value, at, field)
      const meant = meantField(FIELDS, { parent: below(pointer), name, present: new Set(names) })
      return [{ pointer: at, actual: value, problem: 'unknown', meant }]
    }),
  ]
}

/** Leaves out what is missing because it is misspelt. */
const withoutConsequences = (all: readonly Violation[]): readonly Violation[] =>
  all.filter(({ problem, pointer }) => problem !== 'missing' || !isMeantElsewhere(all, pointer))

/** True where an unknown field may be the one that is missing at a pointer: then the unknown field is the mistake. */
export const mayBeMisspelt = (proxy: ProxyView, pointer: string): boolean =>
  isMeantElsewhere(violations(proxy), pointer)

const isMeantElsewhere = (all: readonly Violation[], pointer: string): boolean =>
  all.some(
    (one) =>
      one.problem === 'unknown' &&
      (parentPointer(one.pointer) === parentPointer(pointer) ||
        (one.meant !== undefined && `${one.meant.home}/${one.meant.field}` === toPattern(below(pointer)))),
  )
