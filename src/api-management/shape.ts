/**
 * The fields of a rate limit policy with their types, and where a body has others: one violation for each mistake. Source:
 * specification of the API management rate limit policy, "Resources and their fields".
 */
import { type Fields, fieldsOf, type Meant, meantField, toPattern } from '../json/fields.ts'
import { isObject, type Json, type JsonObject } from '../json/member.ts'
import { escapeToken, parentPointer } from '../json/pointer.ts'
import { cachedByLatest } from '../world/cache.ts'
import type { ProxyView } from './proxy.ts'

/** The type of a field as messages need it. */
export type FieldType = 'object' | 'list' | 'string' | 'number' | 'boolean'

const POLICY = '/rate-limit/*'
const LIMIT = `${POLICY}/action/limits/*`

/** What each field of a policy must be, by its pattern below `policies`. */
const TYPES: Readonly<Record<string, FieldType>> = {
  '/rate-limit': 'list',
  [POLICY]: 'object',
  [`${POLICY}/systemMetadata`]: 'object',
  [`${POLICY}/systemMetadata/appliedOn`]: 'string',
  [`${POLICY}/systemMetadata/context`]: 'string',
  [`${POLICY}/action`]: 'object',
  [`${POLICY}/action/returnCode`]: 'number',
  [`${POLICY}/action/grpcStatusCode`]: 'number',
  [`${POLICY}/action/limits`]: 'list',
  [LIMIT]: 'object',
  [`${LIMIT}/rate`]: 'string',
  [`${LIMIT}/rateLimitBy`]: 'string',
  [`${LIMIT}/zoneSize`]: 'string',
  [`${LIMIT}/throttle`]: 'object',
  [`${LIMIT}/throttle/burst`]: 'number',
  [`${LIMIT}/throttle/delay`]: 'number',
  [`${LIMIT}/throttle/noDelay`]: 'boolean',
}

/** Where a throttle does not belong and is accepted. */
const SHARED_THROTTLE = `${POLICY}/action/throttle`

const typeAt = (pattern: string): FieldType | undefined =>
  TYPES[pattern.startsWith(SHARED_THROTTLE) ? pattern.replace(SHARED_THROTTLE, `${LIMIT}/throttle`) : pattern]

/** The fields by the object that has them. A policy may carry labels, which mean nothing here. */
const FIELDS: Fields = {
  [POLICY]: ['systemMetadata', 'action', 'metadata'],
  [`${POLICY}/systemMetadata`]: ['appliedOn', 'context'],
  [`${POLICY}/action`]: ['returnCode', 'grpcStatusCode', 'limits'],
  [LIMIT]: ['rate', 'rateLimitBy', 'zoneSize', 'throttle'],
  [`${LIMIT}/throttle`]: ['burst', 'delay', 'noDelay'],
}

/** The pointer below `policies`. */
const below = (pointer: string): string => pointer.replace(/^(?:\/proxyConfig)?\/policies/, '')

const ownFields = (pointer: string): readonly string[] =>
  fieldsOf(FIELDS, toPattern(below(pointer)).replace(SHARED_THROTTLE, `${LIMIT}/throttle`))

/** The fields that the object at a pointer of a body can have, or none where any field is allowed. */
export const fieldsAt = ownFields

/** One place where a body is not what a policy must be. */
export type Violation = {
  /** JSON Pointer of the value, of the missing member, or of the unknown field. */
  readonly pointer: string
  readonly actual: Json | undefined
} & (
  | { readonly problem: 'missing' }
  | { readonly problem: 'type'; readonly type: FieldType }
  | { readonly problem: 'unknown'; readonly meant: Meant | undefined }
)

/** Every violation of a body, in the order of its text; computed once for each view. */
export const violations = cachedByLatest(({ sets }: ProxyView): readonly Violation[] =>
  withoutConsequences(
    sets.flatMap(({ pointer, rateLimit: { raw } }) =>
      raw === undefined ? [] : violationsIn(raw, `${pointer}/rate-limit`),
    ),
  ),
)

function violationsIn(value: Json, pointer: string): readonly Violation[] {
  const type = typeAt(toPattern(below(pointer)))
  if (type === undefined) return []
  if (!isOfType(value, type)) return [{ pointer, actual: value, problem: 'type', type }]
  if (Array.isArray(value)) return value.flatMap((item: Json, index) => violationsIn(item, `${pointer}/${index}`))
  return isObject(value) ? violationsOfObject(value, pointer) : []
}

function violationsOfObject(object: JsonObject, pointer: string): readonly Violation[] {
  const names = Object.keys(object)
  const own = ownFields(pointer)
  const pattern = toPattern(below(pointer))
  const missing: readonly Violation[] =
    pattern === POLICY && !names.includes('action')
      ? [{ pointer: `${pointer}/action`, actual: undefined, problem: 'missing' }]
      : []
  return [
    ...missing,
    ...names.flatMap((name): readonly Violation[] => {
      const at = `${pointer}/${escapeToken(name)}`
      const value = object[name]
      const isKnown = own.includes(name) || (name === 'throttle' && `${pattern}/throttle` === SHARED_THROTTLE)
      if (isKnown) return value === undefined ? [] : violationsIn(value, at)
      const meant = meantField(FIELDS, { parent: below(pointer), name, present: new Set(names) })
      return [{ pointer: at, actual: value, problem: 'unknown', meant }]
    }),
  ]
}

function isOfType(value: Json, type: FieldType): boolean {
  if (type === 'list') return Array.isArray(value)
  return type === 'object' ? isObject(value) : typeof value === type
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
