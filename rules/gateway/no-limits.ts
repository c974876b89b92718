import { rule } from '../../src/gateway/rule.ts'
import { missingLimits } from '../../src/gateway/schema/violations.ts'
import { manifest } from './manifest.ts'

/** A policy without limits looks like protection but limits nothing. */
export default rule({
  id: 'gateway/no-limits',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  summary: 'A policy has at least one limit.',
  why: 'The API server accepts a policy without limits, and the controller still marks its targets as affected. They look protected, but nothing is limited.',
  remedy: 'Add a limit under spec.rateLimit.local.rules, or delete the policy.',
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
