import { rule } from '../../src/gateway/rule.ts'
import { describeSeconds, printRate, rateOverflows, secondsPerRequest } from '../../src/limits/rate.ts'
import { queueOf, waiting } from '../../src/nginx/bucket.ts'
import { manifest } from './manifest.ts'

/** If a request waits longer than its client does, the work on it is wasted. */
export default rule({
  id: 'gateway/queue-latency',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  reads: ['budgets'],
  summary: 'A full queue empties before clients and proxies time out.',
  why: 'nginx forwards the requests of a burst at the rate of the limit, so the last request of a full queue waits for all others. By then clients and proxies have timed out, while their connections and the queue stay occupied.',
  remedy: 'Lower burst, or use "noDelay: true" instead of delay so that no request waits.',
  source: 'nginx, limit_req (parameters burst, delay and nodelay)',
  messages: {
    slow: {
      text: 'with "burst: {burst}" at {rate}, the first request in the queue waits {first} and the last {last}, longer than {longest}',
      remedy: 'Lower burst to {lower}, or {alternative} so that no request waits.',
    },
    slower: {
      text: 'at {rate}, the first request in the queue waits {first} and the last {last}, both longer than {longest}',
      remedy: 'Remove {queue}, or {alternative} so that no request waits.',
    },
    single: {
      text: 'at {rate}, a queued request waits {first}, longer than {longest}',
      remedy: 'Remove {queue}, or {alternative} so that no request waits.',
    },
  },
  cel: 'its message has times such as "62.5 s", which CEL cannot calculate',
  examples: () => ({
    bad: manifest({ limits: ['{ key: $binary_remote_addr, rate: 1r/s, burst: 60, zoneSize: 10m }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 1r/s, burst: 60, noDelay: true, zoneSize: 10m }'] }),
  }),
  check({ limits }, { report, budgets: { queueSeconds } }) {
    for (const limit of limits) {
      const queue = queueOf(limit)
      const rate = limit.rate.value
      if (!queue || !rate || rate.thousandths === 0 || rateOverflows(rate)) continue
      const seconds = (waiting(queue) * 1000) / rate.thousandths
      if (seconds <= queueSeconds) continue
      const fitting = Math.floor((queueSeconds * rate.thousandths) / 1000)
      const whenNoneFits = waiting(queue) > 1 ? 'slower' : 'single'
      report(fitting > 0 ? 'slow' : whenNoneFits, limit.burst, {
        burst: queue.burst,
        rate: printRate(rate),
        first: describeSeconds(secondsPerRequest(rate)),
        last: describeSeconds(seconds),
        longest: describeSeconds(queueSeconds),
        lower: fitting + (queue.delay ?? 0),
        ...waysOut(queue.delay),
      })
    }
  },
})

const waysOut = (delay: number | undefined) =>
  delay === undefined
    ? { queue: 'burst', alternative: 'add "noDelay: true"' }
    : { queue: 'burst and delay', alternative: 'replace delay with "noDelay: true"' }
