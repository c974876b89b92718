/** What happens to an object that is about to be written: allowed, allowed with warnings, denied. */
import { createEarlierPointer } from '../json/earlier.ts'
import { isObject, type JsonObject } from '../json/member.ts'
import { valueAt } from '../json/pointer.ts'
import { isSameValue } from '../json/same.ts'
import type { ClusterView, World } from '../world/world.ts'
import type { Review } from './review.ts'
import { type AdmissionFinding, type JudgedObject, keyOf, type Reviewer, type RuleFault } from './reviewer.ts'

export type Verdict = {
  readonly allowed: boolean
  /** Findings that deny it, or would deny it if `enforce` were `deny`. */
  readonly denials: readonly AdmissionFinding[]
  /** Errors that would deny it, but were there before the change. */
  readonly earlier: readonly AdmissionFinding[]
  /** Findings that deny nothing. */
  readonly warnings: readonly AdmissionFinding[]
  readonly faults: readonly RuleFault[]
}

const ALLOWED: Verdict = { allowed: true, denials: [], earlier: [], warnings: [], faults: [] }

/**
 * Milliseconds after which all objects of a new namespace have arrived. A restore brings objects in any order: what
 * exists only in another namespace now may be created in this one next.
 */
const SETTLED_AFTER = 10 * 60_000

/**
 * Judges a review at a moment, in milliseconds since 1970. Deletions, subresources and objects that no rule judges are
 * allowed.
 */
export function decide(review: Review, reviewer: Reviewer, view: ClusterView, now: number): Verdict {
  const judged = judgedObjectOf(review, reviewer)
  if (!judged) return ALLOWED
  const world = view.world.forTenant()
  const { findings, faults } = reviewer.judge(judged, worldWith(world, judged))
  const denying = findings.filter((finding) => denies(finding, { review, reviewer, view, now }))
  const denials = isRelease(review) ? [] : newAmong(denying, { review, judged, reviewer, world })
  const denied = new Set(denials)
  const { enforce, onFault } = reviewer.admission
  const isFaulty = faults.length > 0 && onFault === 'deny' && !isRelease(review)
  return {
    allowed: enforce === 'warn' || (denials.length === 0 && !isFaulty),
    denials,
    earlier: denying.filter((one) => !denied.has(one)),
    warnings: reviewer.unsuppressed(
      findings.filter((one) => !denied.has(one)),
      judged,
      now,
    ),
    faults,
  }
}

/** The object of a review with its previous version; undefined where there is nothing to judge. */
export function judgedObjectOf(review: Review, reviewer: Reviewer): JudgedObject | undefined {
  const { operation, subResource, object, oldObject, namespace } = review
  if (subResource !== '' || !object || (operation !== 'CREATE' && operation !== 'UPDATE')) return undefined
  const judged = reviewer.read(object, namespace)
  const before = operation === 'UPDATE' && oldObject ? reviewer.read(oldObject, namespace) : undefined
  return judged && { ...judged, previous: before?.view }
}

/** The world in which the object is as it is about to be written. */
export const worldWith = (world: World, { kind, view, previous }: JudgedObject): World =>
  world.with({ kind, before: previous, after: view })

type ReviewContext = {
  readonly review: Review
  readonly reviewer: Reviewer
  readonly view: ClusterView
  readonly now: number
}

function denies({ denies: when, severity, crossObject }: AdmissionFinding, context: ReviewContext): boolean {
  const { review, reviewer, view } = context
  if (severity !== 'error') return false
  if (when === 'always') return true
  if (when !== undefined) return !review.dryRun && (when === 'unless-dry-run' || isSettled(context))
  return !crossObject || (reviewer.admission.crossObject === 'deny' && view.synced)
}

/** False in a new namespace, and in one so new that the watch does not know it yet. */
function isSettled({ review: { namespace = '' }, view: { world }, now }: ReviewContext): boolean {
  const created = world.lookups.namespaces.createdAt(namespace)
  return created.state === 'found' && now - created.value >= SETTLED_AFTER
}

type Update = {
  readonly review: Review
  readonly judged: JudgedObject
  readonly reviewer: Reviewer
  readonly world: World
}

/** Those that the previous version did not have: old objects can still be changed, unless the settings are strict. */
function newAmong(
  denying: readonly AdmissionFinding[],
  { review: { object, oldObject }, judged: { kind, judgedAs, previous }, reviewer, world }: Update,
): readonly AdmissionFinding[] {
  if (denying.length === 0 || !previous || reviewer.admission.strict) return denying
  const before: JudgedObject = { kind, judgedAs, view: previous }
  const { findings } = reviewer.judge(before, worldWith(world, before))
  const known = new Set(findings.flatMap((finding) => [withoutPlaces(finding), ruleAt(finding)]))
  const earlierPointer = createEarlierPointer(object, oldObject)
  return denying.filter((finding) => {
    const pointer = earlierPointer(finding.pointer)
    if (pointer === undefined) return true
    const earlier = { ...finding, pointer }
    // Of a value that has not changed the message may name other values, such as the first of a list that was sorted.
    const isSame = textAt(object, finding.pointer) === textAt(oldObject, pointer)
    return !known.has(isSame ? ruleAt(earlier) : withoutPlaces(earlier))
  })
}

const textAt = (object: JsonObject | undefined, pointer: string): string | undefined =>
  JSON.stringify(valueAt(object, pointer))

const ruleAt = ({ rule, pointer }: AdmissionFinding): string => `${rule}\n${pointer}`

/** What makes two findings the same; a message may name the place of another element of its list. */
const withoutPlaces = (finding: AdmissionFinding): string =>
  keyOf({ ...finding, message: finding.message.replace(/\[\d+\]/g, '') })

/** True where an object is being deleted, or only finalizers are removed: denying that would hold its namespace. */
function isRelease({ object, oldObject }: Review): boolean {
  if (isBeingDeleted(object)) return true
  const [now, before] = [finalizersOf(metadataOf(object)), finalizersOf(metadataOf(oldObject))]
  const isFewer = now.length < before.length && now.every((finalizer) => before.includes(finalizer))
  return isFewer && isSameValue(object?.spec, oldObject?.spec)
}

/** True where an object is being deleted and only its finalizers hold it. */
export const isBeingDeleted = (object: JsonObject | undefined): boolean =>
  typeof metadataOf(object).deletionTimestamp === 'string'

const metadataOf = (object: JsonObject | undefined): JsonObject => (isObject(object?.metadata) ? object.metadata : {})

const finalizersOf = ({ finalizers }: JsonObject): readonly unknown[] => (Array.isArray(finalizers) ? finalizers : [])
