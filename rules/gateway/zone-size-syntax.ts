import { rule } from '../../src/gateway/rule.ts'
import { repairSize } from '../../src/limits/size.ts'
import { shorten } from './describe.ts'
import { manifest } from './manifest.ts'

/** nginx reads a size only as a number with k or m. */
export default rule({
  id: 'gateway/zone-size-syntax',
  severity: 'error',
  judges: 'RateLimitPolicy',
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
  examples: {
    bad: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 10M }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 10m }'] }),
  },
  check({ limits }, { report }) {
    for (const { zoneSize } of limits) {
      if (typeof zoneSize.raw !== 'string' || zoneSize.value) continue
      const meant = repairSize(zoneSize.raw)
      const data = { size: shorten(zoneSize.raw), meant }
      if (meant !== undefined)
        report('meant', zoneSize, data, [{ op: 'replace', path: zoneSize.pointer, value: meant }])
      else report(/^\d{5,}[kmg]?$/.test(zoneSize.raw) ? 'digits' : 'unclear', zoneSize, data)
    }
  },
})
