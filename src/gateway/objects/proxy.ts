/** Settings of the proxies of a Gateway that decide which client address nginx sees. Source: NGINX Gateway Fabric, NginxProxy; Gateway API, GatewayClass. */

import { asList, asObject, asString, type JsonObject, member } from '../../json/member.ts'
import { type ApiNames, apiNames } from '../../kubernetes/api-groups.ts'
import { type Identity, readIdentity, readMetadata } from '../../kubernetes/metadata.ts'
import { type ParametersView, readParameters } from './gateways-and-routes.ts'

/** The Service in front of the proxies. */
type ServiceView = {
  readonly type: string
  /** `Cluster` forwards connections between nodes, with the address of the node as their source; `Local` does not. */
  readonly externalTrafficPolicy: string
  /** True where patches change the Service afterwards, so that its final form is not known. */
  readonly patched: boolean
}

/** An NginxProxy, or that of a GatewayClass merged with that of a Gateway. */
export type ProxyView = {
  readonly object: JsonObject
  readonly identity: Identity
  /** True where it sets `rewriteClientIP`: nginx takes the client address from the PROXY protocol or a header. */
  readonly rewritesClientAddress: boolean
  /** Undefined where it does not set one. */
  readonly service: ServiceView | undefined
}

/** Reads an NginxProxy; never throws. Absent fields get the defaults of the CRD. */
export function readProxy(object: JsonObject, namespace?: string): ProxyView {
  const spec = member(object, '', 'spec', asObject).value
  const service = member(member(spec, '', 'kubernetes', asObject).value, '', 'service', asObject).value
  return {
    object,
    identity: readIdentity('NginxProxy', readMetadata(object), namespace),
    rewritesClientAddress: member(spec, '', 'rewriteClientIP', asObject).raw !== undefined,
    service: service && {
      type: member(service, '', 'type', asString).value ?? 'LoadBalancer',
      externalTrafficPolicy: member(service, '', 'externalTrafficPolicy', asString).value ?? 'Local',
      patched: (member(service, '', 'patches', asList).value ?? []).length > 0,
    },
  }
}

/** Merges the settings of a Gateway over those of its class. */
export const mergeProxies = (ofClass: ProxyView, own: ProxyView): ProxyView => ({
  object: own.service ? own.object : ofClass.object,
  identity: own.service ? own.identity : ofClass.identity,
  rewritesClientAddress: own.rewritesClientAddress || ofClass.rewritesClientAddress,
  service: own.service ?? ofClass.service,
})

/** True where the proxies certainly see the addresses of nodes instead of clients. */
export const hidesClients = ({ rewritesClientAddress, service }: ProxyView): boolean =>
  !rewritesClientAddress &&
  service?.externalTrafficPolicy === 'Cluster' &&
  service.type !== 'ClusterIP' &&
  !service.patched

/** A GatewayClass as read. It is cluster-scoped, so its namespace is an empty string. */
export type GatewayClassView = {
  readonly object: JsonObject
  readonly identity: Identity
  readonly parameters: ParametersView | undefined
  /** The controller of its Gateways. */
  readonly controllerName: string | undefined
  /** True where that is NGINX Gateway Fabric; undefined where it names none. */
  readonly isOwn: boolean | undefined
}

const DEFAULT_NAMES = apiNames()

/** Reads a GatewayClass; never throws. `names` are the API groups of the cluster. */
export function readGatewayClass(object: JsonObject, names: ApiNames = DEFAULT_NAMES): GatewayClassView {
  const spec = member(object, '', 'spec', asObject).value
  const controllerName = member(spec, '', 'controllerName', asString).value
  return {
    object,
    identity: { ...readIdentity('GatewayClass', readMetadata(object)), namespace: '' },
    parameters: readParameters(spec),
    controllerName,
    // Several of them in one cluster have names of their own in the same domain (`--gateway-ctlr-name`).
    isOwn: controllerName?.startsWith(`${names.policyGroup}/`),
  }
}
