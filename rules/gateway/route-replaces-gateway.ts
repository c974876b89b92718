import { liftedLimits } from '../../src/gateway/effective/effective.ts'
import { attachedTargets, oncePerGateway } from '../../src/gateway/routing/targets.ts'
import { rule } from '../../src/gateway/rule.ts'
import { describeLimit } from './describe.ts'
import { gateway, manifest, route, target } from './manifest.ts'

const CONTEXT = [gateway('shop'), route('coffee', 'parentRefs: [{ name: shop }]')]
const EDGE = manifest({ metadata: '{ name: edge, namespace: shop }', targets: [target('Gateway', 'shop')] })

/** nginx inherits limit_req from the outer level only if the inner level has none. */
export default rule({
  id: 'gateway/route-replaces-gateway',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  reads: ['policies', 'gateways', 'routes', 'namespaces', 'composition', 'conflict'],
  summary: 'Where directives are inherited, a route policy repeats the limits of its Gateway.',
  why: 'nginx inherits limit_req from the outer level only if the inner level has none. A route with any limit of its own, however high, is exempt from all limits of its Gateway.',
  remedy: 'Repeat the limits of the Gateway in this policy.',
  source: 'nginx, limit_req; specification of RateLimitPolicy, "What the service does", items 6 and 7',
  messages: {
    lifted: {
      text: 'this policy replaces the limits of Gateway "{gateway}" on {kind} "{name}": {limit} (policy "{outer}") is not enforced there',
      remedy: 'Repeat the limit in this policy: {limit}.',
    },
  },
  examples: () => ({
    settings: { composition: 'inherit' },
    bad: manifest({ limits: ['{ key: $uri, rate: 1000r/s, zoneSize: 10m }'], beside: [...CONTEXT, EDGE] }),
    good: manifest({ beside: [...CONTEXT, EDGE] }),
  }),
  check(policy, context) {
    const { conflict, composition, report } = context
    if (composition !== 'inherit' || policy.limits.length === 0) return
    const lifting = attachedTargets(policy, context, conflict).flatMap((place) => {
      const [lifted] = liftedLimits(place.outer, place.own, composition)
      return lifted ? [{ ...place, lifted }] : []
    })
    for (const { target, kind, name, gateway, lifted } of oncePerGateway(lifting)) {
      const data = { limit: describeLimit(lifted.limit), outer: lifted.policy.identity.name }
      report('lifted', target.name, { kind, name, gateway: gateway.name, ...data })
    }
  },
})
