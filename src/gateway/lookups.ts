/** What this room asks of the objects around a policy. Whoever holds them answers; nothing here finds them. */
import type { GatewayView } from './objects/gateways-and-routes.ts'
import type { PolicyView, TargetKind } from './objects/policy.ts'

/** The answer to a look-up: there, certainly not there, or nobody can say. */
export type Lookup<Value> =
  | { readonly state: 'found'; readonly value: Value }
  | { readonly state: 'absent' }
  | { readonly state: 'unknown' }

/** The policies around: who targets what, and who was there before. */
export type PoliciesAround = {
  /** The same list for the same question, and another one in another world: what is derived from it is kept beside it. */
  targeting(
    kind: TargetKind,
    namespace: string | undefined,
    name: string,
  ): { readonly items: readonly PolicyView[]; readonly complete: boolean }
  /** True where the policy is known to have been there before the change. */
  existedBefore(policy: PolicyView): boolean
}

/** Labels of namespaces, which decide whom a listener admits. */
export type NamespacesAround = { labels(name: string): Lookup<Readonly<Record<string, string>>> }

/** Everything around a route that decides which limits apply to it. */
export type Neighbours = {
  readonly gateways: { get(namespace: string | undefined, name: string): Lookup<GatewayView> }
  readonly policies: PoliciesAround
  readonly namespaces: NamespacesAround
}
