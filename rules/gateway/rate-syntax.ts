import { rule } from '../../src/gateway/rule.ts'
import { rateFault } from '../../src/limits/rate.ts'
import { manifest } from './manifest.ts'
import { shorten } from './words.ts'

/** nginx reads a rate only as `<count>r/s` or `<count>r/m`. */
export default rule({
  id: 'gateway/rate-syntax',
  severity: 'error',
  judges: 'RateLimitPolicy',
  fix: 'safe',
  summary: 'A rate is written <count>r/s or <count>r/m.',
  why: 'The API server refuses every other form: nginx knows whole requests per second and per minute, in lower case, without blanks.',
  remedy: 'Write it as "10r/s" or "30r/m".',
  source: 'specification of RateLimitPolicy, rule object; nginx, limit_req_zone',
  messages: {
    misspelt: { text: '"{rate}" is no rate', remedy: 'Write it as "{meant}".' },
    fraction: {
      text: '"{rate}" is no rate: nginx counts whole requests',
      remedy: 'Write it per minute, as "{meant}".',
    },
    unitless: {
      text: '"{rate}" is no rate: it does not say per what',
      remedy: 'Write "{count}r/s" for {count} requests per second or "{count}r/m" for {count} per minute.',
    },
    period: {
      text: '"{rate}" is no rate: nginx counts per second or per minute only',
      remedy: 'Write it as <count>r/s or <count>r/m; the slowest rate is "1r/m".',
    },
    unclear: '"{rate}" is no rate',
  },
  examples: {
    bad: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10R/S, zoneSize: 10m }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 10m }'] }),
  },
  check({ limits }, { report }) {
    for (const { rate } of limits) {
      if (typeof rate.raw !== 'string' || rate.value) continue
      const fault = rateFault(rate.raw)
      const data = { ...fault, rate: shorten(rate.raw) }
      if (fault.type === 'misspelt')
        report('misspelt', rate, data, [{ op: 'replace', path: rate.pointer, value: fault.meant }])
      else report(fault.type, rate, data)
    }
  },
})
