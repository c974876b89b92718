import { rule } from '../../src/engine/rule.ts'
import { liftedLimits } from '../../src/gateway/effective/effective.ts'
import { attachedTargets, oncePerGateway } from '../../src/gateway/routing/targets.ts'
import { limitWords } from './limits.ts'
import { gateway, manifest, route, target } from './manifest.ts'

const AROUND = [gateway('shop'), route('coffee', 'parentRefs: [{ name: shop }]')]
const EDGE = manifest({ metadata: '{ name: edge, namespace: shop }', targets: [target('Gateway', 'shop')] })

/** nginx takes limit_req from the outer level only where the inner one has none. */
export default rule({
  id: 'gateway/route-replaces-gateway',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  reads: ['policies', 'gateways', 'routes', 'namespaces', 'composition', 'conflict'],
  summary: "A route's limits repeat those of its Gateway, where directives are inherited.",
  why: 'nginx inherits limit_req from the outer level only where the inner one has none. A route with a limit of its own, however generous, is then free of every limit of its Gateway.',
  remedy: 'Repeat the limit here: {limit}.',
  source: 'nginx, limit_req; specification of RateLimitPolicy, "What the service does", items 6 and 7',
  messages: {
    lifted:
      'the limits here take the place of those of Gateway "{gateway}" on {kind} "{name}": {limit} (policy "{outer}") is no longer enforced there',
  },
  examples: {
    settings: { composition: 'inherit' },
    bad: manifest({ limits: ['{ key: $uri, rate: 1000r/s, zoneSize: 10m }'], beside: [...AROUND, EDGE] }),
    good: manifest({ beside: [...AROUND, EDGE] }),
  },
  check(policy, context) {
    const { conflict, composition, report } = context
    if (composition !== 'inherit' || policy.limits.length === 0) return
    const lifting = attachedTargets(policy, context, conflict).flatMap((place) => {
      const [lifted] = liftedLimits(place.outer, place.own, composition)
      return lifted ? [{ ...place, lifted }] : []
    })
    for (const { target, kind, name, gateway, lifted } of oncePerGateway(lifting)) {
      const words = { limit: limitWords(lifted.limit), outer: lifted.policy.identity.name }
      report('lifted', target.name, { kind, name, gateway: gateway.name, ...words })
    }
  },
})
