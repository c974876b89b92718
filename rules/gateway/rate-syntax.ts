import { shortened } from '../../src/gateway/cel/policy.ts'
import { rule } from '../../src/gateway/rule.ts'
import { rateFault } from '../../src/limits/rate.ts'
import { shorten } from '../describe.ts'
import { manifest } from './manifest.ts'

/** nginx reads a rate only as <number>r/s or <number>r/m. */
export default rule({
  id: 'gateway/rate-syntax',
  severity: 'error',
  judges: 'RateLimitPolicy',
  fix: 'safe',
  summary: 'A rate is written <number>r/s or <number>r/m.',
  why: 'nginx counts whole requests per second or per minute. The API server refuses every other form, including upper case and spaces.',
  remedy: 'Write a number and r/s or r/m, such as "10r/s" or "30r/m".',
  source: 'specification of RateLimitPolicy, rule object; nginx, limit_req_zone',
  messages: {
    misspelt: { text: '"{rate}" is not a valid rate', remedy: 'Write "{meant}".' },
    fraction: {
      text: '"{rate}" is not a valid rate: nginx counts whole requests',
      remedy: 'Write it per minute: "{meant}".',
    },
    unitless: {
      text: '"{rate}" is not a valid rate: the time unit is missing',
      remedy: 'Write "{count}r/s" for {count} requests per second, or "{count}r/m" for {count} per minute.',
    },
    period: {
      text: '"{rate}" is not a valid rate: nginx counts per second or per minute only',
      remedy: 'Write <number>r/s or <number>r/m; the slowest rate is "1r/m".',
    },
    unclear: '"{rate}" is not a valid rate',
  },
  cel: {
    each: 'limit',
    of: 'policy.limits',
    cases: [
      {
        message: 'unclear',
        at: 'rate',
        when: "has(limit.rate) && size(limit.rate) <= 4096 && !limit.rate.matches('^[0-9]+r/[sm]$')",
        values: { rate: shortened('limit.rate') },
      },
    ],
  },
  examples: () => ({
    bad: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10R/S, zoneSize: 10m }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 10m }'] }),
  }),
  check({ limits }, { report }) {
    for (const { rate } of limits) {
      if (typeof rate.raw !== 'string' || rate.value) continue
      const fault = rateFault(rate.raw)
      const data = { ...fault, rate: shorten(rate.raw) }
      if (fault.type === 'misspelt')
        report('misspelt', rate, data, [{ op: 'replace', path: rate.pointer, value: fault.meant }])
      else report(fault.type, rate, data)
    }
  },
})
