import { dryRunMismatches } from '../../src/gateway/effective/interactions.ts'
import { oncePerGateway } from '../../src/gateway/routing/targets.ts'
import { rule } from '../../src/gateway/rule.ts'
import { gateway, manifest, route, target } from './manifest.ts'

const CONTEXT = [gateway('shop'), route('coffee', 'parentRefs: [{ name: shop }]')]
const edge = (...settings: readonly string[]) =>
  manifest({ metadata: '{ name: edge, namespace: shop }', targets: [target('Gateway', 'shop')], settings })

/** nginx inherits dryRun separately from the limits, so a route and its Gateway can have one each. */
export default rule({
  id: 'gateway/dry-run-spill',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  reads: ['policies', 'gateways', 'routes', 'namespaces', 'composition', 'conflict'],
  summary: 'A route policy does not set dryRun to change the limits of its Gateway.',
  why: 'nginx inherits dryRun separately from the limits. "dryRun: true" in a route policy without limits puts the limits of the Gateway into dry run on that route. "dryRun: false" in a route policy does not end the dry run that a Gateway policy sets.',
  remedy: 'Remove dryRun from the route policy, or change it in the Gateway policy.',
  source: 'specification of RateLimitPolicy, "What the service does", items 6 and 7; nginx, limit_req_dry_run',
  messages: {
    spill: {
      text: '"dryRun: true" puts the limits of Gateway "{gateway}" (policy "{outer}") into dry run on {kind} "{name}"',
      remedy:
        'Remove dryRun here (and the policy, if it limits nothing); to test the limits of Gateway "{gateway}", set dryRun in policy "{outer}".',
    },
    'outer-stays-dry': {
      text: '"dryRun: false" does not end the dry run of policy "{outer}": the limits of Gateway "{gateway}" are not enforced on {kind} "{name}"',
      remedy:
        'Remove dryRun from policy "{outer}" to enforce the limits of Gateway "{gateway}"; otherwise remove it here (and the policy, if it limits nothing).',
    },
    'own-stays-dry': {
      text: '"dryRun: false" does not end the dry run of policy "{outer}" on Gateway "{gateway}": these limits are not enforced on {kind} "{name}" either',
      remedy: 'Remove dryRun from policy "{outer}" to enforce limits; otherwise remove it here.',
    },
  },
  examples: {
    bad: manifest({ settings: ['dryRun: false'], beside: [...CONTEXT, edge('dryRun: true')] }),
    good: manifest({ settings: ['dryRun: true'], beside: [...CONTEXT, edge()] }),
  },
  check(policy, context) {
    for (const { mismatch, outerPolicy, kind, name, gateway } of oncePerGateway(
      dryRunMismatches(policy, context, context),
    ))
      context.report(mismatch, policy.dryRun, { kind, name, gateway: gateway.name, outer: outerPolicy?.identity.name })
  },
})
