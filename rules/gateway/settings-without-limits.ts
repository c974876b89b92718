import { dryRunMismatches } from '../../src/gateway/effective/interactions.ts'
import { rule } from '../../src/gateway/rule.ts'
import { missingLimits } from '../../src/gateway/schema/violations.ts'
import { joinItems } from '../describe.ts'
import { manifest } from './manifest.ts'

/** Settings without limits act on the limits of other policies. */
export default rule({
  id: 'gateway/settings-without-limits',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  reads: ['policies', 'gateways', 'routes', 'namespaces', 'composition', 'conflict'],
  summary: 'A policy that sets dryRun, logLevel or rejectCode has limits.',
  why: 'The API server accepts a policy without limits. Its settings then apply to the limits that other policies set on the same target. The settings also take part in conflicts, and a conflict rejects a whole policy with all its limits.',
  remedy: 'Add limits under spec.rateLimit.local.rules, or move the settings into the policy that has the limits.',
  source:
    'specification of RateLimitPolicy, "States and transitions"; nginx, limit_req_dry_run, limit_req_log_level, limit_req_status',
  messages: {
    alone: '{settings} without limits: this policy only affects the limits of other policies',
  },
  examples: () => ({
    bad: manifest({ limits: [], settings: ['rejectCode: 429'] }),
    good: manifest({ settings: ['rejectCode: 429'] }),
  }),
  check(policy, context) {
    const alone = missingLimits(policy)?.settings ?? []
    const spills = alone.includes('dryRun') && dryRunMismatches(policy, context, context).length > 0
    const settings = spills ? alone.filter((name) => name !== 'dryRun') : alone
    const [first] = settings
    if (!first) return
    context.report('alone', settings.length > 1 ? policy.rateLimit : policy[first], { settings: joinItems(settings) })
  },
})
