import { rule } from '../../src/gateway/rule.ts'
import { describeSeconds, printRate, type Rate, rateOverflows, secondsPerRequest } from '../../src/limits/rate.ts'
import { manifest } from './manifest.ts'

/** nginx keeps rates as whole thousandths of a request per second, so it may round down a rate per minute. */
export default rule({
  id: 'gateway/rate-rounding',
  severity: 'info',
  judges: 'RateLimitPolicy',
  summary: 'A rate per minute is a multiple of 3, so that nginx does not round it down.',
  why: 'nginx converts a rate per minute to thousandths of a request per second and rounds down. Clients that send exactly at the written rate are then rejected now and then.',
  remedy: 'Write a multiple of 3, such as "30r/m". Ignore this if a slightly lower rate is acceptable.',
  source: 'nginx, limit_req_zone (parameter rate)',
  messages: {
    rounded: {
      text: 'nginx rounds {rate} down to {perSecond} requests per second: one request every {real} instead of every {written}',
      remedy: 'Write "{exact}", which nginx does not round. Ignore this if a slightly lower rate is acceptable.',
    },
  },
  cel: 'its message has times such as "62.5 s", which CEL cannot calculate',
  examples: () => ({
    bad: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/m, zoneSize: 10m }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 30r/m, zoneSize: 10m }'] }),
  }),
  check({ limits }, { report }) {
    for (const { rate } of limits) {
      if (!rate.value || rate.value.unit === 's' || rateOverflows(rate.value) || isWhole(rate.value)) continue
      const real = describeSeconds(secondsPerRequest(rate.value))
      const written = describeSeconds(60 / Number(rate.value.digits))
      if (real === written) continue
      const perSecond = rate.value.thousandths / 1000
      report('rounded', rate, {
        rate: printRate(rate.value),
        perSecond,
        real,
        written,
        exact: nearestExact(rate.value),
      })
    }
  },
})

/** 1000/60 is 50/3: multiples of 3 leave no rest. */
const isWhole = ({ digits }: Rate): boolean => Number(digits) % 3 === 0

function nearestExact({ digits }: Rate): string {
  return `${Math.max(3, Math.round(Number(digits) / 3) * 3)}r/m`
}
