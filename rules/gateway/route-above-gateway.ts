import { rule } from '../../src/engine/rule.ts'
import { shadowedLimits } from '../../src/gateway/effective/interactions.ts'
import { rateWords } from './limits.ts'
import { gateway, manifest, route, target } from './manifest.ts'
import { shorten } from './words.ts'

const AROUND = [gateway('shop'), route('coffee', 'parentRefs: [{ name: shop }]')]
const EDGE = manifest({ metadata: '{ name: edge, namespace: shop }', targets: [target('Gateway', 'shop')] })

/** Gateway and route limits are both enforced: of two by the same key only the tighter one is ever met. */
export default rule({
  id: 'gateway/route-above-gateway',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  reads: ['policies', 'gateways', 'routes', 'namespaces', 'composition', 'conflict'],
  summary: "A route's limit is tighter than its Gateway's limit by the same key.",
  why: "A request passes through the limits of its Gateway and those of its route. Whatever the Gateway's tighter limit lets through, a looser one by the same key on the route never stops: it only takes memory.",
  remedy: 'Make it tighter than {outerRate}, or remove it.',
  source: 'specification of RateLimitPolicy, "What the service does", items 6 to 8',
  messages: {
    never: '{rate} by {key} is never met: policy "{outer}" limits the same key on Gateway "{gateway}" to {outerRate}',
  },
  examples: {
    bad: manifest({ limits: ['{ key: $binary_remote_addr, rate: 100r/s, zoneSize: 10m }'], beside: [...AROUND, EDGE] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 1r/s, zoneSize: 10m }'], beside: [...AROUND, EDGE] }),
  },
  check(policy, context) {
    if (context.composition !== 'stack') return
    for (const { limit, outer, gateway } of shadowedLimits(policy, context, context.conflict))
      context.report('never', limit.rate, {
        key: shorten(limit.key.value?.written ?? ''),
        rate: rateWords(limit),
        outer: outer.policy.identity.name,
        outerRate: rateWords(outer.limit),
        gateway,
      })
  },
})
