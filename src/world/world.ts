/** The objects around a subject, and what is known of them. Surfaces build it; rules only ask. */
import type { GatewayView, RouteView } from '../gateway/objects/gateways-and-routes.ts'
import type { PolicyView, RouteKind, TargetKind } from '../gateway/objects/policy.ts'
import type { ProxyView } from '../gateway/objects/proxy.ts'
import type { Answer, Known } from './lookup.ts'

/** A namespaced name; an undefined namespace is unknown, and so is every look-up by it. */
export type Namespace = string | undefined

export type Gateways = {
  /** True where not a single one is in sight. */
  readonly isEmpty: boolean
  get(namespace: Namespace, name: string): Answer<GatewayView>
  /**
   * Namespaces in which a Gateway of that name is known to exist. A world that keeps tenants apart
   * answers with empty texts for those that the asker must not hear of.
   */
  namespacesOf(name: string): readonly string[]
  /** Names of the Gateways that are known to exist in a namespace. */
  namesIn(namespace: Namespace): readonly string[]
  /** The settings of its proxies; absent where neither it nor its class refers to any. */
  proxyOf(gateway: GatewayView): Answer<ProxyView>
}

export type Routes = {
  /** True where not a single one is in sight. */
  readonly isEmpty: boolean
  get(kind: RouteKind, namespace: Namespace, name: string): Answer<RouteView>
  /** As for Gateways. */
  namespacesOf(kind: RouteKind, name: string): readonly string[]
  /** Names of the routes of a kind that are known to exist in a namespace. */
  namesIn(kind: RouteKind, namespace: Namespace): readonly string[]
  /** Every known route, of either kind, that names this Gateway as a parent; the same list each time. */
  attachedTo(gateway: GatewayView): Known<RouteView>
}

export type Policies = {
  /** Every known policy that targets the object, the asking one included, in order of file and position; the same list each time. */
  targeting(kind: TargetKind, namespace: Namespace, name: string): Known<PolicyView>
  /** True where the policy is known to have been there before the change. */
  existedBefore(policy: PolicyView): boolean
}

export type Namespaces = {
  /** The labels of a namespace. */
  labels(name: string): Answer<Readonly<Record<string, string>>>
  /** When it was made, in milliseconds since 1970; unknown where it does not say. */
  createdAt(name: string): Answer<number>
}

export type Variables = {
  /** Lower-cased names of the variables that SnippetsFilters in sight define (map, geo, set, js_set …). */
  readonly defined: ReadonlySet<string>
}

/** Everything a rule may ask beyond its subject. Each member is a permission that a rule declares in `reads`. */
export type World = {
  readonly gateways: Gateways
  readonly routes: Routes
  readonly policies: Policies
  readonly namespaces: Namespaces
  readonly variables: Variables
}
