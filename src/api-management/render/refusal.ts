/**
 * Headers that tell a rejected client when to come back: `Retry-After`, and those of the IETF draft
 * draft-ietf-httpapi-ratelimit-headers. nginx says that a limit has rejected a request, and not which one: what depends on that
 * is only sent where there is one. Source: RFC 9110, 10.2.3; the draft, "RateLimit-Policy Field", "RateLimit Field"; nginx,
 * add_header, which adds no empty one.
 */
import { directive, type Node, quoted } from '../../nginx/nodes.ts'
import { keyOf, rateOf } from '../applied.ts'
import type { MappedLimit } from '../mapping.ts'
import { clientVariable, map } from './variables.ts'

/** What the configuration has of them: variables, and the headers in locations that answer rejections. */
type RefusalNodes = { readonly http: readonly Node[]; readonly location: readonly Node[] }

const NONE: RefusalNodes = { http: [], location: [] }

/** Rates are per second, and a bucket that has rejected a request has room for the next one within a second. */
const SECONDS = 1

type Around = { readonly dryRun: boolean; readonly hasKeys: boolean }

/** `limits` are those that apply, of which some policies may ask for the headers. */
export function refusalNodes(name: string, limits: readonly MappedLimit[], { dryRun, hasKeys }: Around): RefusalNodes {
  const asking = limits.filter(({ policy }) => policy.rateLimitHeaders.value === true)
  if (asking.length === 0 || dryRun) return NONE
  const refused = `$sluice_${name}_refused`
  // The same code may be that of a backend that is down; and who has no key is judged by another limit.
  const source = hasKeys ? quoted(`$limit_req_status ${clientVariable(name)}`) : '$limit_req_status'
  const rejected = hasKeys ? quoted('~^REJECTED .') : 'REJECTED'
  const items = named(asking).map(({ label, quota }) => `"${label}";q=${quota};w=${SECONDS}`)
  const [only, ...others] = limits.length === asking.length ? named(asking) : []
  const headers: readonly (readonly [string, string, string])[] = [
    ['Retry-After', refused, String(SECONDS)],
    ['RateLimit-Policy', `${refused}_policy`, items.join(', ')],
    ...(only && others.length === 0
      ? [['RateLimit', `${refused}_limit`, `"${only.label}";r=0;t=${SECONDS}`] as const]
      : []),
  ]
  return {
    http: headers.map(([, variable, value]) => map(source, variable, ['default ""', `${rejected} ${quoted(value)}`])),
    location: headers.map(([header, variable]) => directive(`add_header ${header} ${variable} always`)),
  }
}

/** Limits by what they count by, with a number where several count by the same. Requests per second are whole. */
function named(limits: readonly MappedLimit[]) {
  const seen = new Map<string, number>()
  return limits.map(({ limit }) => {
    const by = keyOf(limit) ?? ''
    const number = (seen.get(by) ?? 0) + 1
    seen.set(by, number)
    return { label: number === 1 ? by : `${by}-${number}`, quota: Math.floor((rateOf(limit)?.thousandths ?? 0) / 1000) }
  })
}
