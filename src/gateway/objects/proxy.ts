/** Settings of a Gateway's proxies, as far as they decide whose address a request carries. Source: NginxProxy, GatewayClass. */

import { asList, asObject, asText, type JsonObject, member } from '../../json/member.ts'
import { type Identity, readIdentity, readMetadata } from '../../kubernetes/metadata.ts'
import { type ParametersView, readParameters } from './gateways-and-routes.ts'

/** The Service in front of the proxies. */
export type ServiceView = {
  readonly type: string
  /** `Cluster` passes connections on from node to node, under the node's own address; `Local` does not. */
  readonly externalTrafficPolicy: string
  /** True where patches change it afterwards: then nobody here knows what it is. */
  readonly patched: boolean
}

/** An NginxProxy, or what a GatewayClass's and a Gateway's make together. */
export type ProxyView = {
  readonly object: JsonObject
  readonly identity: Identity
  /** True where it has a word on taking the client's address from the PROXY protocol or a header. */
  readonly rewritesClientAddress: boolean
  /** Undefined where it is silent. */
  readonly service: ServiceView | undefined
}

/** Reads an NginxProxy; never throws. Absent fields have the defaults that its CRD writes. */
export function readProxy(object: JsonObject, namespace?: string): ProxyView {
  const spec = member(object, '', 'spec', asObject).value
  const service = member(member(spec, '', 'kubernetes', asObject).value, '', 'service', asObject).value
  return {
    object,
    identity: readIdentity('NginxProxy', readMetadata(object), namespace),
    rewritesClientAddress: member(spec, '', 'rewriteClientIP', asObject).raw !== undefined,
    service: service && {
      type: member(service, '', 'type', asText).value ?? 'LoadBalancer',
      externalTrafficPolicy: member(service, '', 'externalTrafficPolicy', asText).value ?? 'Local',
      patched: (member(service, '', 'patches', asList).value ?? []).length > 0,
    },
  }
}

/** What a Gateway's own proxy settings make of those of its class: what they say wins, the rest stays. */
export const mergeProxies = (ofClass: ProxyView, own: ProxyView): ProxyView => ({
  object: own.service ? own.object : ofClass.object,
  identity: own.service ? own.identity : ofClass.identity,
  rewritesClientAddress: own.rewritesClientAddress || ofClass.rewritesClientAddress,
  service: own.service ?? ofClass.service,
})

/** True where the proxies certainly see the addresses of nodes instead of those of clients. */
export const hidesClients = ({ rewritesClientAddress, service }: ProxyView): boolean =>
  !rewritesClientAddress &&
  service?.externalTrafficPolicy === 'Cluster' &&
  service.type !== 'ClusterIP' &&
  !service.patched

/** A GatewayClass, which lives in no namespace. */
export type GatewayClassView = {
  readonly object: JsonObject
  readonly identity: Identity
  readonly parameters: ParametersView | undefined
}

/** Reads a GatewayClass; never throws. */
export const readGatewayClass = (object: JsonObject): GatewayClassView => ({
  object,
  identity: { ...readIdentity('GatewayClass', readMetadata(object)), namespace: '' },
  parameters: readParameters(member(object, '', 'spec', asObject).value),
})
