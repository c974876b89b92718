import { shortened } from '../../src/gateway/cel/policy.ts'
import { rule } from '../../src/gateway/rule.ts'
import { parseSize, repairSize } from '../../src/limits/size.ts'
import { zoneSizeProblem } from '../../src/nginx/rejections.ts'
import { shorten } from '../describe.ts'
import { manifest } from './manifest.ts'

/** nginx reads a size only as a number with k or m. */
export default rule({
  id: 'gateway/zone-size-syntax',
  severity: 'error',
  judges: 'RateLimitPolicy',
  reads: ['platform'],
  fix: 'safe',
  summary: 'A zoneSize is written with one to four digits and k or m.',
  why: 'The API server refuses every other form, such as upper case, spaces, "Mi", "MB" or a fifth digit.',
  remedy: 'Write one to four digits and k or m, such as "512k" or "10m".',
  source: 'specification of RateLimitPolicy, rule object; nginx, limit_req_zone (parameter size)',
  messages: {
    meant: { text: '"{size}" is not a valid zoneSize', remedy: 'Write "{meant}".' },
    digits: '"{size}" is not a valid zoneSize: it has more than four digits',
    unclear: '"{size}" is not a valid zoneSize',
  },
  cel: {
    each: 'limit',
    of: 'policy.limits',
    cases: [
      {
        message: 'unclear',
        at: 'zoneSize',
        when: 'has(limit.zoneSize) && !has(limit.zone)',
        values: { size: shortened('limit.zoneSize') },
      },
    ],
  },
  examples: () => ({
    bad: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 10M }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 10m }'] }),
  }),
  check({ limits }, { platform, report }) {
    for (const { zoneSize } of limits) {
      if (typeof zoneSize.raw !== 'string' || zoneSize.value) continue
      const repaired = repairSize(zoneSize.raw)
      const meant = isUsable(repaired, platform.pageSize) ? repaired : undefined
      const data = { size: shorten(zoneSize.raw), meant }
      if (meant !== undefined)
        report('meant', zoneSize, data, [{ op: 'replace', path: zoneSize.pointer, value: meant }])
      else report(/^\d{5,}[kmg]?$/.test(zoneSize.raw) ? 'digits' : 'unclear', zoneSize, data)
    }
  },
})

/** False for a size that nginx would refuse instead of the API server. */
function isUsable(written: string | undefined, pageSize: number): boolean {
  const size = written === undefined ? undefined : parseSize(written)
  return size !== undefined && zoneSizeProblem(size, pageSize) === undefined
}
