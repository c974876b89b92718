import { shortened } from '../../src/gateway/cel/policy.ts'
import { rule } from '../../src/gateway/rule.ts'
import { shorten } from '../describe.ts'
import { manifest } from './manifest.ts'

/** nginx refuses a rate of zero, and with it the whole configuration of the Gateway. */
export default rule({
  id: 'gateway/rate-zero',
  severity: 'error',
  judges: 'RateLimitPolicy',
  summary: 'A rate is greater than zero.',
  why: 'The API server accepts a rate of zero, but nginx does not. While nginx refuses one line, no later change to that Gateway takes effect, including those of other teams.',
  remedy:
    'Write the intended rate; the slowest is "1r/m". To block all requests, remove the route and its policy instead.',
  source: 'nginx, limit_req_zone (parameter rate)',
  messages: {
    zero: 'nginx refuses the rate "{rate}": it must be greater than zero',
  },
  cel: {
    each: 'limit',
    of: 'policy.limits',
    cases: [
      {
        message: 'zero',
        at: 'rate',
        when: "has(limit.digits) && limit.digits == ''",
        values: { rate: shortened('limit.rate') },
      },
    ],
  },
  examples: () => ({
    bad: manifest({ limits: ['{ key: $binary_remote_addr, rate: 0r/s, zoneSize: 10m }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 3r/m, zoneSize: 10m }'] }),
  }),
  check({ limits }, { report }) {
    for (const { rate } of limits)
      if (rate.value?.digits === '0') report('zero', rate, { rate: shorten(String(rate.raw)) })
  },
})
