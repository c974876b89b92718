/** Whether a rule that found nothing could have found something. */
import type { AnyRule, Read } from '../engine/rule.ts'
import type { Located } from '../project/subjects.ts'
import type { World } from '../world/world.ts'

/** What a rule may look up that is absent for certain only in a closed world. What SnippetsFilters define only adds. */
const OTHER_OBJECTS: readonly Read[] = ['gateways', 'routes', 'policies', 'namespaces'] satisfies (keyof World)[]

/** True for a rule whose silence means nothing unless the given files are all there is. */
export const needsWorld = ({ reads = [] }: Pick<AnyRule, 'reads'>): boolean =>
  reads.some((read) => OTHER_OBJECTS.includes(read))

/** True for a rule whose silence means nothing unless there is an earlier version to compare with. */
export const needsPrevious = ({ reads = [] }: Pick<AnyRule, 'reads'>): boolean => reads.includes('previous')

/** True where a rule could see all that it judges a subject by. */
export function couldSpeak(rule: AnyRule, { kind, view, previous, origin }: Located, isClosed: boolean): boolean {
  if (kind === 'UnknownVersion' && ![rule.judges].flat().includes(kind)) return false
  if (needsWorld(rule) && (!isClosed || origin.source.renamed)) return false
  return (
    !needsPrevious(rule) || (previous !== undefined && 'object' in view && hasChanged(previous.object, view.object))
  )
}

const hasChanged = (before: unknown, now: unknown): boolean => JSON.stringify(before) !== JSON.stringify(now)
