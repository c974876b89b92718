/** Lookups of Gateways and of the settings of their proxies. */
import { findFabricVersion } from '../../fabric/releases.ts'
import type { JsonObject } from '../../json/member.ts'
import type { Identities, Namespace } from '../../world/identities.ts'
import { ABSENT, found, type Lookup, UNKNOWN } from '../../world/lookup.ts'
import { changeOf, type Identified, nameAfterBuild } from '../../world/objects.ts'
import type { LookupSpec } from '../../world/system.ts'
import { anyOwner, ownedBy } from '../force/owner.ts'
import { type GatewayView, type ParametersView, readGateway } from '../objects/gateways-and-routes.ts'
import { type GatewayClassView, mergeProxies, type ProxyView, readGatewayClass, readProxy } from '../objects/proxy.ts'
import { namesGateway } from '../routing/attachment.ts'
import { listenerSets } from './listener-sets.ts'
import type { Gateways } from './lookups.ts'

/** Gateways as lookups read them. */
export const GATEWAY = { kind: 'Gateway', read: readGateway } as const

/** The settings of proxies as lookups read them. */
export const NGINX_PROXY = { kind: 'NginxProxy', read: readProxy } as const

/** GatewayClasses as lookups read them. */
export const GATEWAY_CLASS = {
  kind: 'GatewayClass',
  read: (object: JsonObject): GatewayClassView => readGatewayClass(object),
} as const

/** How the lookups of Gateways are made; where identities appear twice, the result is unknown. */
export const GATEWAYS: LookupSpec<Gateways> = {
  kinds: ['Gateway', 'NginxProxy', 'GatewayClass', 'ListenerSet', 'XListenerSet', 'Namespace'],
  needsClosedWorld: true,
  make(objects) {
    const gateways = objects.of(GATEWAY)
    const { isEmpty, index } = gateways
    const sets = listenerSets(objects)
    return {
      isEmpty,
      hasSets: !sets.isEmpty,
      get(namespace, name) {
        const gateway = index().get('Gateway', namespace, name)
        return gateway.state === 'found' && !sets.isEmpty ? found(sets.merge(gateway.value)) : gateway
      },
      behindSet(kind, namespace, name) {
        const set = sets.get(kind, namespace, name)
        if (set.state !== 'found') return set
        const { parent } = set.value
        if (parent?.name === undefined || !namesGateway(parent)) return UNKNOWN
        return found({ namespace: parent.namespace ?? namespace, name: parent.name })
      },
      namespacesOf: (name) => index().namespacesOf('Gateway', name),
      namesIn: (namespace) => index().namesIn('Gateway', namespace),
      nameAfterBuild: (namespace, name) => nameAfterBuild(gateways, namespace, name),
      proxyOf: (gateway) => proxyOf(gateway, objects.of(NGINX_PROXY).index(), objects.of(GATEWAY_CLASS).index()),
      controllerOf: ({ className }) => controllerOf(className, objects.of(GATEWAY_CLASS).index()),
      ownerOf: ({ className }) => ownerOf(className, objects.of(GATEWAY_CLASS).index()),
    }
  },
  overlay(lookup, change) {
    const { before, after } = changeOf(change, GATEWAY) ?? {}
    const changed = after ?? before
    /** The settings of proxies are looked up in the objects themselves. */
    if (!changed || lookup.hasSets) return undefined
    const { identity } = changed
    const result: Lookup<GatewayView> = after ? found(after) : ABSENT
    const isIt = (namespace: Namespace, name: string) => namespace === identity.namespace && name === identity.name
    return {
      ...lookup,
      isEmpty: lookup.isEmpty && after === undefined,
      get: (namespace, name) => (isIt(namespace, name) ? result : lookup.get(namespace, name)),
      namespacesOf: (name) => namespacesAfter(lookup.namespacesOf(name), changed, name, after !== undefined),
      namesIn: (namespace) => namesAfter(lookup.namesIn(namespace), changed, namespace, after !== undefined),
    }
  },
  forTenant: (lookup) => ({ ...lookup, namespacesOf: (name) => lookup.namespacesOf(name).map(() => '') }),
  /** Without the listeners of ListenerSets that the release does not know. */
  forRelease(lookup, release) {
    const version = findFabricVersion(release)
    return version === undefined ? lookup : ownedBy({ gateways: lookup }, anyOwner(version)).gateways
  },
}

function controllerOf(className: string | undefined, classes: Identities<GatewayClassView>): Lookup<string> {
  const gatewayClass = className === undefined ? ABSENT : classes.get('GatewayClass', '', className)
  if (gatewayClass.state !== 'found') return gatewayClass
  const { controllerName } = gatewayClass.value
  return controllerName === undefined ? UNKNOWN : found(controllerName)
}

function ownerOf(className: string | undefined, classes: Identities<GatewayClassView>): 'own' | 'foreign' | 'unknown' {
  const gatewayClass = className === undefined ? ABSENT : classes.get('GatewayClass', '', className)
  if (gatewayClass.state !== 'found' || gatewayClass.value.isOwn === undefined) return 'unknown'
  return gatewayClass.value.isOwn ? 'own' : 'foreign'
}

/** The settings of a Gateway's proxies: those of its class, and its own over them. */
function proxyOf(
  { className, parameters, identity: { namespace } }: GatewayView,
  proxies: Identities<ProxyView>,
  classes: Identities<GatewayClassView>,
): Lookup<ProxyView> {
  const gatewayClass = className === undefined ? UNKNOWN : classes.get('GatewayClass', '', className)
  if (gatewayClass.state !== 'found') return UNKNOWN
  const ofClass = referredProxy(gatewayClass.value.parameters, gatewayClass.value.parameters?.namespace, proxies)
  const own = referredProxy(parameters, namespace, proxies)
  if (ofClass.state === 'unknown' || own.state === 'unknown') return UNKNOWN
  if (ofClass.state === 'found' && own.state === 'found') return found(mergeProxies(ofClass.value, own.value))
  return own.state === 'found' ? own : ofClass
}

function referredProxy(
  parameters: ParametersView | undefined,
  namespace: Namespace,
  proxies: Identities<ProxyView>,
): Lookup<ProxyView> {
  if (!parameters) return ABSENT
  const { kind, name } = parameters
  return kind === 'NginxProxy' && name !== undefined ? proxies.get(kind, namespace, name) : UNKNOWN
}

/** The namespaces that hold an object of a name, after a change of one. */
export function namespacesAfter(
  namespaces: readonly string[],
  { identity }: Identified,
  name: string,
  exists: boolean,
): readonly string[] {
  const { namespace } = identity
  if (name !== identity.name || namespace === undefined) return namespaces
  return afterChange(namespaces, namespace, exists)
}

/** The names of the objects in a namespace, after a change of one. */
export function namesAfter(
  names: readonly string[],
  { identity }: Identified,
  namespace: Namespace,
  exists: boolean,
): readonly string[] {
  const { name } = identity
  if (namespace !== identity.namespace || name === undefined) return names
  return afterChange(names, name, exists)
}

function afterChange(texts: readonly string[], changed: string, exists: boolean): readonly string[] {
  const others = texts.filter((text) => text !== changed)
  return exists ? [...others, changed] : others
}
