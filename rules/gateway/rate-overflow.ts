import { rule } from '../../src/engine/rule.ts'
import { rateProblem } from '../../src/nginx/rejections.ts'
import { manifest } from './manifest.ts'
import { shorten } from './words.ts'

/** nginx counts in thousandths of a request, in 64 bits, and does not notice when they overflow. */
export default rule({
  id: 'gateway/rate-overflow',
  severity: 'error',
  judges: 'RateLimitPolicy',
  summary: 'A rate is at most 9223372036854775 requests.',
  why: 'nginx multiplies the count by 1000 in 64 bits. Above 9223372036854775 the product wraps around to a rate that nobody asked for, and with some values a worker process crashes. Above 9223372036854775807 nginx refuses its whole configuration.',
  remedy: 'Write the rate that the backend can bear, or leave the limit out: a rate this high limits nothing.',
  source: 'nginx, limit_req_zone (parameter rate)',
  messages: {
    overflow: '"{rate}" overflows: nginx keeps rates in thousandths of a request, up to 9223372036854775 requests',
    crash: '"{rate}" overflows to zero, by which nginx divides: its worker crashes when it delays the first request',
    'too-large': '"{rate}" is a larger number than nginx can read: it refuses it as an invalid rate',
    'too-long': { text: '"{rate}" is too long for nginx to read', remedy: 'Leave the zeros in front out.' },
  },
  examples: {
    bad: manifest({ limits: ['{ key: $binary_remote_addr, rate: 9223372036854776r/s, burst: 10, zoneSize: 10m }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 1000r/s, burst: 10, zoneSize: 10m }'] }),
  },
  check({ limits }, { report }) {
    for (const { rate } of limits) {
      if (typeof rate.raw !== 'string') continue
      const problem = rateProblem(rate.raw)
      if (problem && problem !== 'zero') report(problem, rate, { rate: shorten(rate.raw) })
    }
  },
})
