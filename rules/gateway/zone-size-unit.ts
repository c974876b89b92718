import { rule } from '../../src/gateway/rule.ts'
import { fitFourDigits } from '../../src/limits/size.ts'
import { manifest } from './manifest.ts'

/** nginx knows kilobytes and megabytes; the API server also lets gigabytes through. */
export default rule({
  id: 'gateway/zone-size-unit',
  severity: 'error',
  judges: 'RateLimitPolicy',
  fix: 'safe',
  summary: 'A zone size is given in k or m, not in g.',
  why: 'The API server accepts the unit g, nginx does not know it for zones. One line that nginx refuses keeps every later change to that gateway from taking effect.',
  remedy: 'Write it as "{meant}"; 10m hold the state of tens of thousands of clients.',
  source: 'nginx, configuration file measurement units; limit_req_zone (parameter size)',
  messages: {
    gigabytes: 'nginx does not know the unit of "{size}": zones are measured in k or m',
    large: {
      text: 'nginx does not know the unit of "{size}": zones are measured in k or m',
      remedy: 'Write the size in m, with at most four digits; 10m hold the state of tens of thousands of clients.',
    },
  },
  examples: {
    bad: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 1g }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 128m }'] }),
  },
  check({ limits }, { report }) {
    for (const { zoneSize } of limits) {
      if (zoneSize.value?.unit !== 'g') continue
      const size = String(zoneSize.raw)
      const meant = fitFourDigits(zoneSize.value.bytes)
      if (meant === undefined) report('large', zoneSize, { size })
      else report('gigabytes', zoneSize, { size, meant }, [{ op: 'replace', path: zoneSize.pointer, value: meant }])
    }
  },
})
