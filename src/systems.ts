/** The one explicit list of systems. A new system is its folder and a line here; its rules are in rules/index.ts. */
import { GATEWAY_SYSTEM } from './gateway/system.ts'
import { apiNames } from './kubernetes/api-groups.ts'
import { kindTable, mentionsOf } from './world/kinds.ts'
import type { System } from './world/system.ts'

export const SYSTEMS: readonly System[] = [GATEWAY_SYSTEM]

/** Matches a text that may hold an object that a system reads. */
export const MENTIONS: RegExp = mentionsOf(kindTable(SYSTEMS, apiNames()).kinds)
