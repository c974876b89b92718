import { isRateAbove, LONGEST_RATE, shortened } from '../../src/gateway/cel/policy.ts'
import { rule } from '../../src/gateway/rule.ts'
import { rateProblem } from '../../src/nginx/rejections.ts'
import { shorten } from '../describe.ts'
import { manifest } from './manifest.ts'

/** nginx keeps rates as thousandths of a request in 64 bits, and does not check for an overflow. */
export default rule({
  id: 'gateway/rate-overflow',
  severity: 'error',
  judges: 'RateLimitPolicy',
  summary: 'A rate is at most 9223372036854775 requests per second or minute.',
  why: 'nginx multiplies the number by 1000 in 64 bits. Above 9223372036854775 the result overflows to another rate, and for some values a worker process crashes. Above 9223372036854775807 nginx refuses its whole configuration.',
  remedy: 'Write a rate that the backend can bear, or remove the limit: a rate this high limits nothing.',
  source: 'nginx, limit_req_zone (parameter rate)',
  messages: {
    overflow: '"{rate}" overflows: nginx supports at most 9223372036854775 requests per second or minute',
    crash: '"{rate}" overflows to zero: the nginx worker crashes when it delays the first request',
    'too-large': 'nginx refuses the rate "{rate}": the number is too large',
    'too-long': {
      text: 'nginx refuses the rate "{rate}": it is too long',
      remedy: 'Write a rate that the backend can bear, without leading zeros.',
    },
  },
  cel: {
    each: 'limit',
    of: 'policy.limits',
    cases: (
      [
        { message: 'too-long', when: `has(limit.rate) && size(limit.rate) > ${LONGEST_RATE}` },
        { message: 'too-large', when: `has(limit.digits) && ${isRateAbove('9223372036854775807')}` },
        {
          message: 'crash',
          when: `has(limit.digits) && limit.digits != '' && limit.rate.endsWith('s') && int(limit.digits) % ${2n ** 61n} == 0`,
        },
        { message: 'overflow', when: `has(limit.digits) && ${isRateAbove('9223372036854775')}` },
      ] as const
    ).map((one) => ({ ...one, at: 'rate', values: { rate: shortened('limit.rate') } })),
  },
  examples: () => ({
    bad: manifest({ limits: ['{ key: $binary_remote_addr, rate: 9223372036854776r/s, burst: 10, zoneSize: 10m }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 1000r/s, burst: 10, zoneSize: 10m }'] }),
  }),
  check({ limits }, { report }) {
    for (const { rate } of limits) {
      if (typeof rate.raw !== 'string') continue
      const problem = rateProblem(rate.raw)
      if (problem && problem !== 'zero') report(problem, rate, { rate: shorten(rate.raw) })
    }
  },
})
