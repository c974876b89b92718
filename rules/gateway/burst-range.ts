import { rule } from '../../src/gateway/rule.ts'
import { countProblem, LARGEST_COUNT } from '../../src/nginx/rejections.ts'
import { manifest } from './manifest.ts'

/** burst is a number of requests. */
export default rule({
  id: 'gateway/burst-range',
  severity: 'error',
  judges: 'RateLimitPolicy',
  summary: 'burst is a whole number from 0 to 2147483647.',
  why: 'burst is the number of requests above the rate that nginx accepts instead of rejecting them. The API server refuses a value that is not a whole number in this range.',
  remedy: 'Write a whole number such as "burst: 20", or remove burst to reject every request above the rate.',
  source: 'specification of RateLimitPolicy, rule object; nginx, limit_req (parameter burst)',
  messages: {
    fraction: {
      text: 'burst must be a whole number, but is {burst}',
      remedy: 'Write a whole number such as "burst: {near}", or remove burst to reject every request above the rate.',
    },
    negative: {
      text: 'burst must not be negative, but is {burst}',
      remedy: 'Remove burst to reject every request above the rate, or write how many of them to accept.',
    },
    'too-large': {
      text: 'burst must be at most {largest}, but is {burst}',
      remedy: 'Write how many requests above the rate the backend can bear from one key, such as "burst: 20".',
    },
  },
  cel: {
    each: 'limit',
    of: 'policy.limits',
    cases: [
      {
        message: 'negative',
        at: 'burst',
        when: 'has(limit.burst) && limit.burst < 0',
        values: { burst: 'string(limit.burst)' },
      },
      {
        message: 'fraction',
        at: 'burst',
        when: 'has(limit.burst) && type(limit.burst) == double && limit.burst < 9e15 && double(int(limit.burst)) != limit.burst',
        values: {
          burst: 'string(limit.burst)',
          near: `string(limit.burst > ${LARGEST_COUNT} ? ${LARGEST_COUNT} : int(limit.burst) + 1)`,
        },
      },
      {
        message: 'too-large',
        at: 'burst',
        when: `has(limit.burst) && limit.burst > ${LARGEST_COUNT}`,
        values: { burst: 'string(limit.burst)', largest: "'2147483647'" },
      },
    ],
  },
  examples: () => ({
    bad: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, burst: -1, zoneSize: 10m }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, burst: 20, zoneSize: 10m }'] }),
  }),
  check({ limits }, { report }) {
    for (const { burst } of limits) {
      const problem = burst.value === undefined ? undefined : countProblem(burst.value)
      const near = Math.min(Math.max(Math.ceil(burst.value ?? 0), 0), LARGEST_COUNT)
      const data = { burst: burst.value, near, largest: LARGEST_COUNT }
      if (problem) report(problem, burst, data)
    }
  },
})
