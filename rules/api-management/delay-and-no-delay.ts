import { rule } from '../../src/api-management/rule.ts'
import { body } from './body.ts'
import { throttlesOf } from './views.ts'

const limit = (throttle: string) => `{ rate: 10r/s, rateLimitBy: client.ip, zoneSize: 10M, throttle: ${throttle} }`

/** noDelay serves the whole burst at once, delay only a part of it: one limit cannot do both. */
export default rule({
  id: 'api-management/delay-and-no-delay',
  severity: 'error',
  judges: 'Proxy',
  summary: 'A throttle has delay or "noDelay: true", not both.',
  why: 'They are two of the three kinds of traffic shaping: "noDelay: true" serves the whole burst at once, delay only a part of it. nginx refuses a limit with both.',
  remedy: 'Keep one of the two.',
  source: 'specification of the API management rate limit policy, "Resources and their fields"; nginx, limit_req',
  messages: {
    both: {
      text: '"noDelay: true" cannot be combined with "delay: {delay}"',
      remedy: 'Keep one: "noDelay: true" serves the whole burst at once, delay only a part of it.',
    },
    neither: {
      text: '"noDelay: true" cannot be combined with "delay: {delay}"',
      remedy: 'Remove both: without burst, neither has an effect.',
    },
  },
  examples: () => ({
    bad: body({ limits: [limit('{ burst: 20, delay: 5, noDelay: true }')] }),
    good: body({ limits: [limit('{ burst: 20, delay: 5 }')] }),
  }),
  check(proxy, { report }) {
    for (const { burst, delay, noDelay } of throttlesOf(proxy))
      if (noDelay.value === true && delay.value !== undefined)
        report(burst.raw === undefined ? 'neither' : 'both', noDelay, { delay: delay.value })
  },
})
