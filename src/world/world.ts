/** The objects around a subject, and what is known of them. Surfaces build it; rules only ask. */
import type { GatewayView, RouteView } from '../gateway/attachments.ts'
import type { PolicyView, RouteKind, TargetKind } from '../gateway/policy.ts'
import type { Answer, Known } from './answer.ts'

/** A namespaced name; an undefined namespace is unknown, and so is every look-up by it. */
export type Namespace = string | undefined

export type Gateways = {
  get(namespace: Namespace, name: string): Answer<GatewayView>
  /** Namespaces in which a Gateway of that name is known to exist. */
  namespacesOf(name: string): readonly string[]
}

export type Routes = {
  get(kind: RouteKind, namespace: Namespace, name: string): Answer<RouteView>
  namespacesOf(kind: RouteKind, name: string): readonly string[]
  /** Every known route, of either kind, that names this Gateway as a parent. */
  attachedTo(gateway: GatewayView): Known<RouteView>
}

export type Policies = {
  /** Every known policy that targets the object, the asking one included, in order of file and position. */
  targeting(kind: TargetKind, namespace: Namespace, name: string): Known<PolicyView>
}

export type Namespaces = {
  /** The labels of a namespace. */
  labels(name: string): Answer<Readonly<Record<string, string>>>
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
