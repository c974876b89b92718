/** Ids of rules, as people write them. */
import { nearest } from '../text/nearest.ts'
import type { Severities, Severity } from './settings.ts'

/**
 * Finds a rule by its id, or by the part after the slash: where several systems have a rule of that name, it means that of
 * the first one, as it did before there were others. `problem` says why there is none.
 */
export function findRuleId(id: string, ids: readonly string[]): { readonly id: string } | { readonly problem: string } {
  if (ids.includes(id)) return { id }
  const first = ids.find((known) => known.endsWith(`/${id}`))
  return first === undefined ? { problem: unknownRule(id, ids) } : { id: first }
}

/** Rules by every name that people write: the id, and the part after the slash, which several may have. */
export type RuleNames = ReadonlyMap<string, readonly string[]>

/** The names of rules. */
export function ruleNames(ids: Iterable<string>): RuleNames {
  const names = new Map<string, readonly string[]>()
  for (const id of ids) {
    const short = id.slice(id.indexOf('/') + 1)
    names.set(short, [...(names.get(short) ?? []), id])
    names.set(id, [id])
  }
  return names
}

/** The one rule of that name; undefined where there is none, or several. */
export function onlyRule(name: string, names: RuleNames): string | undefined {
  const [only, ...others] = names.get(name) ?? []
  return others.length === 0 ? only : undefined
}

/** The severities that leave only some rules active: the others are off, and those that settings switch off are not. */
export function severitiesOfOnly(
  only: readonly string[],
  rules: readonly { readonly id: string; readonly severity: Severity; readonly isOff?: boolean }[],
  configured: Severities,
): Severities {
  const off = rules.filter(({ id }) => !only.includes(id)).map(({ id }) => [id, 'off'] as const)
  const on = rules.filter(
    ({ id, isOff }) => only.includes(id) && (configured[id] ?? (isOff ? 'off' : undefined)) === 'off',
  )
  return Object.fromEntries([...off, ...on.map(({ id, severity }) => [id, severity] as const)])
}

/** Says that there is no such rule, and which is meant. */
export function unknownRule(id: string, ids: readonly string[]): string {
  const meant = nearestRule(id, ids)
  return `unknown rule "${id}"; ${meant === undefined ? '"sluice rules" lists them' : `did you mean "${meant}"?`}`
}

/** The id that is meant: a misspelt one, or the part after the slash. */
export function nearestRule(id: string, ids: readonly string[]): string | undefined {
  const sameName = ids.find((known) => known.endsWith(`/${id}`))
  if (sameName !== undefined) return sameName
  const [, name = id] = id.split('/')
  const names = new Map(ids.toReversed().map((known) => [known.slice(known.indexOf('/') + 1), known]))
  return nearest(id, ids) ?? names.get(nearest(name, [...names.keys()]) ?? '')
}
