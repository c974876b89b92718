/** Gives the rules of this system their types. */
import { ruleOf } from '../engine/rule.ts'
import type { ProxyView } from './proxy.ts'

export type { PatchOperation } from '../engine/rule.ts'

/** Returns a rule as it is, with the types of what it declares. */
export const rule = ruleOf<{ readonly views: { readonly Proxy: ProxyView }; readonly lookups: object }>()
