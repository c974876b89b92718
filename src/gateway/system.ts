/** The system of the Gateway's RateLimitPolicy: its kinds, and what its rules may ask. Source: specification of RateLimitPolicy. */
import type { ApiNames } from '../kubernetes/api-groups.ts'
import { NAMESPACE_KIND } from '../world/namespaces.ts'
import { type Change, changeOf, type ObjectView, viewOf } from '../world/objects.ts'
import type { Kind, Resource, System } from '../world/system.ts'
import { POLICY_IN_CEL } from './cel/policy.ts'
import { notesAfter, ZONES_ANNOTATION } from './keys/zone-notes.ts'
import { GATEWAY, GATEWAY_CLASS, GATEWAYS, NGINX_PROXY } from './lookups/gateways.ts'
import { LISTENER_SET, X_LISTENER_SET } from './lookups/listener-sets.ts'
import { lookUpTarget, type OwnLookups } from './lookups/lookups.ts'
import { POLICIES, RATE_LIMIT_POLICY } from './lookups/policies.ts'
import { GRPC_ROUTE, HTTP_ROUTE, ROUTES } from './lookups/routes.ts'
import { SNIPPETS_FILTER, SNIPPETS_POLICY, VARIABLES } from './lookups/variables.ts'
import type { GatewayView, ListenerSetView, RouteView } from './objects/gateways-and-routes.ts'
import { prunedNamespaces } from './objects/last-applied.ts'
import { type PolicyView, readPolicy, TARGET_KINDS } from './objects/policy.ts'
import { readGatewayClass } from './objects/proxy.ts'
import { isMeant, isMisspelt, judgedAs, meantApiVersion, signsOf } from './recognise.ts'
import { namesGateway } from './routing/attachment.ts'
import { fieldsAt } from './schema/violations.ts'

/** Registers the system. */
export const GATEWAY_SYSTEM: System<OwnLookups> = {
  name: 'gateway',
  kinds: gatewayKinds,
  lookups: { gateways: GATEWAYS, routes: ROUTES, policies: POLICIES, variables: VARIABLES },
  references: (view) => viewOf(view, RATE_LIMIT_POLICY)?.namedTargets ?? [],
  affectedBy,
  isOrphaned,
}

/** A kind of the Gateway API, in the version that is watched. */
const gatewayApi = (plural: string, own: Partial<Resource> = {}): Resource => ({
  version: 'v1',
  plural,
  namespaced: true,
  optional: false,
  ...own,
})

function gatewayKinds(names: ApiNames): readonly Kind[] {
  const { gatewayGroup, policyGroup, policyVersion } = names
  const ours = (plural: string, version = policyVersion): Resource => ({
    version,
    plural,
    namespaced: true,
    optional: plural !== 'ratelimitpolicies',
  })
  return [
    { ...GATEWAY, group: gatewayGroup, resource: gatewayApi('gateways'), observed: true, judgedOnRequest: true },
    { ...HTTP_ROUTE, group: gatewayGroup, resource: gatewayApi('httproutes'), observed: true, judgedOnRequest: true },
    { ...GRPC_ROUTE, group: gatewayGroup, resource: gatewayApi('grpcroutes'), observed: true, judgedOnRequest: true },
    { ...LISTENER_SET, group: gatewayGroup, resource: gatewayApi('listenersets', { optional: true }), observed: true },
    {
      ...X_LISTENER_SET,
      group: 'gateway.networking.x-k8s.io',
      resource: gatewayApi('xlistenersets', { version: 'v1alpha1', optional: true }),
      observed: true,
    },
    {
      ...GATEWAY_CLASS,
      read: (object) => readGatewayClass(object, names),
      group: gatewayGroup,
      resource: gatewayApi('gatewayclasses', { namespaced: false, optional: true }),
    },
    {
      ...RATE_LIMIT_POLICY,
      read: (object, namespace) => readPolicy(object, namespace, names),
      group: policyGroup,
      resource: ours('ratelimitpolicies'),
      subjects: ['RateLimitPolicy', 'UnknownVersion'],
      judgedAs: (object) => judgedAs(object, names),
      isMisspelt: (object) => isMisspelt(object, names),
      likeness: /[Rr]ate[-_]?[Ll]imit/,
      signs: signsOf(names),
      isMeant: (text) => isMeant(text, names),
      isOurs: (apiVersion) => meantApiVersion(apiVersion, names) !== undefined,
      needsLastApplied: (object) => prunedNamespaces(object).size > 0,
      fieldsAt,
      notes,
      cel: POLICY_IN_CEL,
      neverPatched: /^\/spec\/rateLimit\/(?:dryRun|logLevel|rejectCode)$/,
    },
    { ...SNIPPETS_FILTER, group: policyGroup, resource: ours('snippetsfilters'), keepsName: true },
    { ...SNIPPETS_POLICY, group: policyGroup, resource: ours('snippetspolicies'), keepsName: true },
    { ...NGINX_PROXY, group: policyGroup, resource: ours('nginxproxies', 'v1alpha2') },
    NAMESPACE_KIND,
  ]
}

const notes: NonNullable<Kind['notes']> = (versions) => {
  const [previous, written, next] = [versions.previous, versions.written, versions.next].map((view) =>
    viewOf(view, RATE_LIMIT_POLICY),
  )
  return previous && written && next ? { [ZONES_ANNOTATION]: notesAfter({ previous, written, next }) } : {}
}

/** The policies about which a change of a Gateway, a ListenerSet or a route may matter: all of the object's own namespace. */
function affectedBy(change: Change, lookups: OwnLookups): readonly ObjectView[] {
  const gateway = changeOf(change, GATEWAY)
  if (gateway) return [gateway.before, gateway.after].flatMap((view) => (view ? onGateway(view, lookups) : []))
  const set = changeOf(change, LISTENER_SET) ?? changeOf(change, X_LISTENER_SET)
  if (set) return [set.before, set.after].flatMap((view) => (view ? onListenerSet(view, lookups) : []))
  const route = changeOf(change, HTTP_ROUTE) ?? changeOf(change, GRPC_ROUTE)
  return [route?.before, route?.after].flatMap((view) => (view ? onRoute(view, lookups) : []))
}

function targeting({ kind, namespace, name = '' }: ObjectView['identity'], { policies }: OwnLookups) {
  const target = TARGET_KINDS.find((known) => known === kind)
  return target ? policies.targeting(target, namespace, name).items : []
}

/** The policies on a Gateway and on its routes. Those of other namespaces belong to other tenants. */
function onGateway(gateway: GatewayView, lookups: OwnLookups): readonly PolicyView[] {
  const known = lookups.gateways.get(gateway.identity.namespace, gateway.identity.name ?? '')
  return onRoutesOf(known.state === 'found' ? known.value : gateway, gateway.identity.namespace, lookups)
}

/** The policies of a namespace on a Gateway and on its routes. */
function onRoutesOf(gateway: GatewayView, namespace: string | undefined, lookups: OwnLookups): readonly PolicyView[] {
  const { items } = lookups.routes.attachedTo(gateway)
  const own = [gateway, ...items].filter(({ identity }) => identity.namespace === namespace)
  return own.flatMap(({ identity }) => targeting(identity, lookups))
}

/** The policies on the routes of the Gateway to which a ListenerSet adds, and on those that name the set itself. */
function onListenerSet({ parent, identity }: ListenerSetView, lookups: OwnLookups): readonly PolicyView[] {
  const { namespace } = identity
  const gateway = lookups.gateways.get(parent?.namespace ?? namespace, parent?.name ?? '')
  if (!parent || !namesGateway(parent) || gateway.state !== 'found') return []
  const { sets = [] } = gateway.value
  return onRoutesOf({ ...gateway.value, sets: [...sets, identity] }, namespace, lookups)
}

/** The policies on a route, on its Gateways and on the other routes of those. */
function onRoute(route: RouteView, lookups: OwnLookups): readonly PolicyView[] {
  const { namespace: own } = route.identity
  const gateways = route.parents.filter(namesGateway).flatMap(({ namespace = own, name = '' }) => {
    const lookup = namespace === own ? lookups.gateways.get(namespace, name) : undefined
    return lookup?.state === 'found' ? [lookup.value] : []
  })
  return [...targeting(route.identity, lookups), ...gateways.flatMap((gateway) => onGateway(gateway, lookups))]
}

/** True where it is certain that none of a policy's targets exists. */
function isOrphaned(view: ObjectView, lookups: OwnLookups): boolean {
  const policy = viewOf(view, RATE_LIMIT_POLICY)
  if (!policy || policy.namedTargets.length === 0) return false
  return policy.namedTargets.every(
    ({ kind, name }) => lookUpTarget(lookups, kind, policy.identity.namespace, name) === 'absent',
  )
}
