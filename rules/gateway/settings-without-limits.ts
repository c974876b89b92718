import { rule } from '../../src/engine/rule.ts'
import { dryRunMismatches } from '../../src/gateway/effective/interactions.ts'
import { missingLimits } from '../../src/gateway/schema/violations.ts'
import { manifest } from './manifest.ts'
import { listed } from './words.ts'

/** Settings without limits act on the limits of others. */
export default rule({
  id: 'gateway/settings-without-limits',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  reads: ['policies', 'gateways', 'routes', 'namespaces', 'composition', 'conflict'],
  summary: 'dryRun, logLevel and rejectCode stand beside limits.',
  why: 'A policy without limits is accepted. Its settings then hold for the limits that other policies bring to the same target, and it takes part in conflicts: the policy that loses is dropped with all its limits.',
  remedy:
    'Write the limits under spec.rateLimit.local.rules, or move the settings into the policy that has the limits.',
  source:
    'specification of RateLimitPolicy, "States and transitions"; nginx, limit_req_dry_run, limit_req_log_level, limit_req_status',
  messages: { alone: '{settings} without any limit: the policy changes what limits of other policies do' },
  examples: {
    bad: manifest({ limits: [], settings: ['rejectCode: 429'] }),
    good: manifest({ settings: ['rejectCode: 429'] }),
  },
  check(policy, context) {
    const lonely = missingLimits(policy)?.settings ?? []
    const spills = lonely.includes('dryRun') && dryRunMismatches(policy, context, context).length > 0
    const settings = spills ? lonely.filter((name) => name !== 'dryRun') : lonely
    const [first] = settings
    if (!first) return
    context.report('alone', settings.length > 1 ? policy.rateLimit : policy[first], { settings: listed(settings) })
  },
})
