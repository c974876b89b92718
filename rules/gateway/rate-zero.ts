import { rule } from '../../src/gateway/rule.ts'
import { manifest } from './manifest.ts'
import { shorten } from './words.ts'

/** nginx refuses a rate of nothing, and with it the whole configuration of the gateway. */
export default rule({
  id: 'gateway/rate-zero',
  severity: 'error',
  judges: 'RateLimitPolicy',
  summary: 'A rate is above zero.',
  why: 'The API server accepts a rate of zero, nginx does not. One line that nginx refuses keeps every later change to that gateway from taking effect, those of other teams included.',
  remedy:
    'Write the rate that is meant; the slowest is "1r/m". To let nothing pass, remove the route instead of limiting it.',
  source: 'nginx, limit_req_zone (parameter rate)',
  messages: { zero: '"{rate}" would let nothing pass: nginx refuses it as an invalid rate' },
  examples: {
    bad: manifest({ limits: ['{ key: $binary_remote_addr, rate: 0r/s, zoneSize: 10m }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 3r/m, zoneSize: 10m }'] }),
  },
  check({ limits }, { report }) {
    for (const { rate } of limits)
      if (rate.value?.digits === '0') report('zero', rate, { rate: shorten(String(rate.raw)) })
  },
})
