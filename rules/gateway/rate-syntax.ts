import { rule } from '../../src/engine/rule.ts'
import { repairRate } from '../../src/limits/rate.ts'
import { manifest } from './manifest.ts'

/** nginx reads a rate only as `<count>r/s` or `<count>r/m`. */
export default rule({
  id: 'gateway/rate-syntax',
  severity: 'error',
  judges: 'RateLimitPolicy',
  fix: 'safe',
  summary: 'A rate is written <count>r/s or <count>r/m.',
  why: 'The API server refuses every other form: nginx knows requests per second and per minute, in lower case, without blanks.',
  remedy: 'Write it as "10r/s" or "30r/m".',
  source: 'specification of RateLimitPolicy, rule object; nginx, limit_req_zone',
  messages: {
    meant: { text: '"{rate}" is no rate', remedy: 'Write it as "{meant}".' },
    unclear: '"{rate}" is no rate',
  },
  examples: {
    bad: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10R/S, zoneSize: 10m }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 10m }'] }),
  },
  check({ limits }, { report }) {
    for (const { rate } of limits) {
      if (typeof rate.raw !== 'string' || rate.value) continue
      const meant = repairRate(rate.raw)
      if (meant === undefined) report('unclear', rate, { rate: rate.raw })
      else report('meant', rate, { rate: rate.raw, meant }, [{ op: 'replace', path: rate.pointer, value: meant }])
    }
  },
})
