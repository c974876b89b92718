import { rule } from '../../src/engine/rule.ts'
import { dryRunMismatches } from '../../src/gateway/effective/interactions.ts'
import { oncePerGateway } from '../../src/gateway/routing/targets.ts'
import { gateway, manifest, route, target } from './manifest.ts'

const AROUND = [gateway('shop'), route('coffee', 'parentRefs: [{ name: shop }]')]
const edge = (...settings: readonly string[]) =>
  manifest({ metadata: '{ name: edge, namespace: shop }', targets: [target('Gateway', 'shop')], settings })

/** The dry-run switch of a route and that of its Gateway are two switches, and neither does what one expects of the other. */
export default rule({
  id: 'gateway/dry-run-spill',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  reads: ['policies', 'gateways', 'routes', 'namespaces', 'composition', 'conflict'],
  summary: "A route's dryRun neither switches off its Gateway's limits nor is meant to end their dry run.",
  why: 'nginx inherits the dry-run switch apart from the limits. A route\'s "dryRun: true" without limits of its own then holds for its Gateway\'s limits, and a route\'s "dryRun: false" does not reach the Gateway\'s.',
  remedy: 'Remove dryRun here; to try out the limits of Gateway "{gateway}", set it in policy "{outer}".',
  source: 'specification of RateLimitPolicy, "What the service does", items 6 and 7; nginx, limit_req_dry_run',
  messages: {
    spill: 'dryRun: true switches off the limits of Gateway "{gateway}" (policy "{outer}") on {kind} "{name}"',
    'outer-stays-dry': {
      text: 'dryRun: false does not end the dry run of Gateway "{gateway}" (policy "{outer}"): its limits are not enforced on {kind} "{name}"',
      remedy: 'Remove dryRun from policy "{outer}" when the limits of Gateway "{gateway}" are to be enforced.',
    },
    'own-stays-dry': {
      text: 'dryRun: false does not end the dry run of Gateway "{gateway}" (policy "{outer}"): the limits here are not enforced on {kind} "{name}" either',
      remedy: 'Remove dryRun from policy "{outer}" when limits are to be enforced.',
    },
  },
  examples: {
    bad: manifest({ settings: ['dryRun: false'], beside: [...AROUND, edge('dryRun: true')] }),
    good: manifest({ settings: ['dryRun: true'], beside: [...AROUND, edge()] }),
  },
  check(policy, context) {
    for (const { mismatch, outerPolicy, kind, name, gateway } of oncePerGateway(
      dryRunMismatches(policy, context, context),
    ))
      context.report(mismatch, policy.dryRun, { kind, name, gateway: gateway.name, outer: outerPolicy?.identity.name })
  },
})
