/** One limit as a request meets it, as plain data. Source: specification of RateLimitPolicy, "Errors" and "Events". */

import { queueOf, waiting } from '../gateway/effective/bucket.ts'
import type { Effective, EffectiveLimit, EffectiveSettings } from '../gateway/effective/effective.ts'
import type { PlacedLimit } from '../gateway/effective/level.ts'
import { keyTraits } from '../gateway/keys/keys.ts'
import { usableSize } from '../gateway/keys/zones.ts'
import { isRouteKind, type LimitView, type PolicyView, type TargetKind } from '../gateway/objects/policy.ts'
import { zoneName } from '../limits/zone.ts'
import { keysHeld } from '../nginx/memory.ts'
import { codeEffect, DELAY_LEVEL, grpcStatusOf, type LogLevel } from '../nginx/responses.ts'
import type { VariablePlatform } from '../nginx/variables.ts'

/** A policy by its name; an empty namespace is one that nobody knows. */
export type PolicyName = { readonly namespace: string; readonly name: string }

/** A limit by its place: the zero-based position in the policy's `rules`. */
export type LimitPlace = { readonly policy: PolicyName; readonly rule: number }

/** What the client of a refused request sees. */
export type RefusalAnswer = {
  /** False in a dry run: nobody is refused and nobody waits. */
  readonly enforced: boolean
  readonly code: number
  /** `sent` as it is; else what nginx makes of the code. */
  readonly effect: 'sent' | 'closes-connection' | 'becomes-400' | 'no-reason'
  /** What a gRPC client takes it for; null for other routes, and where it gets no answer. */
  readonly grpc: string | null
  /** The policies that set the code and the dry run; null where the default holds. */
  readonly codeFrom: PolicyName | null
  readonly dryRunFrom: PolicyName | null
}

/** What nginx writes to its error log; null where a request is never delayed. */
export type RecordsAnswer = {
  readonly refused: LogLevel
  readonly delayed: LogLevel | null
  /** The policy that sets the level; null where the default holds. */
  readonly from: PolicyName | null
}

/** The requests above the rate. */
export type QueueAnswer = {
  /** Requests that pass at once. */
  readonly atOnce: number
  /** Requests that wait. */
  readonly waiting: number
  /** Seconds that the last of them waits. */
  readonly longestWait: number
}

export type ZoneAnswer = {
  readonly name: string
  readonly bytes: number
  /** Keys that it holds at most; null where the key cannot be read. */
  readonly keys: number | null
}

/** A limit that a request meets. */
export type LimitAnswer = LimitPlace & {
  readonly level: 'gateway' | 'route'
  /** As written. */
  readonly key: string
  /** Which requests have the key: all, those that carry a value for it, or none. Null where nginx cannot read it. */
  readonly counts: 'all' | 'some' | 'none' | null
  /** True where all clients share one bucket. */
  readonly shared: boolean
  /** As written: `10r/s`. */
  readonly rate: string
  readonly requestsPerSecond: number
  readonly burst: number
  /** Null where it is not written. */
  readonly delay: number | null
  readonly noDelay: boolean
  readonly queue: QueueAnswer
  readonly refusal: RefusalAnswer
  readonly records: RecordsAnswer
  /** Null where the size cannot be read. */
  readonly zone: ZoneAnswer | null
  /** Other routes that the policy targets: behind one Gateway they draw on the same budget. `HTTPRoute/tea`. */
  readonly sharedWith: readonly string[]
}

/** What a limit is looked at with. */
export type LimitGlasses = {
  readonly platform: VariablePlatform & { readonly pageSize: number }
  /** The kind of the object that is asked about. */
  readonly kind: TargetKind
  /** The object itself: `HTTPRoute/coffee`. */
  readonly self: string
}

export const policyName = ({ identity: { namespace = '', name = '' } }: PolicyView): PolicyName => ({ namespace, name })

export const limitPlace = ({ policy, limit }: PlacedLimit): LimitPlace => ({
  policy: policyName(policy),
  rule: limit.index,
})

const COUNTS = { never: 'all', sometimes: 'some', always: 'none' } as const

/** Tells of a limit. */
export function answerLimit(effective: EffectiveLimit, glasses: LimitGlasses): LimitAnswer {
  const { policy, limit, level, settings } = effective
  const { burst = 0, delay, noDelay = false } = queueOf(limit) ?? {}
  const traits = keyTraits(limit, glasses.platform)
  const queue = answerQueue(limit)
  return {
    ...limitPlace(effective),
    level,
    key: limit.key.value?.written ?? '',
    counts: traits ? COUNTS[traits.emptiness] : null,
    shared: traits?.isConstant ?? false,
    rate: typeof limit.rate.raw === 'string' ? limit.rate.raw : '',
    requestsPerSecond: (limit.rate.value?.thousandths ?? 0) / 1000,
    burst,
    delay: delay ?? null,
    noDelay,
    queue,
    refusal: answerRefusal(settings, glasses),
    records: answerRecords(settings, queue),
    zone: answerZone(policy, limit, glasses),
    sharedWith: othersOf(policy, glasses),
  }
}

function answerQueue(limit: LimitView): QueueAnswer {
  const queue = queueOf(limit)
  const waits = queue ? waiting(queue) : 0
  const perSecond = (limit.rate.value?.thousandths ?? 0) / 1000
  const seconds = perSecond > 0 ? waits / perSecond : 0
  return { atOnce: (queue?.burst ?? 0) - waits, waiting: waits, longestWait: Math.floor(seconds * 1000) / 1000 }
}

function answerRefusal({ rejectCode, dryRun }: EffectiveSettings, { platform, kind }: LimitGlasses): RefusalAnswer {
  const effect = codeEffect(rejectCode.value, platform.nginxVersion)?.kind ?? 'sent'
  const seen = effect === 'becomes-400' ? 400 : rejectCode.value
  return {
    enforced: !dryRun.value,
    code: rejectCode.value,
    effect,
    grpc: kind === 'GRPCRoute' && effect !== 'closes-connection' ? grpcStatusOf(seen) : null,
    codeFrom: setBy(rejectCode),
    dryRunFrom: setBy(dryRun),
  }
}

const answerRecords = ({ logLevel }: EffectiveSettings, { waiting }: QueueAnswer): RecordsAnswer => ({
  refused: logLevel.value,
  delayed: waiting > 0 ? DELAY_LEVEL[logLevel.value] : null,
  from: setBy(logLevel),
})

const setBy = ({ policy }: Effective<unknown>): PolicyName | null => (policy ? policyName(policy) : null)

/** The zone of a limit; null where its size cannot be read or nginx refuses it. */
export function answerZone(
  { identity: { namespace = '', name = '' } }: PolicyView,
  limit: LimitView,
  { platform }: Pick<LimitGlasses, 'platform'>,
): ZoneAnswer | null {
  const { pageSize } = platform
  const size = usableSize(limit, pageSize)
  if (!size) return null
  const zone = zoneName(namespace, name, limit.index)
  const traits = keyTraits(limit, platform)
  const memory = { zoneBytes: size.bytes, pageSize, nameBytes: zone.length }
  const keys = traits && (traits.isConstant ? 1 : keysHeld({ ...memory, keyBytes: traits.leastBytes }))
  return { name: zone, bytes: size.bytes, keys: keys ?? null }
}

/** Gateways share nothing: each has an nginx of its own. */
const othersOf = (policy: PolicyView, { self }: LimitGlasses): readonly string[] =>
  policy.namedTargets
    .filter(({ kind }) => isRouteKind(kind))
    .map(({ kind, name }) => `${kind}/${name}`)
    .filter((other) => other !== self)
