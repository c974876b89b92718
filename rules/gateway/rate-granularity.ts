import { rule } from '../../src/engine/rule.ts'
import { queueOf } from '../../src/gateway/effective/bucket.ts'
import { mayBeMisspelt } from '../../src/gateway/schema/violations.ts'
import { printRate, rateOverflows } from '../../src/limits/rate.ts'
import { manifest } from './manifest.ts'

/** nginx's clock knows whole milliseconds: without a burst, one request passes in each, whatever the rate. */
export default rule({
  id: 'gateway/rate-granularity',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  summary: 'A rate above 1000r/s needs a burst.',
  why: 'nginx measures time in whole milliseconds. Without a burst it rejects the second request within the same millisecond, so traffic that keeps well below such a rate is rejected all the same.',
  remedy: 'Add "burst: {burst}" or more, with "noDelay: true" so that nobody waits.',
  source: 'nginx, limit_req_zone (parameter rate) and limit_req (parameter burst)',
  messages: {
    coarse:
      '{rate} without a burst: of the requests that arrive within one millisecond nginx rejects all but the first',
  },
  examples: {
    bad: manifest({ limits: ['{ key: $binary_remote_addr, rate: 5000r/s, zoneSize: 10m }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 5000r/s, burst: 5, noDelay: true, zoneSize: 10m }'] }),
  },
  check(policy, { report }) {
    for (const limit of policy.limits) {
      const rate = limit.rate.value
      if (!rate || rate.thousandths <= 1_000_000 || rateOverflows(rate)) continue
      if (queueOf(limit)?.burst !== 0 || mayBeMisspelt(policy, limit.burst.pointer)) continue
      report('coarse', limit.rate, { rate: printRate(rate), burst: Math.ceil(rate.thousandths / 1_000_000) })
    }
  },
})
