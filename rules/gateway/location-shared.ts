import { rule } from '../../src/engine/rule.ts'
import { printLocation } from '../../src/gateway/routing/matches.ts'
import { sharedLocations } from '../../src/gateway/routing/targets.ts'
import { gateway, manifest, route } from './manifest.ts'

const PARENT = 'parentRefs: [{ name: shop }]'
const path = (value: string): string => `rules: [{ matches: [{ path: { type: PathPrefix, value: ${value} } }] }]`

/** Two routes that meet at one path of one host are one location of nginx, which cannot be limited for one and not for the other. */
export default rule({
  id: 'gateway/location-shared',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  reads: ['gateways', 'routes', 'namespaces'],
  summary: 'A targeted route shares no path with a route that is not targeted.',
  why: 'Routes with the same hostname, port and path become one location of nginx, and a limit there would hold for both. Where the policy targets only one of them, the controller refuses the policy whole (reason TargetConflict).',
  remedy: 'Target {otherKind} "{other}" as well, or give one of the two another path or hostname.',
  source:
    'specification of RateLimitPolicy, "What the service does", item 5; NGINX Gateway Fabric, reason TargetConflict',
  messages: {
    shared:
      '{kind} "{name}" shares {location} on Gateway "{gateway}" with {otherKind} "{other}", which is not targeted: this policy is refused whole',
    'shared-elsewhere': {
      text: '{kind} "{name}" shares {location} on Gateway "{gateway}" with {otherKind} "{other}" of namespace "{namespace}", which is not targeted: this policy is refused whole',
      remedy: 'Give one of the two routes another path or hostname.',
    },
  },
  examples: {
    bad: manifest({
      beside: [gateway('shop'), route('coffee', PARENT, path('/menu')), route('tea', PARENT, path('/menu'))],
    }),
    good: manifest({
      beside: [gateway('shop'), route('coffee', PARENT, path('/coffee')), route('tea', PARENT, path('/tea'))],
    }),
  },
  check(policy, context) {
    for (const { target, kind, name, gateway, location, other } of sharedLocations(policy, context)) {
      const { kind: otherKind, namespace, name: otherName = '' } = other.identity
      const data = { kind, name, location: printLocation(location), gateway, otherKind, other: otherName, namespace }
      context.report(namespace === policy.identity.namespace ? 'shared' : 'shared-elsewhere', target.name, data)
    }
  },
})
