/**
 * The form of a rate limit policy: read from a policy, and made into one again. What the form does not show stays as it is.
 * Which fields there are, with type, bounds and default, says the table; each needs words here.
 */
import { ACTION, type Field, type Fields, LIMIT, THROTTLE, type ValueField } from '../../../api-management/fields.ts'
import { isObject, type Json, type JsonObject } from '../../../json/member.ts'
import { type LimitUnit, toRate, toZoneSize, type ZoneUnit } from './units.ts'

/** The names of the fields that the page shows: all that are no object or list, but those with a reason. */
type Shown<All extends Fields> = {
  [Name in keyof All]: All[Name] extends { readonly fields: Fields } | { readonly items: Field }
    ? never
    : All[Name] extends { readonly without: { readonly page: string } }
      ? never
      : Name
}[keyof All]

/** What a person reads of a field. */
export type Words = { readonly label: string; readonly hint?: string }
type WordsFor<All extends Fields> = Readonly<Record<Shown<All>, Words>>

/** The words for the fields of a policy. */
export const POLICY_WORDS: WordsFor<typeof ACTION> = {
  returnCode: { label: 'Return code' },
  grpcStatusCode: {
    label: 'gRPC return code',
    hint: `A status of HTTP: ${ACTION.grpcStatusCode.minimum} to ${ACTION.grpcStatusCode.maximum}.`,
  },
  dryRun: { label: 'Dry run: only count what would be rejected or delayed' },
  rateLimitHeaders: { label: 'Tell rejected clients when to retry, in headers' },
}

/** The words for the fields of a limit. */
export const LIMIT_WORDS: WordsFor<typeof LIMIT> = {
  rate: { label: 'Limit' },
  rateLimitBy: { label: 'Key' },
  zoneSize: { label: 'Zone size' },
}

/** The words for what happens to requests above the limit. */
export const THROTTLE_WORDS: WordsFor<typeof THROTTLE> = {
  burst: { label: 'Burst', hint: 'Requests above the limit that are not rejected.' },
  delay: { label: 'Delay', hint: 'So many of them pass at once; the others wait.' },
  noDelay: { label: 'Buffer excess requests no delay' },
}

type PolicyField = Shown<typeof ACTION>
const isPolicyField = (name: string): name is PolicyField => Object.hasOwn(POLICY_WORDS, name)

/** The fields of a policy that the form shows, in the order of the table. */
export const POLICY_FIELDS = Object.keys(ACTION).filter(isPolicyField)

/** The values among which one chooses, in their order; undefined for a field in which one types. */
export const choicesOf = (field: ValueField): readonly string[] | undefined => {
  if (field.type === 'boolean') return ['true', 'false']
  return field.type === 'string' && field.enum ? [...field.enum].sort() : undefined
}

/** What happens to requests above the limit, with the fields that it needs. */
export const SHAPINGS = {
  reject: { label: 'Reject excess requests', needs: [] },
  buffer: { label: 'Buffer excess requests', needs: ['burst'] },
  noDelay: { label: THROTTLE_WORDS.noDelay.label, needs: ['burst'] },
  throttle: { label: 'Throttle excess requests', needs: ['burst', 'delay'] },
} as const
export type Shaping = keyof typeof SHAPINGS

/** One limit in the form: texts as they are typed. */
export type Stipulation = {
  /** Stays the same while the form is open. */
  readonly id: number
  readonly key: string
  readonly limit: string
  readonly limitUnit: LimitUnit
  readonly zoneSize: string
  readonly zoneUnit: ZoneUnit
  readonly shaping: Shaping
  readonly burst: string
  readonly delay: string
  /** What it was read from. */
  readonly origin: JsonObject
}

/** The form of one policy. An empty field is left out of the policy. */
export type RateLimitForm = {
  readonly stipulations: readonly Stipulation[]
  /** By the names of {@link POLICY_FIELDS}. */
  readonly fields: Readonly<Record<string, string>>
  /** Of all policies of the proxy; empty: the default. */
  readonly correlationHeader: string
}

/**
 * What is wrong, by the place of the field: a JSON Pointer without its first slash from `action` of the policy on, such as
 * `limits/0/rate`; `correlationHeader` is in a policy of its own.
 */
export type Problems = Readonly<Record<string, string>>

/** A new stipulation. */
export const newStipulation = (id: number): Stipulation => ({ ...stipulationOf({}, id), origin: {} })

/** The form of a new policy. */
export const newForm = (correlationHeader: string): RateLimitForm => ({
  fields: Object.fromEntries(POLICY_FIELDS.map((name) => [name, textOf(storedDefault(ACTION[name]))])),
  stipulations: [newStipulation(1)],
  correlationHeader,
})

const storedDefault = ({ isStored, default: preset }: ValueField) => (isStored ? preset : undefined)

/** The form of a policy. */
export function formOf(policy: JsonObject, correlationHeader: string): RateLimitForm {
  const action = isObject(policy.action) ? policy.action : {}
  const limits = Array.isArray(action.limits) ? action.limits.filter(isObject) : []
  // It applies to every limit that has none, and is written there.
  const shared = isObject(action.throttle) ? { throttle: action.throttle } : {}
  return {
    fields: Object.fromEntries(POLICY_FIELDS.map((name) => [name, textOf(action[name])])),
    stipulations: limits.map((limit, index) => stipulationOf({ ...shared, ...limit }, index + 1)),
    correlationHeader,
  }
}

function stipulationOf(limit: JsonObject, id: number): Stipulation {
  const throttle = isObject(limit.throttle) ? limit.throttle : {}
  return {
    id,
    key: textOf(limit.rateLimitBy) || LIMIT.rateLimitBy.default,
    limit: /^(\d+)r\/s$/.exec(textOf(limit.rate))?.[1] ?? countOf(LIMIT.rate.default),
    limitUnit: 'per second',
    zoneSize: /^(\d+)M$/.exec(textOf(limit.zoneSize))?.[1] ?? countOf(LIMIT.zoneSize.default),
    zoneUnit: 'M',
    shaping: shapingOf(throttle),
    burst: textOf(throttle.burst),
    delay: textOf(throttle.delay),
    origin: limit,
  }
}

const textOf = (value: Json | undefined): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''

const countOf = (written: string): string => String(Number.parseInt(written, 10))

function shapingOf({ burst, delay, noDelay }: JsonObject): Shaping {
  if (noDelay === true) return 'noDelay'
  if (delay !== undefined) return 'throttle'
  return burst === undefined ? 'reject' : 'buffer'
}

/**
 * The policy that a form makes of another one, and what is wrong with its fields. A field with a problem has the value of
 * before, so that the rules can judge the others.
 */
export function policyOf(form: RateLimitForm, policy: JsonObject) {
  const problems: Record<string, string> = {}
  const { throttle: _, ...action } = isObject(policy.action) ? policy.action : {}
  const limits = form.stipulations.map((stipulation, index) => limitOf(stipulation, `limits/${index}`, problems))
  if (limits.length === 0) problems.limits = 'Add a stipulation: a policy without one limits nothing.'
  const next: Record<string, Json | undefined> = { ...action, limits }
  for (const name of POLICY_FIELDS) {
    const text = form.fields[name] ?? ''
    const value = valueIn(text, ACTION[name], name, problems)
    if (value !== undefined) next[name] = value
    else if (text === '') delete next[name]
  }
  const result: JsonObject = { ...policy, action: next }
  return { policy: result, problems: problems as Problems }
}

function limitOf(stipulation: Stipulation, at: string, problems: Record<string, string>): JsonObject {
  const { origin, key, limit, limitUnit, zoneSize, zoneUnit } = stipulation
  const rate = toRate(limit, limitUnit)
  const size = toZoneSize(zoneSize, zoneUnit)
  if (rate.problem !== undefined) problems[`${at}/rate`] = rate.problem
  if (size.problem !== undefined) problems[`${at}/zoneSize`] = size.problem
  const { throttle: _, ...others } = origin
  const throttle = throttleOf(stipulation, `${at}/throttle`, problems)
  return {
    ...others,
    rate: rate.value ?? origin.rate ?? LIMIT.rate.default,
    rateLimitBy: key,
    zoneSize: size.value ?? origin.zoneSize ?? LIMIT.zoneSize.default,
    ...(throttle ? { throttle } : {}),
  }
}

function throttleOf(
  { origin, shaping, ...texts }: Stipulation,
  at: string,
  problems: Record<string, string>,
): JsonObject | undefined {
  const before = isObject(origin.throttle) ? origin.throttle : undefined
  const isSame = before !== undefined && shapingOf(before) === shaping
  if (shaping === 'reject') return isSame ? before : undefined
  const next: Record<string, Json | undefined> = isSame ? { ...before } : shaping === 'noDelay' ? { noDelay: true } : {}
  for (const name of SHAPINGS[shaping].needs) {
    const count = numberIn(
      texts[name],
      `${at}/${name}`,
      problems,
      `Write a whole number of requests, ${THROTTLE[name].minimum} or more.`,
    )
    if (count !== undefined) next[name] = count
    else if (texts[name] === '') problems[`${at}/${name}`] = MISSING[name]
  }
  return next
}

const MISSING = {
  burst: 'Write how many requests above the limit may wait, 1 or more.',
  delay: 'Write after how many of them the others wait: 1 or more, and less than the burst.',
} as const

/** The value of a field of the policy; undefined for none. */
function valueIn(text: string, field: ValueField, at: string, problems: Record<string, string>): Json | undefined {
  if (text === '') return undefined
  if (field.type === 'boolean') return text === 'true'
  if (field.type === 'string') return text
  return numberIn(text, at, problems, `Write a code from ${field.minimum} to ${field.maximum}, or nothing.`)
}

function numberIn(text: string, at: string, problems: Record<string, string>, problem: string): number | undefined {
  if (text === '') return undefined
  const isWhole = /^[0-9]+$/.test(text)
  // The rules say what is too large, as long as the number is the one that was typed.
  if (isWhole && Number.isSafeInteger(Number(text))) return Number(text)
  problems[at] = isWhole ? `This number is too large. ${problem}` : problem
  return undefined
}

/** A policy in a few words, for a list. */
export function describePolicy(policy: JsonObject): string {
  const { stipulations, fields } = formOf(policy, '')
  const limits = stipulations.map(({ key, limit, shaping, burst, delay }) => {
    const numbers = { burst: `burst ${burst}`, delay: `delay ${delay}` }
    const words = [
      ...SHAPINGS[shaping].needs.map((name) => numbers[name]),
      ...(shaping === 'noDelay' ? ['no delay'] : []),
    ]
    return `${limit} per second by ${key}${words.length > 0 ? ` (${words.join(', ')})` : ''}`
  })
  const otherwise = fields.dryRun === 'true' ? 'in dry run' : `else ${fields.returnCode || ACTION.returnCode.default}`
  return `${limits.join('; ')}; ${otherwise}`
}
