/** Gives the rules of this system their types. */
import { ruleOf } from '../engine/rule.ts'
import type { OwnLookups } from './lookups/lookups.ts'
import type { RouteView } from './objects/gateways-and-routes.ts'
import type { PolicyView } from './objects/policy.ts'

export type { PatchOperation } from '../engine/rule.ts'

/** What rules of this system judge and look up. */
export type GatewayRules = {
  readonly views: {
    readonly RateLimitPolicy: PolicyView
    /** A RateLimitPolicy whose apiVersion is an unknown version of our group. */
    readonly UnknownVersion: PolicyView
    /** Judged only where an active rule asks for it. */
    readonly HTTPRoute: RouteView
    readonly GRPCRoute: RouteView
  }
  readonly lookups: OwnLookups
}

/** Returns a rule as it is, with the types of what it declares. */
export const rule = ruleOf<GatewayRules>()
