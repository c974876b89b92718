import { rule } from '../../src/engine/rule.ts'
import { describeBytes } from '../../src/limits/size.ts'
import { smallestZone, zoneSizeProblem } from '../../src/nginx/rejections.ts'
import { manifest } from './manifest.ts'

/** A zone needs eight pages of memory for its own bookkeeping. */
export default rule({
  id: 'gateway/zone-size-minimum',
  severity: 'error',
  judges: 'RateLimitPolicy',
  reads: ['platform'],
  summary: 'A zone takes at least eight memory pages.',
  why: 'The API server accepts any number, nginx refuses a zone below eight pages of the machine that it runs on. One line that nginx refuses keeps every later change to that gateway from taking effect.',
  remedy: 'Write at least "{smallest}k"; "10m" is what a limit without zoneSize gets.',
  source: 'nginx, limit_req_zone ("zone is too small")',
  messages: {
    small: '"{size}" is too small: nginx refuses zones below {minimum}',
    bytes: {
      text: '"{size}" means {size} bytes, and nginx refuses zones below {minimum}',
      remedy: 'Write the unit, k or m: at least "{smallest}k"; "10m" is what a limit without zoneSize gets.',
    },
  },
  examples: {
    bad: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 16k }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 1m }'] }),
  },
  check({ limits }, { report, platform }) {
    const minimum = smallestZone(platform.pageSize)
    for (const { zoneSize } of limits) {
      if (!zoneSize.value || zoneSizeProblem(zoneSize.value, platform.pageSize) !== 'too-small') continue
      const data = { size: String(zoneSize.raw), minimum: describeBytes(minimum), smallest: minimum / 1024 }
      report(zoneSize.value.unit === '' ? 'bytes' : 'small', zoneSize, data)
    }
  },
})
