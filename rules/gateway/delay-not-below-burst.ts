import { rule } from '../../src/gateway/rule.ts'
import { queueOf } from '../../src/nginx/bucket.ts'
import { manifest } from './manifest.ts'

/** If delay reaches burst, no request is delayed. */
export default rule({
  id: 'gateway/delay-not-below-burst',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  summary: 'delay is lower than burst.',
  why: 'delay is the number of requests above the rate that nginx serves at once before it delays the others. If delay reaches burst, no request is left to delay, as with noDelay.',
  remedy: 'Replace delay with "noDelay: true", which does the same.',
  source: 'nginx, limit_req (parameters burst, delay and nodelay)',
  messages: {
    reached: '"delay: {delay}" with "burst: {burst}" delays no request, just like noDelay',
  },
  cel: {
    each: 'limit',
    of: 'policy.limits',
    cases: [
      {
        message: 'reached',
        at: 'delay',
        when: 'limit.isQueue && has(limit.burst) && limit.burst > 0 && has(limit.delay) && limit.delay >= limit.burst && !limit.?noDelay.orValue(false)',
        values: { delay: 'string(limit.delay)', burst: 'string(limit.burst)' },
      },
    ],
  },
  examples: () => ({
    bad: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, burst: 5, delay: 8, zoneSize: 10m }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, burst: 8, delay: 5, zoneSize: 10m }'] }),
  }),
  check({ limits }, { report }) {
    for (const limit of limits) {
      const { burst = 0, delay = -1, noDelay = false } = queueOf(limit) ?? {}
      if (burst > 0 && delay >= burst && !noDelay) report('reached', limit.delay, { delay, burst })
    }
  },
})
