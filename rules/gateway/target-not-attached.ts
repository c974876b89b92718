import { whyDetached } from '../../src/gateway/force/words.ts'
import type { RouteView } from '../../src/gateway/objects/gateways-and-routes.ts'
import { type Attachment, listenerSetKind, servingOf } from '../../src/gateway/routing/attachment.ts'
import { routeTargets } from '../../src/gateway/routing/targets.ts'
import { rule } from '../../src/gateway/rule.ts'
import { inNamespace, joinItems, shorten } from '../describe.ts'
import { gateway, manifest, route } from './manifest.ts'

/** A route that no Gateway accepts receives no requests, so its limits have no effect. */
export default rule({
  id: 'gateway/target-not-attached',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  reads: ['gateways', 'routes', 'namespaces'],
  summary: 'A targeted route is attached to a Gateway.',
  why: 'A route that no Gateway accepts is not part of any nginx configuration. Its policy limits nothing.',
  remedy: 'Correct the parentRefs of the route.',
  source: 'specification of RateLimitPolicy, "What the service does"; Gateway API, parentRefs and allowedRoutes',
  messages: {
    orphan: {
      text: '{kind} "{name}" receives no requests: its parentRefs name no Gateway',
      remedy: 'Add a Gateway to the parentRefs of {kind} "{name}".',
    },
    absent: {
      text: '{kind} "{name}" receives no requests: Gateway "{gateway}" does not exist{where}',
      remedy: 'Correct the parentRefs of {kind} "{name}", or create Gateway "{gateway}".',
    },
    noSet: {
      text: '{kind} "{name}" receives no requests: {setKind} "{set}" does not exist{where}',
      remedy: 'Correct the parentRefs of {kind} "{name}", or create {setKind} "{set}".',
    },
    refusedSet: {
      text: '{kind} "{name}" receives no requests: Gateway "{gateway}" does not allow {setKind} "{set}" to add listeners',
      remedy:
        'Allow {setKind} "{set}" in allowedListeners of Gateway "{gateway}", or correct the parentRefs of {kind} "{name}".',
    },
    rejected: {
      text: '{kind} "{name}" receives no requests: Gateway "{gateway}" {reason}',
      remedy: 'Correct the parentRefs or hostnames of {kind} "{name}", or the listeners of Gateway "{gateway}".',
    },
  },
  examples: () => ({
    bad: manifest({ beside: [route('coffee', 'hostnames: [cafe.example]')] }),
    good: manifest({ beside: [gateway('shop'), route('coffee', 'parentRefs: [{ name: shop }]')] }),
  }),
  check(policy, context) {
    for (const { target, kind, name, route } of routeTargets(policy, context)) {
      const serving = servingOf(route, context)
      if (serving.state === 'orphan') context.report('orphan', target.name, { kind, name })
      if (serving.state === 'no-set') {
        const { kind: setKind, name: set, namespace = policy.identity.namespace } = serving.set
        context.report('noSet', target.name, { kind, name, setKind, set, where: inNamespace(namespace) })
      }
      const data = { kind, name }
      if (serving.state === 'absent') {
        const { name: missing, namespace } = serving.gateway
        context.report('absent', target.name, { ...data, gateway: missing, where: inNamespace(namespace) })
      }
      if (serving.state !== 'rejected' || isOfRelease(serving, route)) continue
      const { reason, parent, knownTo, gateway: by } = serving
      if (reason === 'listener-set' && !knownTo)
        context.report('refusedSet', target.name, {
          ...{ ...data, gateway: by.name },
          ...{ setKind: parent?.kind, set: parent?.name },
        })
      else
        context.report('rejected', target.name, {
          ...{ ...data, gateway: by.name },
          reason: whyDetached(serving, route, (all) => shorten(joinItems(all))),
        })
    }
  },
})

/** True where the release does not know the kind of any parent: gateway/release-fault says so. */
const isOfRelease = (
  { knownTo }: Pick<Extract<Attachment, { state: 'rejected' }>, 'knownTo'>,
  { parents }: RouteView,
): boolean => knownTo !== undefined && parents.every((parent) => listenerSetKind(parent) !== undefined)
