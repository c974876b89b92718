import { rule } from '../../src/gateway/rule.ts'
import { mayBeMisspelt } from '../../src/gateway/schema/violations.ts'
import { queueOf } from '../../src/nginx/bucket.ts'
import { manifest } from './manifest.ts'

/** Without a burst there is no request that could be delayed or served at once. */
export default rule({
  id: 'gateway/delay-without-burst',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  summary: 'delay and noDelay need a burst.',
  why: 'Both control how nginx serves the requests of a burst. Without a burst, nginx rejects every request above the rate, and neither has an effect.',
  remedy: 'Add a burst, such as "burst: 10", or remove delay and noDelay.',
  source: 'specification of RateLimitPolicy, rule object; nginx, limit_req (parameters burst, delay and nodelay)',
  messages: {
    absent: {
      text: '"noDelay: true" has no effect without burst: every request above the rate is rejected',
      remedy: 'Add a burst, such as "burst: 10", or remove noDelay.',
    },
    zero: {
      text: '"noDelay: true" has no effect with "burst: 0": every request above the rate is rejected',
      remedy: 'Raise burst, for example to "burst: 10", or remove noDelay.',
    },
    'delay-absent': {
      text: '"delay: {delay}" has no effect without burst: every request above the rate is rejected',
      remedy: 'Remove delay, or replace it with "burst: {burst}" and "noDelay: true".',
    },
    'delay-zero': {
      text: '"delay: {delay}" has no effect with "burst: 0": every request above the rate is rejected',
      remedy: 'Remove delay, or replace it with "noDelay: true" and raise burst to "burst: {burst}".',
    },
  },
  cel: {
    each: 'limit',
    of: 'policy.limits',
    cases: (['delay-absent', 'delay-zero', 'absent', 'zero'] as const).map((message) => {
      const isDelay = message.startsWith('delay')
      const member = isDelay
        ? 'has(limit.delay) && !limit.?noDelay.orValue(false)'
        : '!has(limit.delay) && limit.?noDelay.orValue(false)'
      return {
        message,
        at: isDelay ? 'delay' : 'noDelay',
        when: `limit.isQueue && ${message.endsWith('zero') ? 'has(limit.burst) && limit.burst == 0' : '!has(limit.burst)'} && ${member}`,
        ...(isDelay && {
          values: { delay: 'string(limit.delay)', burst: "(limit.delay == 0 ? '10' : string(limit.delay))" },
        }),
      }
    }),
  },
  examples: () => ({
    bad: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, noDelay: true, zoneSize: 10m }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, burst: 20, noDelay: true, zoneSize: 10m }'] }),
  }),
  check(policy, { report }) {
    for (const limit of policy.limits) {
      const queue = queueOf(limit)
      if (queue?.burst !== 0 || mayBeMisspelt(policy, limit.burst.pointer)) continue
      const message = limit.burst.raw === undefined ? 'absent' : 'zero'
      const { delay, noDelay } = queue
      if (delay !== undefined && !noDelay) report(`delay-${message}`, limit.delay, { delay, burst: delay || 10 })
      if (delay === undefined && noDelay) report(message, limit.noDelay)
    }
  },
})
