/** Gateways and routes, read into views of the members that matter for rate limits. Source: Gateway API. */
import type { FabricVersion } from '../../fabric/releases.ts'
import {
  asList,
  asNumber,
  asObject,
  asString,
  isObject,
  type Json,
  type JsonObject,
  type Member,
  member,
} from '../../json/member.ts'
import { type Identity, type MetadataView, readIdentity, readMetadata } from '../../kubernetes/metadata.ts'
import type { RouteKind } from './policy.ts'

/** One listener of a Gateway. */
export type ListenerView = {
  readonly name: string | undefined
  readonly hostname: string | undefined
  readonly port: number | undefined
  readonly protocol: string | undefined
  /** `All`, `Same`, `Selector`, `None`; `Same` where the manifest does not set it. */
  readonly from: string
  /** The label selector of `from: Selector`. */
  readonly selector: JsonObject | undefined
  /** Kinds that the listener allows; undefined means those of its protocol. */
  readonly kinds: readonly string[] | undefined
  /** The ListenerSet that adds it; undefined for one of the Gateway's own. */
  readonly set?: Identity & { readonly kind: ListenerSetKind }
  /** True where it is not known whether the Gateway takes it from its ListenerSet. */
  readonly isUncertain?: boolean
}

/** The namespaces that something allows. */
export type AllowedNamespaces = Pick<ListenerView, 'from' | 'selector'>

/** A Gateway as read. */
export type GatewayView = {
  readonly object: JsonObject
  readonly identity: Identity
  readonly metadata: MetadataView
  readonly spec: Member<JsonObject>
  /** Its own; lookups add those of its ListenerSets behind them. */
  readonly listeners: readonly ListenerView[]
  /** The ListenerSets that it takes or may take listeners from; lookups know them. */
  readonly sets?: readonly Identity[]
  /** The ListenerSets that name it and that it certainly does not allow; lookups know them. */
  readonly refusedSets?: readonly Identity[]
  /** The release that does not know some of these sets; lookups of that release say so. */
  readonly knownTo?: FabricVersion
  /** The namespaces of which it takes ListenerSets: `None` where the manifest does not set it. */
  readonly allowedSets: AllowedNamespaces
  readonly className: string | undefined
  /** `infrastructure.parametersRef`: the settings of its proxies, in the namespace of the Gateway. */
  readonly parameters: ParametersView | undefined
}

/** A reference to settings of proxies. */
export type ParametersView = {
  readonly group: string | undefined
  readonly kind: string | undefined
  readonly name: string | undefined
  readonly namespace: string | undefined
}

/** One entry of a route's `parentRefs`. */
export type ParentView = {
  /** As written; undefined means the group of the Gateway API. */
  readonly group: string | undefined
  readonly kind: string
  readonly name: string | undefined
  /** As written; undefined means that of the route. */
  readonly namespace: string | undefined
  readonly sectionName: string | undefined
  readonly port: number | undefined
}

/** An HTTPRoute or GRPCRoute as read. */
export type RouteView = {
  readonly object: JsonObject
  readonly identity: Identity & { readonly kind: RouteKind }
  readonly metadata: MetadataView
  readonly spec: Member<JsonObject>
  readonly parents: readonly ParentView[]
  readonly hostnames: readonly string[]
  readonly rules: readonly JsonObject[]
}

const items = (parent: Json | undefined, name: string): readonly JsonObject[] => {
  const list = member(parent, '', name, asList).value ?? NONE
  return list.every(isObject) ? list : list.filter(isObject)
}
/** Shared by thousands of routes. */
const NONE: readonly never[] = []
const text = (parent: Json | undefined, name: string): string | undefined => member(parent, '', name, asString).value

/**
 * A string; also what YAML reads a name without quotes as, such as `on` and `1`: the API server rejects it, but it must
 * not count as absent, which would match everything.
 */
export const asName = (raw: Json): string | undefined =>
  typeof raw === 'string' || typeof raw === 'boolean' || typeof raw === 'number' ? String(raw) : undefined

const nameAt = (parent: Json | undefined, name: string): string | undefined => member(parent, '', name, asName).value
const number = (parent: Json | undefined, name: string): number | undefined => member(parent, '', name, asNumber).value

/** Reads `parametersRef` of a Gateway's `infrastructure` or of a GatewayClass's `spec`; undefined where there is none. */
export function readParameters(parent: Json | undefined): ParametersView | undefined {
  const ref = member(parent, '', 'parametersRef', asObject).value
  if (!ref) return undefined
  return {
    group: text(ref, 'group'),
    kind: text(ref, 'kind'),
    name: text(ref, 'name'),
    namespace: text(ref, 'namespace'),
  }
}

/** Reads a Gateway; never throws. */
export function readGateway(object: JsonObject, namespace?: string): GatewayView {
  const metadata = readMetadata(object)
  const spec = member(object, '', 'spec', asObject)
  return {
    object,
    identity: readIdentity('Gateway', metadata, namespace),
    metadata,
    spec,
    listeners: items(spec.value, 'listeners').map(readListener),
    allowedSets: readNamespaces(member(spec.value, '', 'allowedListeners', asObject).value, 'None'),
    className: text(spec.value, 'gatewayClassName'),
    parameters: readParameters(member(spec.value, '', 'infrastructure', asObject).value),
  }
}

function readListener(raw: JsonObject): ListenerView {
  const allowed = member(raw, '', 'allowedRoutes', asObject).value
  const kinds = member(allowed, '', 'kinds', asList).value
  return {
    name: nameAt(raw, 'name'),
    hostname: nameAt(raw, 'hostname'),
    port: number(raw, 'port'),
    protocol: text(raw, 'protocol'),
    ...readNamespaces(allowed, 'Same'),
    kinds: kinds?.map((kind) => text(kind, 'kind') ?? ''),
  }
}

function readNamespaces(allowed: JsonObject | undefined, fallback: string): AllowedNamespaces {
  const namespaces = member(allowed, '', 'namespaces', asObject).value
  return {
    from: text(namespaces, 'from') ?? fallback,
    selector: member(namespaces, '', 'selector', asObject).value,
  }
}

/** The kinds of objects that add listeners to a Gateway: the standard one, and the experimental one before it. */
export const LISTENER_SET_KINDS = ['ListenerSet', 'XListenerSet'] as const
/** A kind of objects that add listeners to a Gateway. */
export type ListenerSetKind = (typeof LISTENER_SET_KINDS)[number]

/** A ListenerSet as read. */
export type ListenerSetView = {
  readonly object: JsonObject
  readonly identity: Identity & { readonly kind: ListenerSetKind }
  readonly listeners: readonly ListenerView[]
  /** The Gateway to which it adds them; undefined where it names none. */
  readonly parent: ParentView | undefined
}

/** Reads a ListenerSet of either kind; never throws. */
export function readListenerSet(kind: ListenerSetKind, object: JsonObject, namespace?: string): ListenerSetView {
  const spec = member(object, '', 'spec', asObject).value
  const parent = member(spec, '', 'parentRef', asObject).value
  return {
    object,
    identity: { ...readIdentity(kind, readMetadata(object), namespace), kind },
    listeners: items(spec, 'listeners').map(readListener),
    parent: parent && readParent(parent),
  }
}

/** Reads an HTTPRoute or GRPCRoute; never throws. */
export function readRoute(kind: RouteKind, object: JsonObject, namespace?: string): RouteView {
  const metadata = readMetadata(object)
  const spec = member(object, '', 'spec', asObject)
  const hostnames = member(spec.value, '', 'hostnames', asList).value ?? []
  return {
    object,
    identity: { ...readIdentity(kind, metadata, namespace), kind },
    metadata,
    spec,
    parents: items(spec.value, 'parentRefs').map(readParent),
    hostnames: hostnames.length === 0 ? NONE : hostnames.flatMap((name) => asName(name) ?? []),
    rules: items(spec.value, 'rules'),
  }
}

function readParent(raw: JsonObject): ParentView {
  return {
    group: text(raw, 'group'),
    kind: text(raw, 'kind') ?? 'Gateway',
    name: text(raw, 'name'),
    namespace: text(raw, 'namespace'),
    sectionName: nameAt(raw, 'sectionName'),
    port: number(raw, 'port'),
  }
}
