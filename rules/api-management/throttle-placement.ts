import type { PolicyView } from '../../src/api-management/proxy.ts'
import { type PatchOperation, rule } from '../../src/api-management/rule.ts'
import { isObject } from '../../src/json/member.ts'
import { body, LIMIT } from './body.ts'
import { policiesOf } from './views.ts'

/** A throttle belongs to a limit. */
export default rule({
  id: 'api-management/throttle-placement',
  severity: 'warning',
  judges: 'Proxy',
  fix: 'safe',
  summary: 'throttle stands in a limit, not beside the limits.',
  why: 'A throttle says what happens to the requests above the rate of one limit. In action it is accepted, and applies to every limit that has none of its own: who adds a limit later gives it that burst, too.',
  remedy: 'Move throttle into the limits to which it shall apply.',
  source: 'specification of the API management rate limit policy, "Resources and their fields"',
  messages: {
    beside: 'throttle stands in action: it applies to every limit that has none of its own',
    idle: {
      text: 'throttle in action applies to no limit, as each has its own',
      remedy: 'Remove it.',
    },
  },
  examples: () => ({
    bad: body({ action: ['returnCode: 429', 'throttle: { burst: 20 }'] }),
    good: body({ limits: [LIMIT.replace(' }', ', throttle: { burst: 20 } }')] }),
  }),
  check(proxy, { report }) {
    for (const policy of policiesOf(proxy)) {
      if (!policy.sharedThrottle.value) continue
      const patch = patchOf(policy)
      const isIdle = policy.limits.length > 0 && patch?.length === 1
      report(isIdle ? 'idle' : 'beside', policy.sharedThrottle, {}, patch)
    }
  },
})

/** Moves the throttle into the limits; undefined where it is not known which those are. */
function patchOf({ limits, limitList, sharedThrottle }: PolicyView): readonly PatchOperation[] | undefined {
  const { value } = sharedThrottle
  if (!value || !limitList.value || limits.length === 0 || limits.some(({ raw }) => !isObject(raw))) return undefined
  const without = limits.filter(({ throttle }) => throttle.raw === undefined)
  return [
    ...without.map(({ throttle }): PatchOperation => ({ op: 'add', path: throttle.pointer, value })),
    { op: 'remove', path: sharedThrottle.pointer },
  ]
}
