/** What this room needs to know about other objects. Callers implement these lookups; nothing here finds objects. */
import type { GatewayView } from './objects/gateways-and-routes.ts'
import type { PolicyView, TargetKind } from './objects/policy.ts'

/** The result of a lookup: found, certainly absent, or not known. */
export type Lookup<Value> =
  | { readonly state: 'found'; readonly value: Value }
  | { readonly state: 'absent' }
  | { readonly state: 'unknown' }

/** Which policies target an object, and which of them existed before a change. */
export type PolicyLookup = {
  /**
   * The policies on one target. The same query in the same world returns the same list, and another world returns
   * another list: caches are keyed by the list.
   */
  targeting(
    kind: TargetKind,
    namespace: string | undefined,
    name: string,
  ): { readonly items: readonly PolicyView[]; readonly complete: boolean }
  /** True where the policy is known to have existed before the change. */
  existedBefore(policy: PolicyView): boolean
}

/** Labels of namespaces, by which a listener selects the namespaces that it allows. */
export type NamespaceLookup = { labels(name: string): Lookup<Readonly<Record<string, string>>> }

/** Everything that decides which limits apply to a route. */
export type GatewayLookups = {
  readonly gateways: { get(namespace: string | undefined, name: string): Lookup<GatewayView> }
  readonly policies: PolicyLookup
  readonly namespaces: NamespaceLookup
}
