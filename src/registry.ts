/** The one explicit list of systems and rules. A new system is its folder and a line here; its rules are in rules/index.ts. */
import { RULES } from '../rules/index.ts'
import type { AnyRule } from './engine/rule.ts'
import { GATEWAY_SYSTEM } from './gateway/system.ts'
import { apiNames } from './kubernetes/api-groups.ts'
import { kindTable, mentionsOf } from './world/kinds.ts'
import type { System } from './world/system.ts'

/** What a run knows: whose objects it reads, and by which rules it judges them. */
export type Registry = { readonly systems: readonly System[]; readonly rules: readonly AnyRule[] }

/** Every system, in the order of the documentation. */
export const SYSTEMS: readonly System[] = [GATEWAY_SYSTEM]

/** The systems and rules that a run uses by default. */
export const REGISTRY: Registry = { systems: SYSTEMS, rules: RULES }

/** Matches a text that may hold an object that one of the systems reads. */
export const mentionsIn = (systems: readonly System[]): RegExp => mentionsOf(kindTable(systems, apiNames()).kinds)

/** {@link mentionsIn} of all systems. */
export const MENTIONS: RegExp = mentionsIn(SYSTEMS)
