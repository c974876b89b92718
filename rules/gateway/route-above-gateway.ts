import { shadowedLimits } from '../../src/gateway/effective/interactions.ts'
import { rule } from '../../src/gateway/rule.ts'
import { shorten } from '../describe.ts'
import { describeRate } from './describe.ts'
import { gateway, manifest, route, target } from './manifest.ts'

const CONTEXT = [gateway('shop'), route('coffee', 'parentRefs: [{ name: shop }]')]
const EDGE = manifest({ metadata: '{ name: edge, namespace: shop }', targets: [target('Gateway', 'shop')] })

/** Gateway and route limits are both enforced: of two with the same key, the looser one never rejects a request. */
export default rule({
  id: 'gateway/route-above-gateway',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  reads: ['policies', 'gateways', 'routes', 'namespaces', 'composition', 'conflict'],
  summary: 'A route limit is stricter than the Gateway limit with the same key.',
  why: 'A request must pass the limits of its Gateway and those of its route. A route limit that is looser than the Gateway limit with the same key never rejects a request; it only uses memory.',
  remedy: 'Make the limit stricter than that of the Gateway, or remove it.',
  source: 'specification of RateLimitPolicy, "What the service does", items 6 to 8',
  messages: {
    never: {
      text: '{rate} for key {key} has no effect: policy "{outer}" limits the same key on Gateway "{gateway}" to {outerRate}',
      remedy: 'Make the limit stricter than {outerRate}, or remove it (and the policy, if it has no other limit).',
    },
  },
  examples: () => ({
    bad: manifest({
      limits: ['{ key: $binary_remote_addr, rate: 100r/s, zoneSize: 10m }'],
      beside: [...CONTEXT, EDGE],
    }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 1r/s, zoneSize: 10m }'], beside: [...CONTEXT, EDGE] }),
  }),
  check(policy, context) {
    if (context.composition !== 'stack') return
    for (const { limit, outer, gateway } of shadowedLimits(policy, context, context.conflict))
      context.report('never', limit.rate, {
        key: shorten(limit.key.value?.written ?? ''),
        rate: describeRate(limit),
        outer: outer.policy.identity.name,
        outerRate: describeRate(outer.limit),
        gateway,
      })
  },
})
