/** The form of a rate limit policy: read from a policy, and made into one again. What the form does not show stays as it is. */
import { isObject, type Json, type JsonObject } from '../../../json/member.ts'
import { type LimitUnit, toRate, toZoneSize, type ZoneUnit } from './units.ts'

/** What a limit can count by. */
export const KEYS = ['client.ip', 'consumer', 'uri'] as const

/** What happens to requests above the limit, with the fields that it needs. */
export const SHAPINGS = {
  reject: { label: 'Reject excess requests', needs: [] },
  buffer: { label: 'Buffer excess requests', needs: ['burst'] },
  noDelay: { label: 'Buffer excess requests no delay', needs: ['burst'] },
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

/** The form of one policy. An empty code is left out of the policy. */
export type RateLimitForm = {
  readonly stipulations: readonly Stipulation[]
  readonly returnCode: string
  readonly grpcReturnCode: string
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
  stipulations: [newStipulation(1)],
  returnCode: '429',
  grpcReturnCode: '',
  correlationHeader,
})

/** The form of a policy. */
export function formOf(policy: JsonObject, correlationHeader: string): RateLimitForm {
  const action = isObject(policy.action) ? policy.action : {}
  const limits = Array.isArray(action.limits) ? action.limits.filter(isObject) : []
  // It applies to every limit that has none, and is written there.
  const shared = isObject(action.throttle) ? { throttle: action.throttle } : {}
  return {
    stipulations: limits.map((limit, index) => stipulationOf({ ...shared, ...limit }, index + 1)),
    returnCode: textOf(action.returnCode),
    grpcReturnCode: textOf(action.grpcStatusCode),
    correlationHeader,
  }
}

function stipulationOf(limit: JsonObject, id: number): Stipulation {
  const throttle = isObject(limit.throttle) ? limit.throttle : {}
  return {
    id,
    key: textOf(limit.rateLimitBy) || 'client.ip',
    limit: /^(\d+)r\/s$/.exec(textOf(limit.rate))?.[1] ?? '10',
    limitUnit: 'per second',
    zoneSize: /^(\d+)M$/.exec(textOf(limit.zoneSize))?.[1] ?? '10',
    zoneUnit: 'M',
    shaping: shapingOf(throttle),
    burst: textOf(throttle.burst),
    delay: textOf(throttle.delay),
    origin: limit,
  }
}

const textOf = (value: Json | undefined): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

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
  const codes = [
    ['returnCode', form.returnCode],
    ['grpcStatusCode', form.grpcReturnCode],
  ] as const
  const next: Record<string, Json | undefined> = { ...action, limits }
  for (const [name, text] of codes) {
    const code = numberIn(text, name, problems, 'Write a code from 400 to 599, or nothing.')
    if (code !== undefined) next[name] = code
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
    rate: rate.value ?? origin.rate ?? '10r/s',
    rateLimitBy: key,
    zoneSize: size.value ?? origin.zoneSize ?? '10M',
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
    const count = numberIn(texts[name], `${at}/${name}`, problems, 'Write a whole number of requests, 1 or more.')
    if (count !== undefined) next[name] = count
    else if (texts[name] === '') problems[`${at}/${name}`] = MISSING[name]
  }
  return next
}

const MISSING = {
  burst: 'Write how many requests above the limit may wait, 1 or more.',
  delay: 'Write after how many of them the others wait: 1 or more, and less than the burst.',
} as const

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
  const { stipulations, returnCode } = formOf(policy, '')
  const limits = stipulations.map(({ key, limit, shaping, burst, delay }) => {
    const numbers = { burst: `burst ${burst}`, delay: `delay ${delay}` }
    const words = [
      ...SHAPINGS[shaping].needs.map((name) => numbers[name]),
      ...(shaping === 'noDelay' ? ['no delay'] : []),
    ]
    return `${limit} per second by ${key}${words.length > 0 ? ` (${words.join(', ')})` : ''}`
  })
  return `${limits.join('; ')}; else ${returnCode || 429}`
}
