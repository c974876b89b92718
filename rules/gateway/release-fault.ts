import { FAULTS, fabricTitle, hasFault } from '../../src/fabric/releases.ts'
import { repeatedPaths, routesThroughSets, sharedByOthers } from '../../src/gateway/routing/faults.ts'
import { printLocation } from '../../src/gateway/routing/matches.ts'
import { rule } from '../../src/gateway/rule.ts'
import { shorten } from '../describe.ts'
import { gateway, manifest, target } from './manifest.ts'

const FALSE_CONFLICT = '{release} rejects this policy (TargetConflict) although only'
const FIXED = 'fixed in {fixed}: {link}'
const UPGRADE = 'Use NGINX Gateway Fabric {fixed} or newer'

/** Faults of one release are no mistakes of a policy, but whoever runs that release has to know of them. */
export default rule({
  id: 'gateway/release-fault',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  since: '0.2',
  reads: ['fabricVersion', 'platform', 'conflict', 'gateways', 'routes', 'namespaces', 'policies'],
  summary: 'The release of NGINX Gateway Fabric has no known fault with a policy.',
  why: 'Some releases do not do with a policy what they should: they reject it, or write a configuration that nginx refuses. Only where the settings or --fabric-version name a release.',
  remedy: 'Use the release in which the fault is fixed.',
  source: 'issues and pull requests of NGINX Gateway Fabric, to which each message has a link',
  messages: {
    zone: {
      text: `{release} writes limits but no zones of this policy on Gateway "{gateway}", as its routes name only ListenerSets: nginx refuses the whole configuration; ${FIXED}`,
      remedy: `${UPGRADE}, or add Gateway "{gateway}" to the parentRefs of {kind} "{name}".`,
    },
    requests: {
      text: `{release} also counts requests of its own agent for the status of nginx against the limits of Gateway "{gateway}", so that metrics may be missing; ${FIXED}`,
      severity: 'info',
      remedy: `${UPGRADE}.`,
    },
    'plus-requests': {
      text: `{release} also counts requests to the API of NGINX Plus against the limits of Gateway "{gateway}", so that changes of upstream servers may be rejected; ${FIXED}`,
      remedy: `${UPGRADE}.`,
    },
    repeated: {
      text: `${FALSE_CONFLICT} {otherKind} "{other}", which is not a target, has the path {path} twice; ${FIXED}`,
      remedy: `${UPGRADE}.`,
    },
    shared: {
      text: `${FALSE_CONFLICT} {otherKind} "{other}" and {secondKind} "{second}", which are not targets, share {location}; ${FIXED}`,
      remedy: `${UPGRADE}.`,
    },
  },
  examples: () => ({
    bad: manifest({ targets: [target('Gateway', 'shop')], beside: [gateway('shop')] }),
    good: manifest({}),
    settings: { fabricVersion: '2.5.0' },
  }),
  check(policy, context) {
    const { fabricVersion: version, platform, conflict, report } = context
    if (version === undefined) return
    const about = (fault: keyof typeof FAULTS) => {
      const { fixed, link } = FAULTS[fault]
      return { release: fabricTitle(version), fixed, link }
    }
    if (hasFault(version, 'zoneOfListenerSet'))
      for (const { target, kind, name, gateway } of routesThroughSets(policy, context, conflict)) {
        const data = { kind, name: shorten(name), gateway: shorten(gateway.name) }
        report('zone', target.name, { ...about('zoneOfListenerSet'), ...data })
      }
    if (hasFault(version, 'ownRequests') && policy.limits.length > 0 && policy.dryRun.value !== true)
      for (const { target, kind, name } of policy.namedTargets)
        if (kind === 'Gateway')
          report(platform.plus ? 'plus-requests' : 'requests', target.name, {
            ...about('ownRequests'),
            gateway: shorten(name),
          })
    if (hasFault(version, 'repeatedPath'))
      for (const { target, location, others } of repeatedPaths(policy, context)) {
        const { kind, name = '' } = others[0].identity
        const data = { otherKind: kind, other: shorten(name), path: shorten(location.path) }
        report('repeated', target.name, { ...about('repeatedPath'), ...data })
      }
    if (hasFault(version, 'sharedByOthers'))
      for (const { target, location, others } of sharedByOthers(policy, context)) {
        const [first, second = first] = others
        report('shared', target.name, {
          ...about('sharedByOthers'),
          ...{ otherKind: first.identity.kind, other: shorten(first.identity.name ?? '') },
          ...{ secondKind: second.identity.kind, second: shorten(second.identity.name ?? '') },
          location: printLocation(location),
        })
      }
  },
})
