import { rule } from '../../src/gateway/rule.ts'
import { countProblem, LARGEST_COUNT } from '../../src/nginx/rejections.ts'
import { manifest } from './manifest.ts'

/** delay is a number of requests, not a time. */
export default rule({
  id: 'gateway/delay-range',
  severity: 'error',
  judges: 'RateLimitPolicy',
  summary: 'delay is a whole number from 0 to 2147483647.',
  why: 'delay is the number of requests above the rate that nginx serves at once before it delays the others; it is not a time. The API server refuses a value that is not a whole number in this range.',
  remedy: 'Write a whole number such as "delay: 5", or remove delay to delay every request above the rate.',
  source: 'specification of RateLimitPolicy, rule object; nginx, limit_req (parameter delay)',
  messages: {
    fraction: {
      text: 'delay must be a whole number, but is {delay}',
      remedy: 'Write a whole number such as "delay: {near}", or remove delay to delay every request above the rate.',
    },
    negative: {
      text: 'delay must not be negative, but is {delay}',
      remedy: 'Remove delay to delay every request above the rate, or replace it with "noDelay: true" to delay none.',
    },
    'too-large': {
      text: 'delay must be at most {largest}, but is {delay}',
      remedy:
        'Replace delay with "noDelay: true" to delay no request, or remove it to delay every request above the rate.',
    },
  },
  cel: {
    each: 'limit',
    of: 'policy.limits',
    cases: [
      {
        message: 'negative',
        at: 'delay',
        when: 'has(limit.delay) && limit.delay < 0',
        values: { delay: 'string(limit.delay)' },
      },
      {
        message: 'fraction',
        at: 'delay',
        when: 'has(limit.delay) && type(limit.delay) == double && limit.delay < 9e15 && double(int(limit.delay)) != limit.delay',
        values: {
          delay: 'string(limit.delay)',
          near: `string(limit.delay > ${LARGEST_COUNT} ? ${LARGEST_COUNT} : int(limit.delay) + 1)`,
        },
      },
      {
        message: 'too-large',
        at: 'delay',
        when: `has(limit.delay) && limit.delay > ${LARGEST_COUNT}`,
        values: { delay: 'string(limit.delay)', largest: "'2147483647'" },
      },
    ],
  },
  examples: () => ({
    bad: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, burst: 20, delay: 0.5, zoneSize: 10m }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, burst: 20, delay: 5, zoneSize: 10m }'] }),
  }),
  check({ limits }, { report }) {
    for (const { delay } of limits) {
      const problem = delay.value === undefined ? undefined : countProblem(delay.value)
      const near = Math.min(Math.max(Math.ceil(delay.value ?? 0), 0), LARGEST_COUNT)
      const data = { delay: delay.value, near, largest: LARGEST_COUNT }
      if (problem) report(problem, delay, data)
    }
  },
})
