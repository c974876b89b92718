import {
  CHANGES,
  FAULTS,
  type FabricVersion,
  fabricTitle,
  hasFault,
  knowsListenerSet,
} from '../../src/fabric/releases.ts'
import type { ConflictMode } from '../../src/gateway/conflicts/precedence.ts'
import { keyPlatform, keyTraits } from '../../src/gateway/keys/keys.ts'
import type { GatewayLookups } from '../../src/gateway/lookups/lookups.ts'
import type { RouteView } from '../../src/gateway/objects/gateways-and-routes.ts'
import type { NamedTarget, PolicyView } from '../../src/gateway/objects/policy.ts'
import { listenerSetKind } from '../../src/gateway/routing/attachment.ts'
import {
  type FalseConflict,
  isOverlooked,
  onSeveralGateways,
  repeatedPaths,
  routesThroughSets,
  sharedByOthers,
} from '../../src/gateway/routing/faults.ts'
import { printLocation } from '../../src/gateway/routing/matches.ts'
import { routeTargets, sharedLocations } from '../../src/gateway/routing/targets.ts'
import { rule } from '../../src/gateway/rule.ts'
import type { VariablePlatform } from '../../src/nginx/variables.ts'
import { memoise } from '../../src/text/memo.ts'
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
  reads: ['fabricVersion', 'platform', 'conflict', 'gateways', 'routes', 'namespaces', 'policies', 'variables'],
  summary: 'The release of NGINX Gateway Fabric has no known fault with a policy.',
  why: 'Some releases do not do with a policy what they should: they reject it, do not know an object that it needs, or write a configuration that nginx refuses. The settings or --fabric-version name the release; without them it is the newest.',
  remedy: 'Use the release in which the fault is fixed.',
  source: 'issues and pull requests of NGINX Gateway Fabric, to which each message has a link',
  messages: {
    zone: {
      text: `{release} writes limits but no zones of this policy on Gateway "{gateway}", as its routes name only ListenerSets: nginx refuses the whole configuration; ${FIXED}`,
      remedy: `${UPGRADE}, or add Gateway "{gateway}" to the parentRefs of {kind} "{name}".`,
    },
    'listener-set': {
      text: 'nothing is limited on {kind} "{name}": {release} does not know ListenerSets, and the route names no Gateway; since {since}: {link}',
      remedy: 'Use NGINX Gateway Fabric {complete} or newer, or add a Gateway to the parentRefs of {kind} "{name}".',
    },
    'x-listener-set': {
      text: 'nothing is limited on {kind} "{name}": {release} does not know XListenerSets, and the route names no Gateway',
      remedy: 'Add a Gateway to the parentRefs of {kind} "{name}".',
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
    gateways: {
      text: `${FALSE_CONFLICT} {otherKind} "{other}", which is not a target, answers at {location} on two Gateways; ${FIXED}`,
      remedy: `${UPGRADE}.`,
    },
    overlap: {
      text: '{release} accepts this policy although {kind} "{name}" shares {location} with {otherKind} "{other}", which is not a target: one of the two routes gets limits of the other, or loses its own; not fixed in a release: {link}',
      remedy: 'Target {otherKind} "{other}" too, or give one of the two routes another path or hostname.',
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
    const { fabricVersion: version, report } = context
    for (const { target, kind, name, isLearned, data } of unknownSets(policy, context, version))
      report(isLearned ? 'listener-set' : 'x-listener-set', target.name, {
        kind,
        name: shorten(name),
        release: fabricTitle(version),
        ...data,
      })
    for (const [fault, find] of findersFor(version))
      for (const { message, target, data } of find(policy, context))
        report(message, target.name, { release: fabricTitle(version), ...FAULTS[fault], ...data })
  },
})

type Context = Omit<GatewayLookups, 'definitions'> & {
  readonly fabricVersion: FabricVersion
  readonly platform: VariablePlatform
  readonly conflict: ConflictMode
}

type Found = {
  readonly message: 'zone' | 'requests' | 'plus-requests' | 'repeated' | 'gateways' | 'overlap' | 'shared'
  readonly target: NamedTarget['target']
  readonly data: Readonly<Record<string, string>>
}

/** The routes that name nothing but ListenerSets of kinds that a release does not know. */
const unknownSets = (policy: PolicyView, context: Context, version: FabricVersion) =>
  routeTargets(policy, context).flatMap((found) => {
    const sets = found.route.parents.map(listenerSetKind)
    const isUnknown = sets.length > 0 && sets.every((kind) => kind && !knowsListenerSet(version, kind))
    // The first releases that know them write no zones for these routes.
    const data = { ...CHANGES.listenerSets, complete: FAULTS.zoneOfListenerSet.fixed }
    return isUnknown ? [{ ...found, isLearned: sets.includes('ListenerSet'), data }] : []
  })

const withoutZones = (policy: PolicyView, context: Context): readonly Found[] =>
  routesThroughSets(policy, context, context.conflict).map(({ target, kind, name, gateway }) => ({
    ...{ message: 'zone', target },
    data: { kind, name: shorten(name), gateway: shorten(gateway.name) },
  }))

/** Own requests come through sockets: they have an address, but no header. */
function countingOwnRequests({ dryRun, limits, namedTargets }: PolicyView, context: Context): readonly Found[] {
  const nginx = keyPlatform(context.platform, context.variables)
  if (dryRun.value === true || !limits.some((limit) => keyTraits(limit, nginx)?.emptiness === 'never')) return []
  const message = context.platform.plus ? 'plus-requests' : 'requests'
  return namedTargets.flatMap(({ target, kind, name }) =>
    kind === 'Gateway' ? [{ message, target, data: { gateway: shorten(name) } }] : [],
  )
}

const asRepeated = ({ target, location: { path }, others: [other] }: FalseConflict): Found => ({
  ...{ message: 'repeated', target },
  data: { otherKind: other.identity.kind, other: nameOf(other), path: shorten(path) },
})

const asOnSeveral = ({ target, location, others: [other] }: FalseConflict): Found => ({
  ...{ message: 'gateways', target },
  data: { otherKind: other.identity.kind, other: nameOf(other), location: printLocation(location) },
})

const partialOverlaps = (policy: PolicyView, context: Context): readonly Found[] =>
  sharedLocations(policy, context)
    .filter((shared) => isOverlooked(shared, context, context.fabricVersion))
    .map(({ target, kind, name, location, other }) => ({
      ...{ message: 'overlap', target },
      data: {
        ...{ kind, name: shorten(name), location: printLocation(location) },
        ...{ otherKind: other.identity.kind, other: nameOf(other) },
      },
    }))

const asShared = ({ target, location, others: [first, second = first] }: FalseConflict): Found => ({
  ...{ message: 'shared', target },
  data: {
    ...{ otherKind: first.identity.kind, other: nameOf(first), location: printLocation(location) },
    ...{ secondKind: second.identity.kind, second: nameOf(second) },
  },
})

const nameOf = ({ identity }: RouteView): string => shorten(identity.name ?? '')

type Finder = readonly [keyof typeof FAULTS, (policy: PolicyView, context: Context) => readonly Found[]]

const FINDERS: readonly Finder[] = [
  ['zoneOfListenerSet', withoutZones],
  ['ownRequests', countingOwnRequests],
  ['repeatedPath', (policy, context) => repeatedPaths(policy, context).map(asRepeated)],
  ['severalGateways', (policy, context) => onSeveralGateways(policy, context).map(asOnSeveral)],
  ['partialOverlap', partialOverlaps],
  ['sharedByOthers', (policy, context) => sharedByOthers(policy, context).map(asShared)],
]

/** Where the faults of a release show. */
const findersFor = memoise((version: FabricVersion) => FINDERS.filter(([fault]) => hasFault(version, fault)))
