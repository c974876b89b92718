import { isRateAbove } from '../../src/gateway/cel/policy.ts'
import { rule } from '../../src/gateway/rule.ts'
import { mayBeMisspelt } from '../../src/gateway/schema/violations.ts'
import { printRate, rateOverflows } from '../../src/limits/rate.ts'
import { queueOf } from '../../src/nginx/bucket.ts'
import { LARGEST_COUNT } from '../../src/nginx/rejections.ts'
import { manifest } from './manifest.ts'

/** CEL: as nginx keeps the rate. */
const THOUSANDTHS = "(int(limit.digits) * 1000 / (limit.rate.endsWith('m') ? 60 : 1))"

/** The clock of nginx counts whole milliseconds: without a burst, one request of a key passes in each, at any rate. */
export default rule({
  id: 'gateway/rate-granularity',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  summary: 'A rate above 1000r/s has a burst.',
  why: 'nginx measures time in whole milliseconds. Without a burst it rejects the second request of a key within the same millisecond, so that even traffic far below the rate is rejected.',
  remedy: 'Add a burst, with "noDelay: true" so that no request waits.',
  source: 'nginx, limit_req_zone (parameter rate) and limit_req (parameter burst)',
  messages: {
    coarse: {
      text: '{rate} without burst: only one request of a key passes in each millisecond',
      remedy: 'Write at least "burst: {burst}", {alternative} so that no request waits.',
    },
  },
  cel: {
    each: 'limit',
    of: 'policy.limits',
    cases: [
      {
        message: 'coarse',
        at: 'rate',
        when: `has(limit.digits) && limit.digits != '' && limit.isQueue && limit.?burst.orValue(0) == 0
    && !${isRateAbove('9223372036854775')} && ${THOUSANDTHS} > 1000000`,
        values: {
          rate: "limit.digits + 'r/' + limit.rate.substring(size(limit.rate) - 1)",
          burst: `string(${THOUSANDTHS} > ${LARGEST_COUNT * 1_000_000} ? ${LARGEST_COUNT} : (${THOUSANDTHS} + 999999) / 1000000)`,
          alternative: `has(limit.delay) ? 'and replace delay with "noDelay: true"' : 'with "noDelay: true"'`,
        },
      },
    ],
  },
  examples: () => ({
    bad: manifest({ limits: ['{ key: $binary_remote_addr, rate: 5000r/s, zoneSize: 10m }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 5000r/s, burst: 5, noDelay: true, zoneSize: 10m }'] }),
  }),
  check(policy, { report }) {
    for (const limit of policy.limits) {
      const rate = limit.rate.value
      if (!rate || rate.thousandths <= 1_000_000 || rateOverflows(rate)) continue
      const queue = queueOf(limit)
      if (queue?.burst !== 0 || mayBeMisspelt(policy, limit.burst.pointer)) continue
      const burst = Math.min(Math.ceil(rate.thousandths / 1_000_000), LARGEST_COUNT)
      const alternative = queue.delay === undefined ? 'with "noDelay: true"' : 'and replace delay with "noDelay: true"'
      report('coarse', limit.rate, { rate: printRate(rate), burst, alternative })
    }
  },
})
