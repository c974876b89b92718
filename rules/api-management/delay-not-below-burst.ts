import { rule } from '../../src/api-management/rule.ts'
import { queueOf } from '../../src/nginx/bucket.ts'
import { body } from './body.ts'
import { throttlesOf } from './views.ts'

const limit = (throttle: string) => `{ rate: 10r/s, rateLimitBy: client.ip, zoneSize: 10M, throttle: ${throttle} }`

/** If delay reaches burst, no request is delayed. */
export default rule({
  id: 'api-management/delay-not-below-burst',
  severity: 'warning',
  judges: 'Proxy',
  summary: 'delay is lower than burst.',
  why: 'delay is the point within the burst at which nginx starts to delay requests. If it reaches burst, no request is left to delay, as with noDelay, and the second of the two stages is missing.',
  remedy: 'Replace delay with "noDelay: true", which does the same.',
  source: 'specification of the API management rate limit policy, throttle.delay; nginx, limit_req',
  messages: {
    reached: '"delay: {delay}" with "burst: {burst}" delays no request, just like noDelay',
  },
  examples: () => ({
    bad: body({ limits: [limit('{ burst: 5, delay: 8 }')] }),
    good: body({ limits: [limit('{ burst: 8, delay: 5 }')] }),
  }),
  check(proxy, { report }) {
    for (const throttle of throttlesOf(proxy)) {
      const { burst = 0, delay = -1, noDelay = false } = queueOf(throttle) ?? {}
      if (burst > 0 && delay >= burst && !noDelay) report('reached', throttle.delay, { delay, burst })
    }
  },
})
