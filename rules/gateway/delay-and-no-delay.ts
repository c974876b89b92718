import { rule } from '../../src/gateway/rule.ts'
import { mayBeMisspelt } from '../../src/gateway/schema/violations.ts'
import { queueOf } from '../../src/nginx/bucket.ts'
import { countProblem, LARGEST_COUNT } from '../../src/nginx/rejections.ts'
import { manifest } from './manifest.ts'

/** noDelay serves the whole burst at once, delay only a part of it: one limit cannot do both. */
export default rule({
  id: 'gateway/delay-and-no-delay',
  severity: 'error',
  judges: 'RateLimitPolicy',
  summary: 'A limit has delay or "noDelay: true", not both.',
  why: '"noDelay: true" serves the whole burst at once, delay only a part of it. The API server refuses a limit with both, even with "delay: 0".',
  remedy: 'Keep one of the two: "noDelay: true" serves the whole burst at once, delay only a part of it.',
  source: 'specification of RateLimitPolicy, rule object; nginx, limit_req (parameters delay and nodelay)',
  messages: {
    both: {
      text: '"noDelay: true" cannot be combined with "delay: {delay}"',
      remedy:
        'Keep one: "noDelay: true" serves the whole burst at once, "delay: {delay}" serves only {delay} requests of it at once.',
    },
    invalid: {
      text: '"noDelay: true" cannot be combined with "delay: {delay}"',
      remedy: 'Remove delay: "noDelay: true" serves the whole burst at once.',
    },
    neither: {
      text: '"noDelay: true" cannot be combined with "delay: {delay}"',
      remedy: 'Remove both: without burst, neither has an effect.',
    },
  },
  cel: {
    each: 'limit',
    of: 'policy.limits',
    cases: (
      [
        { message: 'neither', when: 'limit.isQueue && limit.?burst.orValue(0) == 0' },
        {
          message: 'invalid',
          when: `limit.delay < 0 || limit.delay > ${LARGEST_COUNT} || (type(limit.delay) == double && double(int(limit.delay)) != limit.delay)`,
        },
        { message: 'both', when: 'true' },
      ] as const
    ).map(({ message, when }) => ({
      message,
      at: 'noDelay',
      when: `has(limit.delay) && limit.?noDelay.orValue(false) && (${when})`,
      values: { delay: 'string(limit.delay)' },
    })),
  },
  examples: () => ({
    bad: manifest({
      limits: ['{ key: $binary_remote_addr, rate: 10r/s, burst: 20, delay: 5, noDelay: true, zoneSize: 10m }'],
    }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, burst: 20, delay: 5, zoneSize: 10m }'] }),
  }),
  check(policy, { report }) {
    for (const limit of policy.limits) {
      const { delay, noDelay } = limit
      if (noDelay.value !== true || delay.value === undefined) continue
      const isAlone = queueOf(limit)?.burst === 0 && !mayBeMisspelt(policy, limit.burst.pointer)
      const message = isAlone ? 'neither' : countProblem(delay.value) ? 'invalid' : 'both'
      report(message, noDelay, { delay: delay.value })
    }
  },
})
