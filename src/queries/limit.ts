/**
 * One limit as it applies to a request, as plain data. Its member names are a contract: the JSON of `effective` and of
 * `simulate` use them alike. Source: specification of RateLimitPolicy, "Errors" and "Events"; nginx, limit_req.
 */

import type { Effective, EffectiveLimit, EffectiveSettings } from '../gateway/effective/effective.ts'
import { keyTraits } from '../gateway/keys/keys.ts'
import { zoneNameOf } from '../gateway/keys/zone-name.ts'
import { usableSize } from '../gateway/keys/zones.ts'
import type { PlacedLimit } from '../gateway/objects/policy.ts'
import { isRouteKind, type LimitView, type PolicyView, type TargetKind } from '../gateway/objects/policy.ts'
import { namespaceName } from '../kubernetes/metadata.ts'
import type { ZoneNaming } from '../limits/zone.ts'
import { queueOf, waiting } from '../nginx/bucket.ts'
import { keysHeld } from '../nginx/memory.ts'
import { codeEffect, DELAY_LEVEL, grpcStatusOf, type LogLevel } from '../nginx/responses.ts'
import type { VariablePlatform } from '../nginx/variables.ts'

/** A policy by its name. The namespace is empty where it is unknown. */
export type PolicyName = { readonly namespace: string; readonly name: string }

/** A limit by its policy and its zero-based position in the policy's `spec.rateLimit.local.rules`. */
export type LimitRef = { readonly policy: PolicyName; readonly index: number }

/** The part of a burst that passes at once, and the part that waits. */
export type BurstQueue = {
  /** Requests of the burst that pass at once. */
  readonly undelayed: number
  /** Requests of the burst that are delayed. */
  readonly delayed: number
  /** How long the last of the delayed requests waits, in seconds, rounded down to the millisecond. */
  readonly maxDelaySeconds: number
}

/** The zone of a limit. */
type Zone = {
  /** The name of the zone in the nginx configuration. */
  readonly zone: string
  /** Shared memory in bytes; null where the size is not valid. */
  readonly zoneBytes: number | null
  /** Keys that the zone holds at most; null where the size or the key is not valid. */
  readonly zoneMaxKeys: number | null
}

/** What nginx sends to the client when it rejects a request. */
type Rejection = {
  /** The status code in the configuration (`limit_req_status`). */
  readonly rejectCode: number
  /** `sent`: the client gets this code. The other values say what nginx does instead. */
  readonly rejectResponse: 'sent' | 'closes-connection' | 'becomes-400' | 'no-reason'
  /** The status that a gRPC client sees; null for other routes, and where the connection is closed. */
  readonly grpcStatus: string | null
}

/** A limit that applies to a request. */
export type LimitDescription = LimitRef &
  Zone &
  Rejection & {
    /** Where the policy is attached. */
    readonly level: 'gateway' | 'route'
    /** The key as written. */
    readonly key: string
    /**
     * Which requests are limited: all, those that have a value for the key, or none because the key is always empty.
     * Null where nginx cannot evaluate the key.
     */
    readonly appliesTo: 'all' | 'some' | 'none' | null
    /** True where the key is the same for every request: all clients share one budget. */
    readonly constantKey: boolean
    /** The rate as written: `10r/s`. */
    readonly rate: string
    /** The rate as nginx counts it, in steps of a thousandth. */
    readonly requestsPerSecond: number
    /** Zero where it is not set. */
    readonly burst: number
    /** Null where it is not set. */
    readonly delay: number | null
    readonly noDelay: boolean
    readonly queue: BurstQueue
    /** The level at which nginx logs rejected requests (`limit_req_log_level`). */
    readonly logLevel: LogLevel
    /** The level at which nginx logs delayed requests; null where no request is ever delayed. */
    readonly delayLogLevel: LogLevel | null
    /** True where nginx only counts and logs: no request is delayed or rejected. */
    readonly dryRun: boolean
    /** The policy that sets each setting; null where the default applies. */
    readonly setBy: {
      readonly rejectCode: PolicyName | null
      readonly logLevel: PolicyName | null
      readonly dryRun: PolicyName | null
    }
    /** Other routes that the policy targets. Behind one Gateway they share the budget. `HTTPRoute/tea`. */
    readonly sharedWith: readonly string[]
  }

/** What a limit's description depends on, besides the limit. */
export type LimitContext = {
  readonly platform: VariablePlatform & { readonly pageSize: number }
  readonly zoneNaming: ZoneNaming
  /** The kind of the object that the query is about. */
  readonly kind: TargetKind
  /** The object that the query is about: `HTTPRoute/coffee`. */
  readonly self: string
}

/** The name of a policy. */
export const policyName = ({ identity: { namespace, name = '' } }: PolicyView): PolicyName => ({
  namespace: namespaceName(namespace),
  name,
})

/** Refers to a limit. */
export const limitRef = ({ policy, limit }: PlacedLimit): LimitRef => ({
  policy: policyName(policy),
  index: limit.index,
})

const APPLIES_TO = { never: 'all', sometimes: 'some', always: 'none' } as const

/** Describes a limit that applies. */
export function describeLimit(effective: EffectiveLimit, context: LimitContext): LimitDescription {
  const { policy, limit, level, settings } = effective
  const { burst = 0, delay, noDelay = false } = queueOf(limit) ?? {}
  const traits = keyTraits(limit, context.platform)
  const queue = burstQueue(limit)
  return {
    ...limitRef(effective),
    level,
    ...describeZone(policy, limit, context),
    key: limit.key.value?.written ?? '',
    appliesTo: traits ? APPLIES_TO[traits.emptiness] : null,
    constantKey: traits?.sharing === 'always',
    rate: typeof limit.rate.raw === 'string' ? limit.rate.raw : '',
    requestsPerSecond: (limit.rate.value?.thousandths ?? 0) / 1000,
    burst,
    delay: delay ?? null,
    noDelay,
    queue,
    ...describeRejection(settings, context),
    logLevel: settings.logLevel.value,
    delayLogLevel: queue.delayed > 0 ? DELAY_LEVEL[settings.logLevel.value] : null,
    dryRun: settings.dryRun.value,
    setBy: {
      rejectCode: setBy(settings.rejectCode),
      logLevel: setBy(settings.logLevel),
      dryRun: setBy(settings.dryRun),
    },
    sharedWith: otherRoutes(policy, context),
  }
}

function burstQueue(limit: LimitView): BurstQueue {
  const queue = queueOf(limit)
  const delayed = queue ? waiting(queue) : 0
  const perSecond = (limit.rate.value?.thousandths ?? 0) / 1000
  const seconds = perSecond > 0 ? delayed / perSecond : 0
  return { undelayed: (queue?.burst ?? 0) - delayed, delayed, maxDelaySeconds: Math.floor(seconds * 1000) / 1000 }
}

function describeRejection({ rejectCode }: EffectiveSettings, { platform, kind }: LimitContext): Rejection {
  const rejectResponse = codeEffect(rejectCode.value, platform.nginxVersion)?.kind ?? 'sent'
  const received = rejectResponse === 'becomes-400' ? 400 : rejectCode.value
  return {
    rejectCode: rejectCode.value,
    rejectResponse,
    grpcStatus: kind === 'GRPCRoute' && rejectResponse !== 'closes-connection' ? grpcStatusOf(received) : null,
  }
}

const setBy = ({ policy }: Effective<unknown>): PolicyName | null => (policy ? policyName(policy) : null)

/** Stands for the namespace in the name of a zone where it is not known. */
const UNKNOWN_PART = '?'

function describeZone(policy: PolicyView, limit: LimitView, { platform, zoneNaming }: LimitContext): Zone {
  const { namespace } = policyName(policy)
  const zone = zoneNameOf(policy, limit, zoneNaming, namespace === '' ? UNKNOWN_PART : namespace)
  const size = usableSize(limit, platform.pageSize)
  if (!size) return { zone, zoneBytes: null, zoneMaxKeys: null }
  const traits = keyTraits(limit, platform)
  const memory = { zoneBytes: size.bytes, pageSize: platform.pageSize, nameBytes: zone.length }
  const keys = traits && (traits.sharing === 'always' ? 1 : keysHeld({ ...memory, keyBytes: traits.leastBytes }))
  return { zone, zoneBytes: size.bytes, zoneMaxKeys: keys ?? null }
}

/** Gateways share nothing: each has its own nginx. */
const otherRoutes = (policy: PolicyView, { self }: LimitContext): readonly string[] =>
  policy.namedTargets
    .filter(({ kind }) => isRouteKind(kind))
    .map(({ kind, name }) => `${kind}/${name}`)
    .filter((other) => other !== self)
