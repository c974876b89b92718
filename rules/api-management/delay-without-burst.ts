import { rule } from '../../src/api-management/rule.ts'
import { mayBeMisspelt } from '../../src/api-management/shape.ts'
import { queueOf } from '../../src/nginx/bucket.ts'
import { body } from './body.ts'
import { throttlesOf } from './views.ts'

const limit = (throttle: string) => `{ rate: 10r/s, rateLimitBy: client.ip, zoneSize: 10M, throttle: ${throttle} }`

/** Without a burst there is no request that could be delayed or served at once. */
export default rule({
  id: 'api-management/delay-without-burst',
  severity: 'warning',
  judges: 'Proxy',
  summary: 'delay and noDelay need a burst.',
  why: 'Both control how nginx serves the requests of a burst. Without a burst, nginx rejects every request above the rate, and neither has an effect.',
  remedy: 'Add a burst, or remove delay and noDelay.',
  source: 'specification of the API management rate limit policy, "Resources and their fields"; nginx, limit_req',
  messages: {
    'no-delay': {
      text: '"noDelay: true" has no effect without burst: every request above the rate is rejected',
      remedy: 'Add a burst, such as "burst: 10", or remove noDelay.',
    },
    delay: {
      text: '"delay: {delay}" has no effect without burst: every request above the rate is rejected',
      remedy: 'Remove delay, or replace it with "burst: {delay}" and "noDelay: true".',
    },
  },
  examples: () => ({
    bad: body({ limits: [limit('{ noDelay: true }')] }),
    good: body({ limits: [limit('{ burst: 20, noDelay: true }')] }),
  }),
  check(proxy, { report }) {
    for (const throttle of throttlesOf(proxy)) {
      const { burst, delay: count, noDelay } = throttle
      if (burst.raw !== undefined || !queueOf(throttle) || mayBeMisspelt(proxy, burst.pointer)) continue
      const isBoth = noDelay.value === true && count.value !== undefined
      if (!isBoth && noDelay.value === true) report('no-delay', noDelay)
      if (!isBoth && count.value) report('delay', count, { delay: count.value })
    }
  },
})
