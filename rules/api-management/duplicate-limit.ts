import { keyOf, rateOf } from '../../src/api-management/applied.ts'
import { type MappedLimit, mapLimits } from '../../src/api-management/mapping.ts'
import type { LimitView, ProxyView } from '../../src/api-management/proxy.ts'
import { rule } from '../../src/api-management/rule.ts'
import { mayBeMisspelt } from '../../src/api-management/shape.ts'
import { rateOverflows } from '../../src/limits/rate.ts'
import { makesIdle } from '../../src/nginx/bucket.ts'
import { body, LIMIT } from './body.ts'

/** All limits of a proxy apply to every request: of two by the same value the looser one can be idle. */
export default rule({
  id: 'api-management/duplicate-limit',
  severity: 'warning',
  judges: 'Proxy',
  summary: 'No limit of a proxy is made idle by another one with the same rateLimitBy.',
  why: 'Every limit of a proxy applies to all its requests. Where two count by the same value, one whose rate and burst are both no smaller never rejects or delays a request that the other one passes, but takes the memory of its zone.',
  remedy: 'Remove the limit, or lower its rate or its burst.',
  source: 'nginx, limit_req (several directives on one level)',
  messages: {
    idle: {
      text: 'this limit never applies: {other} counts by {key} too, and its rate and burst are no higher',
      remedy: 'Remove this limit, or give it a lower rate or burst than {other}.',
    },
  },
  examples: () => ({
    bad: body({ limits: [LIMIT, '{ rate: 100r/s, rateLimitBy: client.ip, zoneSize: 10M }'] }),
    good: body({ limits: [LIMIT, '{ rate: 100r/s, rateLimitBy: uri, zoneSize: 10M }'] }),
  }),
  check(proxy, { report }) {
    for (const set of proxy.sets) {
      const limits = mapLimits(proxy, set).flatMap((mapped) =>
        isCertain(mapped.limit, proxy) ? comparable(mapped) : [],
      )
      for (const [index, limit] of limits.entries()) {
        const isIdleBeside = (other: Comparable, at: number) =>
          other.key === limit.key &&
          makesIdle(other, limit) &&
          // Of two that are alike the later one is reported.
          (at < index || (at > index && !makesIdle(limit, other)))
        const other = limits.find(isIdleBeside)
        if (other) report('idle', limit.pointer, { key: limit.by, other: nameOf(other, limit) })
      }
    }
  },
})

/** False where a field that is absent may be a misspelt one: then its default is not what applies. */
const isCertain = ({ rate, rateLimitBy, burst }: LimitView, proxy: ProxyView): boolean =>
  [rate, rateLimitBy, burst].every(({ raw, pointer }) => raw !== undefined || !mayBeMisspelt(proxy, pointer))

type Comparable = ReturnType<typeof comparable>[number]

/** A limit by numbers; nothing where nginx counts by others. */
function comparable({ limit, policy, key }: MappedLimit) {
  const rate = rateOf(limit)
  return rate && !rateOverflows(rate)
    ? [{ ...limit, rate: { raw: rate.digits, value: rate }, key, by: keyOf(limit), policy: policy.index }]
    : []
}

/** `limit 1`, `limit 1 of policy 2`: counted from 1. */
const nameOf = ({ index, policy }: Comparable, from: Comparable): string =>
  `limit ${index + 1}${policy === from.policy ? '' : ` of policy ${policy + 1}`}`
