import { rule } from '../../src/engine/rule.ts'
import { queueOf, waiting } from '../../src/gateway/effective/bucket.ts'
import { describeSeconds, printRate, rateOverflows } from '../../src/limits/rate.ts'
import { manifest } from './manifest.ts'

/** A request that waits longer than its client has patience for is work done for nobody. */
export default rule({
  id: 'gateway/queue-latency',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  reads: ['budgets'],
  summary: 'A full queue empties before clients and proxies give up.',
  why: 'nginx sends the requests of a burst on at the pace of the rate, so the last one of a full queue waits for all before it. Clients and proxies have given up by then, while their connections and the queue stay occupied.',
  remedy: 'Lower burst to {burst}, or {alternative} so that nobody waits.',
  source: 'nginx, limit_req (parameters burst, delay and nodelay)',
  messages: {
    slow: 'with "burst: {written}" at {rate} the last request of a full queue waits {wait}, longer than {patience}',
    slower: {
      text: 'at {rate} even one request in the queue waits {wait}, longer than {patience}',
      remedy: 'Remove burst, or {alternative} so that nobody waits.',
    },
  },
  examples: {
    bad: manifest({ limits: ['{ key: $binary_remote_addr, rate: 1r/s, burst: 60, zoneSize: 10m }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 1r/s, burst: 60, noDelay: true, zoneSize: 10m }'] }),
  },
  check({ limits }, { report, budgets: { queueSeconds } }) {
    for (const limit of limits) {
      const queue = queueOf(limit)
      const rate = limit.rate.value
      if (!queue || !rate || rate.thousandths === 0 || rateOverflows(rate)) continue
      const seconds = (waiting(queue) * 1000) / rate.thousandths
      if (seconds <= queueSeconds) continue
      const fitting = Math.floor((queueSeconds * rate.thousandths) / 1000)
      report(fitting > 0 ? 'slow' : 'slower', limit.burst, {
        written: queue.burst,
        rate: printRate(rate),
        wait: describeSeconds(seconds),
        patience: describeSeconds(queueSeconds),
        burst: fitting + (queue.delay ?? 0),
        alternative: queue.delay === undefined ? 'add "noDelay: true"' : 'replace delay by "noDelay: true"',
      })
    }
  },
})
