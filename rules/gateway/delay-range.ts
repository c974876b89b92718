import { rule } from '../../src/engine/rule.ts'
import { countProblem, LARGEST_COUNT } from '../../src/nginx/rejections.ts'
import { manifest } from './manifest.ts'

/** A delay counts requests, not time. */
export default rule({
  id: 'gateway/delay-range',
  severity: 'error',
  judges: 'RateLimitPolicy',
  summary: 'delay is a whole number from 0 to 2147483647.',
  why: 'delay counts the requests above the rate that are served at once before the others wait; it is no time. The API server refuses what is no such number.',
  remedy: 'Write a whole number such as "delay: {near}", or leave delay out to let every request above the rate wait.',
  source: 'specification of RateLimitPolicy, rule object; nginx, limit_req (parameter delay)',
  messages: {
    fraction: 'delay is {delay}, which is no whole number of requests',
    negative: {
      text: 'delay is {delay}, below zero',
      remedy: 'Leave delay out to let every request above the rate wait, or write "noDelay: true" to let none wait.',
    },
    'too-large': {
      text: 'delay is {delay}, more than the {largest} that fit the field',
      remedy: 'Write "noDelay: true" to let no request wait, or a number below burst.',
    },
  },
  examples: {
    bad: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, burst: 20, delay: 0.5, zoneSize: 10m }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, burst: 20, delay: 5, zoneSize: 10m }'] }),
  },
  check({ limits }, { report }) {
    for (const { delay } of limits) {
      const problem = delay.value === undefined ? undefined : countProblem(delay.value)
      const data = { delay: delay.value, near: Math.ceil(delay.value ?? 0), largest: LARGEST_COUNT }
      if (problem) report(problem, delay, data)
    }
  },
})
