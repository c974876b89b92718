import { rule } from '../../src/engine/rule.ts'
import type { Refusal } from '../../src/gateway/attachment.ts'
import { routeTargets } from '../../src/gateway/route-targets.ts'
import { servingOf } from '../../src/gateway/serving.ts'
import { gateway, manifest, route } from './manifest.ts'

const REASONS: Readonly<Record<Refusal, string>> = {
  'not-named': 'the route does not name it',
  section: 'it has no listener of the name that the route asks for',
  port: 'it has no listener on the port that the route asks for',
  kind: 'none of its listeners admits routes of this kind',
  namespace: 'none of its listeners admits routes of this namespace',
  hostname: 'none of its listeners shares a hostname with the route',
}

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
    absent: '{kind} "{name}" gets no requests to limit: its Gateway "{gateway}" does not exist in namespace "{namespace}"',
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
      if (serving.state !== 'absent' && serving.state !== 'refused') continue
      const data = { kind, name, gateway: serving.gateway.name }
      if (serving.state === 'absent')
        context.report('absent', target.name, { ...data, namespace: serving.gateway.namespace })
      else context.report('refused', target.name, { ...data, reason: REASONS[serving.reason] })
    }
  },
})
