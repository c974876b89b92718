/**
 * What nginx gets of a limit: its zone, the key that the zone counts by, and the parameters of `limit_req`. Source:
 * specification of the API management rate limit policy, "Resources and their fields"; nginx, limit_req_zone, limit_req.
 */
import { asString, isObject } from '../json/member.ts'
import { printRate } from '../limits/rate.ts'
import { zoneName } from '../limits/zone.ts'
import { queueOf } from '../nginx/bucket.ts'
import { limitParameters } from '../nginx/rejections.ts'
import { fingerprint } from '../text/fingerprint.ts'
import { keyOf, rateOf, sizeOf } from './applied.ts'
import { BODY } from './fields.ts'
import type { LimitKey, LimitView, PolicySet, PolicyView, ProxyView } from './proxy.ts'

/** A limit as nginx gets it. */
export type MappedLimit = {
  readonly policy: PolicyView
  readonly limit: LimitView
  /** What it counts by, as nginx reads it: `$binary_remote_addr`. */
  readonly key: string
  /** The zone, unique among all proxies. Its name carries the key: another key is another zone, which a reload takes. */
  readonly zone: string
  /** `10m` */
  readonly size: string
  /** `10r/s` */
  readonly rate: string
  /** What follows the zone in `limit_req`: `burst=20`, `nodelay`. */
  readonly parameters: readonly string[]
  /** True where its policy is to reject nothing. */
  readonly dryRun: boolean
}

/** The variable with the id of the authenticated client. */
export const CONSUMER = '$consumer_id'

const KEYS: Readonly<Record<LimitKey, string>> = {
  'client.ip': '$binary_remote_addr',
  uri: '$uri',
  consumer: CONSUMER,
}

/**
 * The limits of policies as nginx gets them, in their order, with the defaults for what is absent. Limits that the API
 * refuses are left out; nginx may reject others. The names of zones begin with `owner`, or else with what tells the proxy
 * from others in files.
 */
export const mapLimits = (
  proxy: ProxyView,
  { policies }: PolicySet,
  owner: string = nameInZones(proxy),
): readonly MappedLimit[] =>
  policies.flatMap((policy) => policy.limits.flatMap((limit) => mapLimit(owner, policy, limit) ?? []))

/** What a location does with limits. It has one `limit_req_dry_run` for all of them. */
type Applied<Limit> = { readonly limits: readonly Limit[]; readonly dryRun: boolean }

/**
 * The limits of a location: all of them in dry run, or else those that are not. One in dry run beside others is left out:
 * nginx would reject requests by it, or none by the others.
 */
export function appliedTogether<Limit extends { readonly dryRun: boolean }>(all: readonly Limit[]): Applied<Limit> {
  const inForce = all.filter(({ dryRun }) => !dryRun)
  return inForce.length === 0 ? { limits: all, dryRun: all.length > 0 } : { limits: inForce, dryRun: false }
}

function mapLimit(owner: string, policy: PolicyView, limit: LimitView): MappedLimit | undefined {
  const [by, rate, size, queue] = [keyOf(limit), rateOf(limit), sizeOf(limit), queueOf(limit)]
  if (!isObject(limit.raw) || by === undefined || !rate || !size || !queue) return undefined
  const key = KEYS[by]
  return {
    policy,
    limit,
    key,
    zone: zoneName(owner, `policy${policy.index}`, limit.index, key),
    size: `${size.count}${size.unit}`,
    rate: printRate(rate),
    parameters: limitParameters(queue),
    dryRun: policy.dryRun.value === true,
  }
}

/** The name of a proxy as a part of the names of zones: legible, and different for all proxies. */
function nameInZones({ object, identity: { name = '' } }: ProxyView): string {
  const { version = null, proxyConfig } = object
  const hostname = isObject(proxyConfig) ? asString(proxyConfig.hostname ?? null) : undefined
  return `${legibleInZone(name)}_${fingerprint(JSON.stringify([hostname ?? null, name, asString(version) ?? BODY.version.default]))}`
}

const LONGEST_NAME = 40

/** A name of any characters as the beginning of the names of zones; not unique. */
export const legibleInZone = (name: string): string => name.replace(/[^A-Za-z0-9-]/g, '_').slice(0, LONGEST_NAME)
