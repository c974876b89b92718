/** The lookups that the rules of this system may use. */
import type { Namespace } from '../../world/identities.ts'
import type { KnownItems, Lookup } from '../../world/lookup.ts'
import type { Namespaces } from '../../world/namespaces.ts'
import type { BaseLookups } from '../../world/world.ts'
import type { GatewayView, ListenerSetKind, RouteView } from '../objects/gateways-and-routes.ts'
import { isRouteKind, type PolicyView, type RouteKind, TARGET_KINDS, type TargetKind } from '../objects/policy.ts'
import type { ProxyView } from '../objects/proxy.ts'

/** How routes and ListenerSets name a Gateway. */
export type GatewayName = { readonly namespace: Namespace; readonly name: string }

/** Lookups of Gateways. */
export type Gateways = {
  /** True only where not a single Gateway is known: a shortcut. */
  readonly isEmpty: boolean
  /** With the listeners of its ListenerSets, each behind its own. */
  get(namespace: Namespace, name: string): Lookup<GatewayView>
  /** The Gateway that a ListenerSet names, whether or not that exists and takes its listeners; absent where the set is. */
  behindSet(kind: ListenerSetKind, namespace: Namespace, name: string): Lookup<GatewayName>
  /** True where a ListenerSet is known. */
  readonly hasSets: boolean
  /**
   * Namespaces in which a Gateway of that name is known to exist. Where tenants are kept apart, empty strings stand
   * for the namespaces of other tenants.
   */
  namespacesOf(name: string): readonly string[]
  /** Names of the Gateways that are known to exist in a namespace. */
  namesIn(namespace: Namespace): readonly string[]
  /** The name that a kustomization gives to the Gateway of a name; undefined where none changes it. */
  nameAfterBuild(namespace: Namespace, name: string): string | undefined
  /** The settings of its proxies; absent where neither the Gateway nor its class refers to any. */
  proxyOf(gateway: GatewayView): Lookup<ProxyView>
  /** The name of its controller, which its class states; absent where it has no class, or that does not exist. */
  controllerOf(gateway: GatewayView): Lookup<string>
  /** Whose it is: a policy limits nothing on a `foreign` one. `unknown` where its class is; it counts as own. */
  ownerOf(gateway: GatewayView): 'own' | 'foreign' | 'unknown'
}

/** Lookups of HTTPRoutes and GRPCRoutes. */
export type Routes = {
  /** True only where not a single route is known: a shortcut. */
  readonly isEmpty: boolean
  get(kind: RouteKind, namespace: Namespace, name: string): Lookup<RouteView>
  /** As for Gateways. */
  namespacesOf(kind: RouteKind, name: string): readonly string[]
  /** Names of the routes of a kind that are known to exist in a namespace. */
  namesIn(kind: RouteKind, namespace: Namespace): readonly string[]
  /** As for Gateways. */
  nameAfterBuild(kind: RouteKind, namespace: Namespace, name: string): string | undefined
  /**
   * Every known route, of either kind, that names this Gateway as a parent, or a ListenerSet that names it. The same list each time, and another one
   * once a route, a Gateway or a Namespace has changed: values derived from it are cached by it.
   */
  attachedTo(gateway: GatewayView): KnownItems<RouteView>
}

/** Lookups of policies by their targets. */
export type Policies = {
  /**
   * Every known policy that targets the object, the one that is judged included, in order of file and position; none
   * where the object is defined twice, or the policies may be of two clusters: they then target two objects. The same
   * list each time, and another one once one of them has changed: values derived from it are cached by it.
   */
  targeting(kind: TargetKind, namespace: Namespace, name: string): KnownItems<PolicyView>
  /** The policies that targeted the object before the change; none where there was no change. */
  targetingBefore(kind: TargetKind, namespace: Namespace, name: string): KnownItems<PolicyView>
  /** True where the policy is known to have existed before the change. */
  existedBefore(policy: PolicyView): boolean
  /**
   * True for a policy that nginx rejects: it takes part in conflicts, but neither its limits nor its settings apply.
   * Only queries, which judge every policy first, know of any.
   */
  isUnusable?(policy: PolicyView): boolean
}

/** What known snippets add to nginx. */
export type DefinedVariables = {
  /** Lower-cased names of the variables that they define (map, geo, set, js_set …), without `$`. */
  readonly defined: ReadonlySet<string>
  /** True where one of them may define further variables, as it includes a file. */
  readonly isOpen: boolean
  /** Names of the modules that they load: `ngx_http_geoip_module`. */
  readonly modules: ReadonlySet<string>
}

/** The variables that snippets define. */
export type Variables = DefinedVariables & {
  /** True where there are no other snippets: every SnippetsFilter and SnippetsPolicy is known. */
  readonly complete: boolean
}

/** The lookups that this system registers. */
export type OwnLookups = {
  readonly gateways: Gateways
  readonly routes: Routes
  readonly policies: Policies
  readonly variables: Variables
}

/** All lookups that a rule of this system may use. */
export type GatewayLookups = OwnLookups & BaseLookups

/** Those that say which Gateways serve a route. */
export type AttachmentLookups = Pick<GatewayLookups, 'gateways' | 'namespaces'>

type Targets = Pick<OwnLookups, 'gateways' | 'routes'>

/** Whether the target of a policy exists. */
export const lookUpTarget = (
  { gateways, routes }: Targets,
  kind: TargetKind,
  namespace: Namespace,
  name: string,
): Lookup<unknown>['state'] =>
  (isRouteKind(kind) ? routes.get(kind, namespace, name) : gateways.get(namespace, name)).state

/** The namespaces in which an object of that kind and name is known to exist. */
export const namespacesOfTarget = ({ gateways, routes }: Targets, kind: TargetKind, name: string): readonly string[] =>
  isRouteKind(kind) ? routes.namespacesOf(kind, name) : gateways.namespacesOf(name)

/** The names of the objects of that kind in a namespace. */
export const targetNamesIn = (
  { gateways, routes }: Targets,
  kind: TargetKind,
  namespace: Namespace,
): readonly string[] => (isRouteKind(kind) ? routes.namesIn(kind, namespace) : gateways.namesIn(namespace))

/** The name that a kustomization gives to the target of a name. */
export const targetAfterBuild = (
  { gateways, routes }: Targets,
  kind: TargetKind,
  namespace: Namespace,
  name: string,
): string | undefined =>
  isRouteKind(kind) ? routes.nameAfterBuild(kind, namespace, name) : gateways.nameAfterBuild(namespace, name)

/** Another kind under which an object of that name exists. */
export const otherKindOf = (
  lookups: Targets,
  kind: TargetKind,
  namespace: Namespace,
  name: string,
): TargetKind | undefined =>
  TARGET_KINDS.find((other) => other !== kind && lookUpTarget(lookups, other, namespace, name) === 'found')

/** Labels of namespaces, by which a listener selects the namespaces that it allows. */
export type NamespaceLookup = Pick<Namespaces, 'labels'>
