import { rule } from '../../src/engine/rule.ts'
import { queueOf } from '../../src/gateway/effective/bucket.ts'
import { manifest } from './manifest.ts'

/** A delay that the burst never reaches delays nothing. */
export default rule({
  id: 'gateway/delay-not-below-burst',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  summary: 'delay is below burst.',
  why: 'delay says how many requests above the rate are served at once before the others wait. Where it reaches the burst, none is left to wait, and nginx acts as with noDelay.',
  remedy: 'Write "noDelay: true" if that is meant, or a delay below {burst}.',
  source: 'nginx, limit_req (parameters burst, delay and nodelay)',
  messages: { reached: '"delay: {delay}" with "burst: {burst}" lets no request wait: it acts as noDelay' },
  examples: {
    bad: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, burst: 5, delay: 8, zoneSize: 10m }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, burst: 8, delay: 5, zoneSize: 10m }'] }),
  },
  check({ limits }, { report }) {
    for (const limit of limits) {
      const { burst = 0, delay = -1, noDelay = false } = queueOf(limit) ?? {}
      if (burst > 0 && delay >= burst && !noDelay) report('reached', limit.delay, { delay, burst })
    }
  },
})
