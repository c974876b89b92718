import { celText } from '../../src/engine/cel.ts'
import { rule } from '../../src/gateway/rule.ts'
import { describeBytes } from '../../src/limits/size.ts'
import { smallestZone, zoneSizeProblem } from '../../src/nginx/rejections.ts'
import { manifest } from './manifest.ts'

/** A zone needs eight memory pages for its own bookkeeping. */
export default rule({
  id: 'gateway/zone-size-minimum',
  severity: 'error',
  judges: 'RateLimitPolicy',
  reads: ['platform'],
  summary: 'A zone has at least eight memory pages.',
  why: 'The API server accepts any number, but nginx refuses a zone smaller than eight memory pages of its machine. While nginx refuses one line, no later change to that Gateway takes effect.',
  remedy: 'Write a larger size with the unit k or m, such as "10m", the default.',
  source: 'nginx, limit_req_zone ("zone is too small")',
  messages: {
    small: {
      text: 'the zoneSize "{size}" is too small: nginx refuses zones below {minimum}',
      remedy: 'Write "10m", the default, or at least "{smallest}k".',
    },
    bytes: {
      text: 'the zoneSize "{size}" means {size} bytes, but nginx refuses zones below {minimum}',
      remedy: 'Write the unit k or m: "10m", the default, or at least "{smallest}k".',
    },
  },
  cel: ({ platform: { pageSize } }) => {
    const smallest = smallestZone(pageSize)
    const isSmall = `has(limit.zoneSize) && has(limit.zone) && limit.zone.unit != 'g' && limit.zone.bytes < ${smallest}`
    const values = {
      size: 'limit.zoneSize',
      minimum: celText(describeBytes(smallest)),
      smallest: celText(String(smallest / 1024)),
    }
    return {
      each: 'limit',
      of: 'policy.limits',
      cases: [
        { message: 'bytes', at: 'zoneSize', when: `${isSmall} && limit.zone.unit == ''`, values },
        { message: 'small', at: 'zoneSize', when: isSmall, values },
      ],
    }
  },
  examples: () => ({
    bad: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 16k }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 1m }'] }),
  }),
  check({ limits }, { report, platform }) {
    const minimum = smallestZone(platform.pageSize)
    for (const { zoneSize } of limits) {
      if (!zoneSize.value || zoneSizeProblem(zoneSize.value, platform.pageSize) !== 'too-small') continue
      const data = { size: String(zoneSize.raw), minimum: describeBytes(minimum), smallest: minimum / 1024 }
      report(zoneSize.value.unit === '' ? 'bytes' : 'small', zoneSize, data)
    }
  },
})
