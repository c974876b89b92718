import { rule } from '../../src/gateway/rule.ts'
import { fitFourDigits } from '../../src/limits/size.ts'
import { manifest } from './manifest.ts'

/** nginx accepts kilobytes and megabytes for zones; the API server also accepts gigabytes. */
export default rule({
  id: 'gateway/zone-size-unit',
  severity: 'error',
  judges: 'RateLimitPolicy',
  fix: 'safe',
  summary: 'A zoneSize has the unit k or m, not g.',
  why: 'The API server accepts the unit g, but nginx does not accept it for zones. While nginx refuses one line, no later change to that Gateway takes effect.',
  remedy: 'Write a smaller size in k or m, such as "10m", which holds about 80,000 clients.',
  source: 'nginx, configuration file measurement units; limit_req_zone (parameter size)',
  messages: {
    gigabytes: {
      text: 'nginx refuses the zoneSize "{size}": the unit must be k or m',
      remedy: 'Write "{meant}" or less; 10m holds about 80,000 clients.',
    },
    large: 'nginx refuses the zoneSize "{size}": the unit must be k or m',
  },
  cel: {
    each: 'limit',
    of: 'policy.limits',
    cases: [
      {
        message: 'gigabytes',
        at: 'zoneSize',
        when: "has(limit.zone) && limit.zone.unit == 'g' && limit.zone.count > 0 && limit.zone.count < 10",
        values: { size: 'limit.zoneSize', meant: "string(limit.zone.count * 1024) + 'm'" },
      },
      {
        message: 'large',
        at: 'zoneSize',
        when: "has(limit.zone) && limit.zone.unit == 'g'",
        values: { size: 'limit.zoneSize' },
      },
    ],
  },
  examples: () => ({
    bad: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 1g }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 128m }'] }),
  }),
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
