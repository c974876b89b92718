/** What a change of a Gateway, a ListenerSet or a route does to the policies that depend on it: the author is warned, never denied. */
import type { JsonObject } from '../json/member.ts'
import type { Change, ObjectView } from '../world/objects.ts'
import type { ClusterView, World } from '../world/world.ts'
import type { Review } from './review.ts'
import { type AdmissionFinding, keyOf, type Reviewer, type RuleFault } from './reviewer.ts'

/** With more the response would be too late: a Gateway may have thousands of policies. */
const MOST_AFFECTED = 200

/** A new finding about an object that a change affects. */
export type Effect = { readonly kind: string; readonly name: string; readonly finding: AdmissionFinding }

export type Observation = {
  /** Objects that no longer apply to anything. */
  readonly orphans: readonly { readonly kind: string; readonly name: string }[]
  readonly effects: readonly Effect[]
  readonly faults: readonly RuleFault[]
}

const NOTHING: Observation = { orphans: [], effects: [], faults: [] }

/** Compares what the rules find in the affected objects before and after the change of an observed object. */
export function observe(review: Review, reviewer: Reviewer, { world }: ClusterView, now: number): Observation {
  const change = review.subResource === '' ? changeOf(review, reviewer) : undefined
  if (!change) return NOTHING
  // The world before has the object as the API server knows it: the watch may be behind.
  const before = world.with({ ...change, after: change.before }).forTenant()
  const after = world.with(change).forTenant()
  const faults: RuleFault[] = []
  const findingsOf = (view: ObjectView, world: World) => {
    const judged = reviewer.read(view.object, view.identity.namespace)
    if (!judged) return []
    const judgement = reviewer.judge({ ...judged, view }, world)
    faults.push(...judgement.faults)
    const effects = judgement.findings.filter((one) => one.crossObject && one.severity !== 'info')
    return reviewer.unsuppressed(effects, judged, now)
  }
  const affected = affectedBy(change, reviewer, world)
  const effects = affected.flatMap((view) => {
    const known = new Set(review.operation === 'CREATE' ? [] : findingsOf(view, before).map(keyOf))
    const added = findingsOf(view, after).filter((finding) => !known.has(keyOf(finding)))
    return added.map((finding) => ({ ...nameOf(view), finding }))
  })
  const isOrphan = (view: ObjectView, { lookups }: World) =>
    reviewer.systems.some(({ isOrphaned }) => isOrphaned?.(view, lookups))
  const orphans = affected.filter((view) => isOrphan(view, after) && !isOrphan(view, before))
  return { orphans: orphans.map(nameOf), effects, faults }
}

const nameOf = ({ identity: { kind, name = '' } }: ObjectView) => ({ kind, name })

/** The change of an observed object; undefined for objects of other kinds. */
function changeOf({ object, oldObject, namespace }: Review, { kinds }: Reviewer): Change | undefined {
  const known = object ?? oldObject
  const kind = known && kinds.recognise(known)?.kind
  if (!kind?.observed) return undefined
  const read = (one: JsonObject | undefined) => one && kind.read(one, namespace)
  return { kind: kind.kind, before: read(oldObject), after: read(object) }
}

const affectedBy = (change: Change, { systems }: Reviewer, { lookups }: World): readonly ObjectView[] =>
  [...new Set(systems.flatMap((system) => system.affectedBy?.(change, lookups) ?? []))].slice(0, MOST_AFFECTED)
