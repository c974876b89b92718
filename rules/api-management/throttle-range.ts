import { isWithin } from '../../src/api-management/applied.ts'
import { THROTTLE } from '../../src/api-management/fields.ts'
import { rule } from '../../src/api-management/rule.ts'
import { body } from './body.ts'
import { throttlesOf } from './views.ts'

/** burst and delay are numbers of requests. */
export default rule({
  id: 'api-management/throttle-range',
  severity: 'error',
  judges: 'Proxy',
  summary: 'burst and delay are positive whole numbers.',
  why: 'burst is the number of requests above the rate that nginx accepts, delay how many of them it serves at once. The API refuses a number that is not positive or not whole.',
  remedy: 'Write a whole number above 0, or remove the field.',
  source: 'specification of the API management rate limit policy, throttle.burst and throttle.delay',
  messages: {
    range: {
      text: '{field} must be a whole number from 1 to {largest}, but is {count}',
      remedy: 'Write "{field}: {near}", or remove {field}.',
    },
  },
  examples: () => ({
    bad: body({ limits: ['{ rate: 10r/s, rateLimitBy: client.ip, zoneSize: 10M, throttle: { burst: 0 } }'] }),
    good: body({ limits: ['{ rate: 10r/s, rateLimitBy: client.ip, zoneSize: 10M, throttle: { burst: 20 } }'] }),
  }),
  check(proxy, { report }) {
    for (const throttle of throttlesOf(proxy))
      for (const field of ['burst', 'delay'] as const) {
        const { value: count } = throttle[field]
        if (count === undefined || isWithin(THROTTLE[field], count)) continue
        const { minimum, maximum: largest } = THROTTLE[field]
        const near = Math.min(Math.max(Math.ceil(count), minimum), largest)
        report('range', throttle[field], { field, count, near, largest })
      }
  },
})
