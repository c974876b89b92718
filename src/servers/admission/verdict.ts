/** What becomes of a policy that somebody writes: let through, warned about, refused. */
import { isDeepStrictEqual } from 'node:util'
import { isIgnoredInCluster } from '../../engine/suppression.ts'
import { isObject, type JsonObject } from '../../json/member.ts'
import type { ClusterView } from '../../world/cluster-view.ts'
import type { World } from '../../world/world.ts'
import { withoutOtherTenants, withPolicy } from './overlay.ts'
import type { Review } from './review.ts'
import { type Fault, keyOf, type Policy, type Reviewer, type Told } from './reviewer.ts'

export type Verdict = {
  readonly allowed: boolean
  /** What refuses it, or would where nothing is enforced. */
  readonly refusals: readonly Told[]
  /** What is worth saying and refuses nothing. */
  readonly warnings: readonly Told[]
  readonly faults: readonly Fault[]
}

const PASSED: Verdict = { allowed: true, refusals: [], warnings: [], faults: [] }

/** Refuses although it looks at other objects: a policy in the wrong namespace reaches nothing, whatever comes later. */
const NAMESPACE_RULE = 'gateway/target-namespace'
/** Its message about a reference that says another namespace itself; the others follow from what is there. */
const EXPLICIT = 'named'

/**
 * Milliseconds for which a new namespace is still being filled. A restore brings objects in any order: the target that
 * only another namespace has now may be the next to arrive in this one.
 */
const FILLING = 10 * 60_000

/**
 * Judges a review of a policy at a moment, in milliseconds since 1970. Deletions, subresources and other products'
 * objects pass.
 */
export function decide(review: Review, reviewer: Reviewer, view: ClusterView, now: number): Verdict {
  const policy = policyOf(review, reviewer)
  if (!policy) return PASSED
  const world = tenantWorld(view.world)
  const { findings, faults } = reviewer.judge({ ...policy, world: withPolicy(world, policy.view) })
  const refusing = findings.filter((finding) => refuses(finding, { review, reviewer, view, now }))
  const refusals = isRelease(review) ? [] : newAmong(refusing, policy, reviewer, world)
  const { enforce, onFault } = reviewer.admission
  const isFaulty = faults.length > 0 && onFault === 'deny' && !isRelease(review)
  return {
    allowed: enforce === 'warn' || (refusals.length === 0 && !isFaulty),
    refusals,
    warnings: findings.filter((one) => !refusals.includes(one) && !isIgnoredInCluster(policy.view, one)),
    faults,
  }
}

/** The policy that a review is about, with its previous version; undefined where there is nothing to judge. */
export function policyOf(review: Review, reviewer: Reviewer): Omit<Policy, 'world'> | undefined {
  const { operation, subResource, object, oldObject, namespace } = review
  if (subResource !== '' || !object || (operation !== 'CREATE' && operation !== 'UPDATE')) return undefined
  const policy = reviewer.read(object, namespace)
  const before = operation === 'UPDATE' && oldObject ? reviewer.read(oldObject, namespace) : undefined
  return policy && { ...policy, previous: before?.view }
}

const tenantWorlds = new WeakMap<World, World>()

function tenantWorld(world: World): World {
  const known = tenantWorlds.get(world)
  if (known) return known
  const made = withoutOtherTenants(world)
  tenantWorlds.set(world, made)
  return made
}

type Circumstances = {
  readonly review: Review
  readonly reviewer: Reviewer
  readonly view: ClusterView
  readonly now: number
}

function refuses({ rule, id, severity, crossObject }: Told, around: Circumstances): boolean {
  const { review, reviewer, view } = around
  if (severity !== 'error') return false
  if (rule === NAMESPACE_RULE) return !review.dryRun && (id === EXPLICIT || !isFilling(around))
  return !crossObject || (reviewer.admission.crossObject === 'deny' && view.synced)
}

/** True where a namespace is young, or so young that the watch has not heard of it. */
function isFilling({ review: { namespace = '' }, view: { world }, now }: Circumstances): boolean {
  const created = world.namespaces.createdAt(namespace)
  return created.state !== 'found' || now - created.value < FILLING
}

/** Those that the version before did not have: old objects are never frozen, unless the settings ask for it. */
function newAmong(
  refusing: readonly Told[],
  { kind, previous }: Omit<Policy, 'world'>,
  reviewer: Reviewer,
  world: World,
): readonly Told[] {
  if (refusing.length === 0 || !previous || reviewer.admission.strict) return refusing
  const { findings } = reviewer.judge({ kind, view: previous, world: withPolicy(world, previous) })
  const old = new Set(findings.map(keyOf))
  return refusing.filter((finding) => !old.has(keyOf(finding)))
}

/** True where an object is on its way out, or only loses finalizers: holding it would hold its namespace. */
function isRelease({ object, oldObject }: Review): boolean {
  if (isLeaving(object)) return true
  const [now, before] = [finalizersOf(metadataOf(object)), finalizersOf(metadataOf(oldObject))]
  const isFewer = now.length < before.length && now.every((finalizer) => before.includes(finalizer))
  return isFewer && isDeepStrictEqual(object?.spec, oldObject?.spec)
}

/** True where an object is being deleted and only its finalizers hold it. */
export const isLeaving = (object: JsonObject | undefined): boolean =>
  typeof metadataOf(object).deletionTimestamp === 'string'

const metadataOf = (object: JsonObject | undefined): JsonObject => (isObject(object?.metadata) ? object.metadata : {})

const finalizersOf = ({ finalizers }: JsonObject): readonly unknown[] => (Array.isArray(finalizers) ? finalizers : [])
