import { rule } from '../../src/engine/rule.ts'
import { missingLimits } from '../../src/gateway/schema/violations.ts'
import { manifest } from './manifest.ts'

/** A policy without limits looks like protection and is none. */
export default rule({
  id: 'gateway/no-limits',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  summary: 'A policy limits something.',
  why: 'The API server accepts a policy without limits, and its targets are marked as affected by it all the same. Whoever looks at them believes that they are protected.',
  remedy: 'Write at least one limit under spec.rateLimit.local.rules, or delete the policy.',
  source: 'specification of RateLimitPolicy, "Resources and their fields" and "Status of a target"',
  messages: { none: 'the policy limits nothing: {field} is {state}' },
  examples: {
    bad: manifest({ limits: [] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 10m }'] }),
  },
  check(policy, { report }) {
    const empty = missingLimits(policy)
    if (empty && empty.settings.length === 0)
      report('none', empty.at, {
        field: empty.at.pointer.slice(1).replaceAll('/', '.'),
        state: empty.at.raw ? 'empty' : 'missing',
      })
  },
})
