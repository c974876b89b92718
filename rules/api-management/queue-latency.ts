import { rateOf } from '../../src/api-management/applied.ts'
import type { LimitView } from '../../src/api-management/proxy.ts'
import { rule } from '../../src/api-management/rule.ts'
import { mayBeMisspelt } from '../../src/api-management/shape.ts'
import { describeSeconds, printRate, rateOverflows } from '../../src/limits/rate.ts'
import { queueOf, waiting } from '../../src/nginx/bucket.ts'
import { groupBy } from '../../src/text/group.ts'
import { body } from './body.ts'
import { limitsOf } from './views.ts'

const limit = (throttle: string) => `{ rate: 1r/s, rateLimitBy: client.ip, zoneSize: 10M, throttle: ${throttle} }`

/** If a request waits longer than its client does, the work on it is wasted. */
export default rule({
  id: 'api-management/queue-latency',
  severity: 'warning',
  judges: 'Proxy',
  reads: ['budgets'],
  summary: 'A full buffer empties before clients and proxies time out.',
  why: 'nginx forwards the requests of a burst at the rate of the limit, so the last request of a full buffer waits for all others. By then clients have timed out, while their connections and the buffer stay occupied.',
  remedy: 'Lower burst, or use "noDelay: true" so that no request waits.',
  source: 'nginx, limit_req (parameters burst, delay and nodelay)',
  messages: {
    slow: {
      text: 'with "burst: {burst}" at {rate}, the last request in the buffer waits {last}, longer than {longest}',
      remedy: 'Lower burst to {lower}, or {alternative} so that no request waits.',
    },
    single: {
      text: 'at {rate}, even the first request in the buffer waits longer than {longest}',
      remedy: 'Remove {queue}, or {alternative} so that no request waits.',
    },
  },
  examples: () => ({
    bad: body({ limits: [limit('{ burst: 60 }')] }),
    good: body({ limits: [limit('{ burst: 60, noDelay: true }')] }),
  }),
  check(proxy, { report, budgets: { queueSeconds } }) {
    const queues = limitsOf(proxy)
      .filter(({ rate }) => rate.raw !== undefined || !mayBeMisspelt(proxy, rate.pointer))
      .flatMap(waitOf)
    // Limits that share a throttle: the slowest of them is reported.
    for (const sharing of groupBy(queues, ({ limit: { burst } }) => burst.pointer).values()) {
      const [slowest] = sharing.toSorted((a, b) => b.seconds - a.seconds)
      if (!slowest || slowest.seconds <= queueSeconds) continue
      const { limit, queue, rate, seconds } = slowest
      const fitting = Math.floor((queueSeconds * rate.thousandths) / 1000)
      report(fitting > 0 ? 'slow' : 'single', limit.burst, {
        burst: queue.burst,
        rate: printRate(rate),
        last: describeSeconds(seconds),
        longest: describeSeconds(queueSeconds),
        lower: fitting + (queue.delay ?? 0),
        queue: queue.delay === undefined ? 'burst' : 'burst and delay',
        alternative: queue.delay === undefined ? 'add "noDelay: true"' : 'replace delay with "noDelay: true"',
      })
    }
  },
})

function waitOf(limit: LimitView) {
  const [queue, rate] = [queueOf(limit), rateOf(limit)]
  if (!queue || !rate || rate.thousandths === 0 || rateOverflows(rate)) return []
  return [{ limit, queue, rate, seconds: (waiting(queue) * 1000) / rate.thousandths }]
}
