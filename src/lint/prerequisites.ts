/** Whether a rule that found nothing could have found something. */
import type { AnyRule } from '../engine/rule.ts'
import { judgedBy } from '../engine/rule.ts'
import type { LocatedSubject } from '../project/subjects.ts'
import type { System } from '../world/system.ts'
import { lookupSpecs } from '../world/world.ts'

/** True for a rule that needs to know of other objects, and so of all of them, to report everything. */
export function needsClosedWorld(
  { reads = [], lookupsOnlySilence }: Pick<AnyRule, 'reads' | 'lookupsOnlySilence'>,
  systems: readonly System[],
): boolean {
  if (lookupsOnlySilence) return false
  const specs = lookupSpecs(systems)
  return reads.some((read) => specs.get(read)?.needsClosedWorld)
}

/** True for a rule that reports nothing unless there is an earlier version to compare with. */
export const needsPrevious = ({ reads = [] }: Pick<AnyRule, 'reads'>): boolean => reads.includes('previous')

/** True where a rule could read everything by which it judges a subject. */
export function couldReport(
  rule: AnyRule,
  { kind, known, object, previous }: LocatedSubject,
  { isClosed, systems }: { readonly isClosed: boolean; readonly systems: readonly System[] },
): boolean {
  if (!known && !judgedBy(rule).includes(kind)) return false
  if (needsClosedWorld(rule, systems) && !isClosed) return false
  return !needsPrevious(rule) || (previous !== undefined && hasChanged(previous.object, object))
}

const hasChanged = (before: unknown, now: unknown): boolean => JSON.stringify(before) !== JSON.stringify(now)
