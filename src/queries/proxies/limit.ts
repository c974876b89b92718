/**
 * One limit of an API proxy as it applies, as plain data, with the place of every value. Source: specification of the API
 * management rate limit policy, "Resources and their fields"; nginx, limit_req.
 */
import { codeOf, grpcCodeOf, keyOf, rateOf, sizeOf } from '../../api-management/applied.ts'
import { type MappedLimit, mapLimits } from '../../api-management/mapping.ts'
import { DEFAULTS, type LimitKey } from '../../api-management/proxy.ts'
import { zoneOwner } from '../../api-management/render/names.ts'
import type { Member } from '../../json/member.ts'
import { queueOf, waiting } from '../../nginx/bucket.ts'
import { keysHeld } from '../../nginx/memory.ts'
import { codeEffect, grpcStatusOf } from '../../nginx/responses.ts'
import type { Settings } from '../../settings/settings.ts'
import type { BurstQueue } from '../limit.ts'
import type { FoundProxy, Place } from './find.ts'

/** Where each value is written; null where the default applies, also in place of a code that is not valid. */
type WrittenValues = Readonly<
  Record<
    'rate' | 'rateLimitBy' | 'zoneSize' | 'burst' | 'delay' | 'noDelay' | 'returnCode' | 'grpcStatusCode',
    Place | null
  >
>

/** A limit of a proxy. */
export type ProxyLimit = {
  /** The zero-based position of its policy in `rate-limit`. */
  readonly policy: number
  /** The zero-based position in `action.limits`. */
  readonly index: number
  /** JSON Pointer of the limit in the body. */
  readonly pointer: string
  readonly place: Place
  readonly rateLimitBy: LimitKey
  /** What nginx counts by: `$binary_remote_addr`. */
  readonly key: string
  /** `10r/s` */
  readonly rate: string
  /** As nginx counts it, in steps of a thousandth. */
  readonly requestsPerSecond: number
  /** Zero where it is not set. */
  readonly burst: number
  /** Null where it is not set. */
  readonly delay: number | null
  readonly noDelay: boolean
  readonly queue: BurstQueue
  /** The name of the zone in the configuration that `sluice render` writes. */
  readonly zone: string
  /** Shared memory in bytes. */
  readonly zoneBytes: number
  /** Keys that the zone holds at most. */
  readonly zoneMaxKeys: number
  readonly returnCode: number
  /** True where the policy is in dry run: it rejects nothing. */
  readonly dryRun: boolean
  /** `sent`: the client gets this code. The other values say what nginx does instead. */
  readonly rejectResponse: 'sent' | 'closes-connection' | 'becomes-400' | 'no-reason'
  /** The HTTP status of a rejection of gRPC. */
  readonly grpcStatusCode: number
  /** What a gRPC client sees for it; null where the connection is closed. */
  readonly grpcStatus: string | null
  readonly writtenAt: WrittenValues
}

/** What nginx gets of a proxy's limits. Zones have the names of the rendered configuration. */
const mappedLimits = ({ view, set, name, id }: FoundProxy): readonly MappedLimit[] =>
  set ? mapLimits(view, set, zoneOwner(name ?? '', id)) : []

/** The limits of a proxy that apply; those that the API refuses are left out. */
export const describeProxyLimits = (proxy: FoundProxy, settings: Settings): readonly ProxyLimit[] =>
  mappedLimits(proxy).map((mapped) => describeMapped(mapped, proxy, settings))

function describeMapped(mapped: MappedLimit, proxy: FoundProxy, { platform }: Settings): ProxyLimit {
  const { policy, limit, key, zone, rate } = mapped
  const queue = queueOf(limit) ?? { burst: 0, delay: undefined, noDelay: false }
  const perSecond = (rateOf(limit)?.thousandths ?? 0) / 1000
  const delayed = waiting(queue)
  const seconds = perSecond > 0 ? delayed / perSecond : 0
  const rateLimitBy = keyOf(limit) ?? DEFAULTS.rateLimitBy
  const zoneBytes = sizeOf(limit)?.bytes ?? 0
  const returnCode = codeOf(policy) ?? DEFAULTS.returnCode
  const placeOf = ({ raw, pointer }: Member<unknown>): Place | null =>
    raw === undefined ? null : proxy.placeOf(pointer)
  return {
    policy: policy.index,
    index: limit.index,
    pointer: limit.pointer,
    place: proxy.placeOf(limit.pointer),
    rateLimitBy,
    key,
    rate,
    requestsPerSecond: perSecond,
    burst: queue.burst,
    delay: queue.delay ?? null,
    noDelay: queue.noDelay,
    queue: { undelayed: queue.burst - delayed, delayed, maxDelaySeconds: Math.floor(seconds * 1000) / 1000 },
    zone,
    zoneBytes,
    zoneMaxKeys: keysHeld({
      zoneBytes,
      keyBytes: LEAST_KEY_BYTES[rateLimitBy],
      pageSize: platform.pageSize,
      nameBytes: zone.length,
    }),
    returnCode,
    dryRun: mapped.dryRun,
    ...describeResponses(returnCode, grpcCodeOf(policy) ?? DEFAULTS.grpcStatusCode, platform.nginxVersion),
    writtenAt: {
      rate: placeOf(limit.rate),
      rateLimitBy: placeOf(limit.rateLimitBy),
      zoneSize: placeOf(limit.zoneSize),
      burst: placeOf(limit.burst),
      delay: placeOf(limit.delay),
      noDelay: placeOf(limit.noDelay),
      returnCode: codeOf(policy) === undefined ? null : placeOf(policy.returnCode),
      grpcStatusCode: grpcCodeOf(policy) === undefined ? null : placeOf(policy.grpcStatusCode),
    },
  }
}

/** Bytes of the shortest key: an address of IPv4, a path of one character, a consumer of one character. */
const LEAST_KEY_BYTES: Readonly<Record<LimitKey, number>> = { 'client.ip': 4, uri: 1, consumer: 1 }

function describeResponses(
  returnCode: number,
  grpcStatusCode: number,
  nginxVersion: string,
): Pick<ProxyLimit, 'rejectResponse' | 'grpcStatusCode' | 'grpcStatus'> {
  const grpcEffect = codeEffect(grpcStatusCode, nginxVersion)?.kind
  const received = grpcEffect === 'becomes-400' ? 400 : grpcStatusCode
  return {
    rejectResponse: codeEffect(returnCode, nginxVersion)?.kind ?? 'sent',
    grpcStatusCode,
    grpcStatus: grpcEffect === 'closes-connection' ? null : grpcStatusOf(received),
  }
}
