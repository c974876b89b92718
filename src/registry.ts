/** The one explicit list of systems and rules. A new system is its folder and a line here; its rules are in rules/index.ts. */
import { RULES } from '../rules/index.ts'
import { API_MANAGEMENT_SYSTEM } from './api-management/system.ts'
import type { AnyRule } from './engine/rule.ts'
import { GATEWAY_SYSTEM } from './gateway/system.ts'
import { apiNames, DEFAULT_NAME_PARTS } from './kubernetes/api-groups.ts'
import { localRules, policyErrors, policyKinds } from './local/policies.ts'
import { MESH_SYSTEM } from './mesh/system.ts'
import type { SettingsError } from './settings/errors.ts'
import type { Settings } from './settings/settings.ts'
import { cachedBy, lazily } from './world/cache.ts'
import { kindTable, mayBeOurs, mentionsOf } from './world/kinds.ts'
import type { System } from './world/system.ts'

/** What a run knows: whose objects it reads, and by which rules it judges them. */
export type Registry = { readonly systems: readonly System[]; readonly rules: readonly AnyRule[] }

/** Every system, in the order of the documentation. */
export const SYSTEMS: readonly System[] = [GATEWAY_SYSTEM, API_MANAGEMENT_SYSTEM, MESH_SYSTEM]

/** The systems and rules that a run uses by default. */
export const REGISTRY: Registry = { systems: SYSTEMS, rules: RULES }

/** The ids of all rules that are not policies of the settings. */
export const RULE_IDS: readonly string[] = RULES.map(({ id }) => id)

const POLICY_KINDS = lazily(() => policyKinds(kindTable(SYSTEMS, apiNames(DEFAULT_NAME_PARTS), { mesh: true }).kinds))

/** Says what is wrong with the value of `policies` in the settings. */
export const errorsOfPolicies = (policies: unknown): readonly SettingsError[] =>
  Array.isArray(policies) && policies.length > 0 ? policyErrors(policies, POLICY_KINDS()) : []

const rulesOfPolicies = cachedBy((policies: Settings['policies']) => localRules(policies, POLICY_KINDS()))

/** A registry with the policies of the settings as further rules. */
export const withPolicies = <Known extends Registry>(
  registry: Known,
  { policies }: Pick<Settings, 'policies'>,
): Known =>
  policies.length === 0 ? registry : { ...registry, rules: [...registry.rules, ...rulesOfPolicies(policies)] }

/** Matches a text that may hold an object that one of the systems reads, with settings or without any. */
export function mentionsIn(
  systems: readonly System[],
  { apiGroups = DEFAULT_NAME_PARTS, mesh = false }: Partial<Pick<Settings, 'apiGroups' | 'mesh'>> = {},
): RegExp {
  const { kinds, gate } = kindTable(systems, apiNames(apiGroups), { mesh })
  const mentions = mentionsOf(kinds)
  return gate ? new RegExp(`${mentions.source}|${gate.source}`, mentions.flags) : mentions
}

/** {@link mentionsIn} of all systems. */
export const MENTIONS: RegExp = mentionsIn(SYSTEMS)

/** True for a text that names a kind of some system, or that means an object which has lost its kind. */
export const mayHoldObjects = (text: string): boolean =>
  mayBeOurs(text, kindTable(SYSTEMS, apiNames(DEFAULT_NAME_PARTS), { mesh: true }).kinds)
