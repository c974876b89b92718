import { dryRunMismatches, routesInDryRun } from '../../src/gateway/effective/interactions.ts'
import { oncePerGateway } from '../../src/gateway/routing/targets.ts'
import { rule } from '../../src/gateway/rule.ts'
import { counted } from '../../src/text/plural.ts'
import { gateway, manifest, route, target } from './manifest.ts'

const CONTEXT = [gateway('shop'), route('coffee', 'parentRefs: [{ name: shop }]')]
const edge = (...settings: readonly string[]) =>
  manifest({ metadata: '{ name: edge, namespace: shop }', targets: [target('Gateway', 'shop')], settings })

const OUTER =
  '"dryRun: false" does not end the dry run of policy "{outer}": the limits of Gateway "{gateway}" are not enforced on {kind} "{name}"'
const BELOW = '"dryRun: true" also puts the limits of policy "{inner}" on {kind} "{name}" into dry run{others}'

/** nginx inherits dryRun separately from the limits, so a route and its Gateway can have one each. */
export default rule({
  id: 'gateway/dry-run-spill',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  reads: ['policies', 'gateways', 'routes', 'namespaces', 'composition', 'conflict'],
  summary: 'The dryRun of a policy on a route or a Gateway affects only its own limits.',
  why: 'nginx inherits dryRun separately from the limits. "dryRun: true" in a route policy without limits puts the limits of the Gateway into dry run on that route. "dryRun: false" in a route policy does not end the dry run that a Gateway policy sets, and "dryRun: true" in a Gateway policy also puts the limits of its routes into dry run, unless their policies set dryRun.',
  remedy: 'Remove dryRun from the route policy, or change it in the Gateway policy.',
  source: 'specification of RateLimitPolicy, "What the service does", items 6 and 7; nginx, limit_req_dry_run',
  messages: {
    spill: {
      text: '"dryRun: true" puts the limits of Gateway "{gateway}" (policy "{outer}") into dry run on {kind} "{name}"',
      remedy:
        'Remove dryRun here (and the policy, if it limits nothing); to test the limits of Gateway "{gateway}", set dryRun in policy "{outer}".',
    },
    'outer-stays-dry': {
      text: OUTER,
      remedy:
        'Remove dryRun from policy "{outer}" to enforce the limits of Gateway "{gateway}"; otherwise remove it here (and the policy, if it limits nothing).',
    },
    'only-outer-stays-dry': {
      text: OUTER,
      remedy:
        'Remove dryRun from policy "{outer}" to enforce the limits of Gateway "{gateway}". Ignore this if only those are on trial.',
    },
    'own-stays-dry': {
      text: '"dryRun: false" does not end the dry run of policy "{outer}" on Gateway "{gateway}": these limits are not enforced on {kind} "{name}" either',
      remedy: 'Remove dryRun from policy "{outer}" to enforce these limits; otherwise write "dryRun: true" here.',
    },
    below: {
      text: BELOW,
      remedy: 'Remove dryRun here to enforce them. Ignore this if all limits behind the Gateway are on trial.',
    },
    'below-replaced': {
      text: BELOW,
      remedy:
        'Remove dryRun here to enforce them; to enforce the limits of this policy there too, repeat them in the route policies, as these replace them. Ignore this if all limits behind the Gateway are on trial.',
    },
  },
  examples: () => ({
    bad: manifest({ settings: ['dryRun: false'], beside: [...CONTEXT, edge('dryRun: true')] }),
    good: manifest({ settings: ['dryRun: true'], beside: [...CONTEXT, edge()] }),
  }),
  check(policy, context) {
    for (const { mismatch, outerPolicy, own, kind, name, gateway } of oncePerGateway(
      dryRunMismatches(policy, context, context),
    )) {
      // Without it the limits of the route would be in dry run, too.
      const isNeeded = mismatch === 'outer-stays-dry' && own.limits.length > 0
      context.report(isNeeded ? 'only-outer-stays-dry' : mismatch, policy.dryRun, {
        kind,
        name,
        gateway: gateway.name,
        outer: outerPolicy?.identity.name,
      })
    }
    const [below, ...others] = routesInDryRun(policy, context, context.conflict)
    if (!below) return
    const isReplaced = context.composition === 'inherit' && policy.limits.length > 0
    context.report(isReplaced ? 'below-replaced' : 'below', policy.dryRun, {
      ...{ inner: below.policy.identity.name, kind: below.kind, name: below.name },
      others: others.length === 0 ? '' : `, and those on ${counted(others.length, 'other route')}`,
    })
  },
})
