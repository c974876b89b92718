/** Ids of rules, as people write them. */
import { nearest } from '../text/nearest.ts'

/** Says that there is no such rule, and which is meant. */
export function unknownRule(id: string, ids: readonly string[]): string {
  const meant = nearestRule(id, ids)
  return `unknown rule "${id}"; ${meant === undefined ? '"sluice rules" lists them' : `did you mean "${meant}"?`}`
}

/** The id that is meant: a misspelt one, or the part after the slash. */
export function nearestRule(id: string, ids: readonly string[]): string | undefined {
  const sameName = ids.filter((known) => known.endsWith(`/${id}`))
  if (sameName.length === 1) return sameName[0]
  const [, name = id] = id.split('/')
  const names = new Map(ids.map((known) => [known.slice(known.indexOf('/') + 1), known]))
  return nearest(id, ids) ?? names.get(nearest(name, [...names.keys()]) ?? '')
}
