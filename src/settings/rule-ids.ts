/** Ids of rules, as people write them. */
import { nearest } from '../text/nearest.ts'

/** The ids that a written one can stand for: itself, or those that have it after the slash. */
export const rulesNamed = (written: string, ids: readonly string[]): readonly string[] =>
  ids.includes(written) ? [written] : ids.filter((id) => id.endsWith(`/${written}`))

/** The id for which a written one stands, or why there is none. */
export function resolveRule(
  written: string,
  ids: readonly string[],
): { readonly id: string } | { readonly problem: string } {
  const [only, ...others] = rulesNamed(written, ids)
  if (only === undefined) return { problem: unknownRule(written, ids) }
  return others.length === 0
    ? { id: only }
    : { problem: `"${written}" is ambiguous; pick one of ${[only, ...others].join(', ')}` }
}

/** Says that there is no such rule, and which is meant. */
export function unknownRule(id: string, ids: readonly string[]): string {
  const meant = nearestRule(id, ids)
  return `unknown rule "${id}"; ${meant === undefined ? '"sluice rules" lists them' : `did you mean "${meant}"?`}`
}

/** The id that is meant: a misspelt one, or the part after the slash. */
export function nearestRule(id: string, ids: readonly string[]): string | undefined {
  const [sameName, another] = rulesNamed(id, ids)
  if (sameName !== undefined && another === undefined) return sameName
  const [, name = id] = id.split('/')
  const names = new Map(ids.map((known) => [known.slice(known.indexOf('/') + 1), known]))
  return nearest(id, ids) ?? names.get(nearest(name, [...names.keys()]) ?? '')
}
