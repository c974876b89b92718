/** What `sluice effective` answers, as plain data. Its JSON is a contract, version 1: members are added, none change. */
import type { Composition } from '../gateway/effective/effective.ts'
import type { RouteKind, TargetKind } from '../gateway/objects/policy.ts'
import type { PolicyName } from './limit.ts'
import type { StretchAnswer } from './request-path.ts'

/** What applies behind one Gateway, or where `gateway` is null as far as nobody knows which Gateways there are. */
export type BehindAnswer = StretchAnswer & {
  readonly gateway: { readonly namespace: string; readonly name: string; readonly inSight: boolean } | null
  /** Whether the Gateway certainly takes the route; `attached` for the Gateway itself, `refused` where none does. */
  readonly attachment: 'attached' | 'unknown' | 'refused'
  /** The listeners that take it, each with the hostnames under which it answers; an empty one stands for every host. */
  readonly listeners: readonly {
    readonly name: string
    readonly port: number | null
    readonly hostnames: readonly string[]
  }[]
}

/** A policy that targets the object or its Gateway and does not count. */
export type InvalidAnswer = PolicyName & { readonly errors: number; readonly message: string }

/** A route behind the Gateway that is asked about. */
export type AttachedAnswer = {
  readonly kind: RouteKind
  readonly namespace: string
  readonly name: string
  readonly attachment: 'attached' | 'unknown'
  /** Limits of its own. */
  readonly limits: number
  /** True where they replace those of the Gateway. */
  readonly replaces: boolean
}

/** The answer; its JSON is a contract, version 1. */
export type EffectiveAnswer = {
  readonly version: 1
  readonly target: {
    readonly kind: TargetKind
    readonly namespace: string
    readonly name: string
    /** False where only policies name it. */
    readonly inSight: boolean
    /** True for a route of which every rule redirects: nginx answers before it looks at limits. */
    readonly redirects: boolean
  }
  /** The world that it lives in; null where the settings name none. */
  readonly world: string | null
  readonly composition: Composition
  /** True where the manifests are all there is. */
  readonly closedWorld: boolean
  /** False where something that is not in sight, or not certain, may change the answer. */
  readonly complete: boolean
  /** One for each Gateway that may take the route. */
  readonly behind: readonly BehindAnswer[]
  /** Gateways that the route names and that do not take it, and why; `absent` where there is none of that name. */
  readonly refusedBy: readonly (PolicyName & { readonly reason: string })[]
  /** Policies that do not count: no cluster takes them, or no nginx does. */
  readonly invalid: readonly InvalidAnswer[]
  /** For a Gateway: the routes in sight that name it. */
  readonly routes: readonly AttachedAnswer[]
}
