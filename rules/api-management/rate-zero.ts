import { rule } from '../../src/api-management/rule.ts'
import { shorten } from '../describe.ts'
import { body } from './body.ts'
import { limitsOf } from './views.ts'

/** nginx refuses a rate of zero, and with it its whole configuration. */
export default rule({
  id: 'api-management/rate-zero',
  severity: 'error',
  judges: 'Proxy',
  summary: 'A rate is greater than zero.',
  why: 'nginx refuses a rate of zero, so the proxy cannot be deployed: its gateways keep the configuration that they have.',
  remedy: 'Write the intended rate; the slowest is "1r/s".',
  source: 'nginx, limit_req_zone (parameter rate)',
  messages: {
    zero: 'nginx refuses the rate "{rate}": it must be greater than zero',
  },
  examples: () => ({
    bad: body({ limits: ['{ rate: 0r/s, rateLimitBy: client.ip, zoneSize: 10M }'] }),
    good: body({ limits: ['{ rate: 1r/s, rateLimitBy: client.ip, zoneSize: 10M }'] }),
  }),
  check(proxy, { report }) {
    for (const { rate } of limitsOf(proxy))
      if (rate.value?.digits === '0') report('zero', rate, { rate: shorten(String(rate.raw)) })
  },
})
