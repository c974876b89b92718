import { rule } from '../../src/engine/rule.ts'
import { countProblem, LARGEST_COUNT } from '../../src/nginx/rejections.ts'
import { manifest } from './manifest.ts'

/** A burst counts requests. */
export default rule({
  id: 'gateway/burst-range',
  severity: 'error',
  judges: 'RateLimitPolicy',
  summary: 'burst is a whole number from 0 to 2147483647.',
  why: 'A burst counts the requests that may queue up above the rate. The API server refuses what is no such number.',
  remedy: 'Write a whole number such as "burst: {near}", or leave burst out to reject every request above the rate.',
  source: 'specification of RateLimitPolicy, rule object; nginx, limit_req (parameter burst)',
  messages: {
    fraction: 'burst is {burst}, which is no whole number of requests',
    negative: {
      text: 'burst is {burst}, below zero',
      remedy: 'Leave burst out to reject every request above the rate, or write how many may queue.',
    },
    'too-large': {
      text: 'burst is {burst}, more than the {largest} that fit the field',
      remedy: 'Write how many requests may queue for one key, a number that the backend can bear.',
    },
  },
  examples: {
    bad: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, burst: -1, zoneSize: 10m }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, burst: 20, zoneSize: 10m }'] }),
  },
  check({ limits }, { report }) {
    for (const { burst } of limits) {
      const problem = burst.value === undefined ? undefined : countProblem(burst.value)
      const data = { burst: burst.value, near: Math.ceil(burst.value ?? 0), largest: LARGEST_COUNT }
      if (problem) report(problem, burst, data)
    }
  },
})
