import { rule } from '../../src/api-management/rule.ts'
import { rateOverflows } from '../../src/limits/rate.ts'
import { shorten } from '../describe.ts'
import { body } from './body.ts'
import { limitsOf } from './views.ts'

/** nginx keeps rates as thousandths of a request in 64 bits, and does not check for an overflow. */
export default rule({
  id: 'api-management/rate-overflow',
  severity: 'error',
  judges: 'Proxy',
  summary: 'A rate is at most 9223372036854775 requests per second.',
  why: 'nginx multiplies the number by 1000 in 64 bits. Above 9223372036854775 the result overflows to another rate, for some values a worker process crashes, and above 9223372036854775807 nginx refuses its configuration.',
  remedy:
    'Write a rate that the backend can bear, such as "1000r/s", or remove the limit: one this high limits nothing.',
  source: 'nginx, limit_req_zone (parameter rate)',
  messages: {
    overflow: '"{rate}" overflows: nginx supports at most 9223372036854775 requests per second',
  },
  examples: () => ({
    bad: body({ limits: ['{ rate: 9223372036854776r/s, rateLimitBy: client.ip, zoneSize: 10M }'] }),
    good: body({ limits: ['{ rate: 1000r/s, rateLimitBy: client.ip, zoneSize: 10M }'] }),
  }),
  check(proxy, { report }) {
    for (const { rate } of limitsOf(proxy))
      if (rate.value && rateOverflows(rate.value)) report('overflow', rate, { rate: shorten(String(rate.raw)) })
  },
})
