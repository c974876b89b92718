import { rule } from '../../src/engine/rule.ts'
import { queueOf } from '../../src/gateway/effective/bucket.ts'
import { mayBeMisspelt } from '../../src/gateway/schema/violations.ts'
import { manifest } from './manifest.ts'

/** Without a burst nothing is kept that could wait or be served at once. */
export default rule({
  id: 'gateway/delay-without-burst',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  summary: 'delay and noDelay need a burst.',
  why: 'Both say what happens to the requests of a burst. Without one, nginx rejects every request above the rate at once, whatever they say.',
  remedy: 'Add a burst, such as "burst: {burst}", or remove {field}.',
  source: 'specification of RateLimitPolicy, rule object; nginx, limit_req (parameters burst, delay and nodelay)',
  messages: {
    absent: '"{field}: {value}" has no effect without a burst: every request above the rate is rejected',
    zero: '"{field}: {value}" has no effect with "burst: 0": every request above the rate is rejected',
  },
  examples: {
    bad: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, noDelay: true, zoneSize: 10m }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, burst: 20, noDelay: true, zoneSize: 10m }'] }),
  },
  check(policy, { report }) {
    for (const limit of policy.limits) {
      const queue = queueOf(limit)
      if (queue?.burst !== 0 || mayBeMisspelt(policy, limit.burst.pointer)) continue
      const message = limit.burst.raw === undefined ? 'absent' : 'zero'
      const { delay, noDelay } = queue
      if (delay !== undefined && !noDelay)
        report(message, limit.delay, { field: 'delay', value: delay, burst: Math.max(10, 2 * delay) })
      if (delay === undefined && noDelay) report(message, limit.noDelay, { field: 'noDelay', value: true, burst: 10 })
    }
  },
})
