import { isOverlooked } from '../../src/gateway/routing/faults.ts'
import { printLocation } from '../../src/gateway/routing/matches.ts'
import { sharedLocations } from '../../src/gateway/routing/targets.ts'
import { rule } from '../../src/gateway/rule.ts'
import { knownNamespace } from '../../src/kubernetes/metadata.ts'
import { gateway, manifest, route } from './manifest.ts'

const PARENT = 'parentRefs: [{ name: shop }]'
const path = (value: string): string => `rules: [{ matches: [{ path: { type: PathPrefix, value: ${value} } }] }]`

/** Routes with the same path on the same host become one nginx location, which has one set of limits. */
export default rule({
  id: 'gateway/location-shared',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  reads: ['fabricVersion', 'gateways', 'routes', 'namespaces'],
  summary: 'A targeted route does not share a path with a route that is not targeted.',
  why: 'Routes with the same hostname, port and path become one nginx location, and a limit there applies to both. If the policy targets only one of them, the controller rejects the whole policy (reason TargetConflict).',
  remedy: 'Target both routes, or give one of them another path or hostname.',
  source:
    'specification of RateLimitPolicy, "What the service does", item 5; NGINX Gateway Fabric, reason TargetConflict',
  messages: {
    shared: {
      text: 'this policy is rejected: {kind} "{name}" shares {location} on Gateway "{gateway}" with {otherKind} "{other}", which is not a target',
      remedy: 'Target {otherKind} "{other}" too, or give one of the two routes another path or hostname.',
    },
    'shared-elsewhere': {
      text: 'this policy is rejected: {kind} "{name}" shares {location} on Gateway "{gateway}" with {otherKind} "{other}" in namespace "{namespace}", which is not a target',
      remedy: 'Give one of the two routes another path or hostname.',
    },
  },
  examples: () => ({
    bad: manifest({
      beside: [gateway('shop'), route('coffee', PARENT, path('/menu')), route('tea', PARENT, path('/menu'))],
    }),
    good: manifest({
      beside: [gateway('shop'), route('coffee', PARENT, path('/coffee')), route('tea', PARENT, path('/tea'))],
    }),
  }),
  check(policy, context) {
    for (const shared of sharedLocations(policy, context)) {
      // Then gateway/release-fault says what becomes of it.
      if (isOverlooked(shared, context, context.fabricVersion)) continue
      const { target, kind, name, gateway, location, other } = shared
      const { kind: otherKind, name: otherName = '' } = other.identity
      const namespace = knownNamespace(other.identity.namespace)
      const data = { kind, name, location: printLocation(location), gateway, otherKind, other: otherName, namespace }
      const isElsewhere = namespace !== undefined && namespace !== policy.identity.namespace
      context.report(isElsewhere ? 'shared-elsewhere' : 'shared', target.name, data)
    }
  },
})
