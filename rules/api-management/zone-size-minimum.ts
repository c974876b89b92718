import { rule } from '../../src/api-management/rule.ts'
import { smallestZone, zoneSizeProblem } from '../../src/nginx/rejections.ts'
import { shorten } from '../describe.ts'
import { body } from './body.ts'
import { limitsOf } from './views.ts'

/** A zone needs eight memory pages for its own bookkeeping. */
export default rule({
  id: 'api-management/zone-size-minimum',
  severity: 'error',
  judges: 'Proxy',
  reads: ['platform'],
  summary: 'A zone has at least eight memory pages.',
  why: 'nginx refuses a zone smaller than eight memory pages of its machine, and 0M always is, so the proxy cannot be deployed.',
  remedy: 'Write "10M", the default.',
  source: 'nginx, limit_req_zone ("zone is too small")',
  messages: {
    small: {
      text: 'the zoneSize "{size}" is too small for nginx',
      remedy: 'Write "{smallest}M" or more, such as "10M".',
    },
  },
  examples: () => ({
    bad: body({ limits: ['{ rate: 10r/s, rateLimitBy: client.ip, zoneSize: 0M }'] }),
    good: body({ limits: ['{ rate: 10r/s, rateLimitBy: client.ip, zoneSize: 1M }'] }),
  }),
  check(proxy, { report, platform: { pageSize } }) {
    const smallest = Math.ceil(smallestZone(pageSize) / 1024 ** 2)
    for (const { zoneSize } of limitsOf(proxy))
      if (zoneSize.value && zoneSizeProblem(zoneSize.value, pageSize) === 'too-small')
        report('small', zoneSize, { size: shorten(String(zoneSize.raw)), smallest })
  },
})
