import { rule } from '../../src/engine/rule.ts'
import type { RouteView } from '../../src/gateway/objects/gateways-and-routes.ts'
import { type Serving, servingOf } from '../../src/gateway/routing/attachment.ts'
import { routeTargets } from '../../src/gateway/routing/targets.ts'
import { gateway, manifest, route } from './manifest.ts'
import { listed, shorten } from './words.ts'

/** A route that no Gateway serves gets no requests, so its limits limit nothing. */
export default rule({
  id: 'gateway/target-not-attached',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  reads: ['gateways', 'routes', 'namespaces'],
  summary: 'A targeted route is served by a Gateway.',
  why: 'A route that no Gateway takes is part of no nginx configuration. Its policy limits nothing.',
  remedy: 'Correct the parentRefs of {kind} "{name}".',
  source: 'specification of RateLimitPolicy, "What the service does"; Gateway API, parentRefs and allowedRoutes',
  messages: {
    orphan: {
      text: '{kind} "{name}" names no Gateway in its parentRefs: it gets no requests to limit',
      remedy: 'Name a Gateway in the parentRefs of {kind} "{name}".',
    },
    absent:
      '{kind} "{name}" gets no requests to limit: its Gateway "{gateway}" does not exist in namespace "{namespace}"',
    refused: {
      text: '{kind} "{name}" gets no requests to limit: Gateway "{gateway}" does not take it, as {reason}',
      remedy: 'Correct the parentRefs or hostnames of {kind} "{name}", or the listeners of Gateway "{gateway}".',
    },
  },
  examples: {
    bad: manifest({ beside: [route('coffee', 'hostnames: [cafe.example]')] }),
    good: manifest({ beside: [gateway('shop'), route('coffee', 'parentRefs: [{ name: shop }]')] }),
  },
  check(policy, context) {
    for (const { target, kind, name, route } of routeTargets(policy, context)) {
      const serving = servingOf(route, context)
      if (serving.state === 'orphan') context.report('orphan', target.name, { kind, name })
      if (serving.state !== 'absent' && serving.state !== 'rejected') continue
      const data = { kind, name, gateway: serving.gateway.name }
      if (serving.state === 'absent')
        context.report('absent', target.name, { ...data, namespace: serving.gateway.namespace })
      else context.report('refused', target.name, { ...data, reason: reasonOf(serving, route) })
    }
  },
})

/** What a Gateway has against a route: `it has no listener called "https"`. */
function reasonOf({ reason, parent }: Extract<Serving, { state: 'rejected' }>, route: RouteView): string {
  const { kind, namespace } = route.identity
  if (reason === 'section') return `it has no listener called "${parent?.sectionName}"`
  if (reason === 'port') return `it has no listener on port ${parent?.port}`
  if (reason === 'kind') return `its listeners admit no ${kind}`
  if (reason === 'namespace') return `its listeners admit no routes of namespace "${namespace}"`
  return `its listeners do not serve ${shorten(listed(route.hostnames))}`
}
