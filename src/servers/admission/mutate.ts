/** Patches for an object that is about to be written: what rules fix without changing what the author can have meant. */
import fastJsonPatch from 'fast-json-patch'
import type { Review } from '../../admission/review.ts'
import type { AdmissionFinding, Reviewer, RuleFault } from '../../admission/reviewer.ts'
import { isBeingDeleted, judgedObjectOf, worldWith } from '../../admission/verdict.ts'
import type { PatchOperation } from '../../engine/rule.ts'
import { isObject, type JsonObject } from '../../json/member.ts'
import type { Kind } from '../../world/system.ts'
import type { ClusterView } from '../../world/world.ts'

/** One patch may make room for another, such as a missing size and then another one for a changed key. */
const MOST_ROUNDS = 4

/** Never written: the members that say which object it is. */
const IDENTITY = /^\/(?:apiVersion|kind|metadata)(?:\/|$)/

/** The patch of an object. */
export type Patching = {
  /** RFC 6902; empty where there is nothing to fix. */
  readonly patch: readonly PatchOperation[]
  /** Ids of the rules whose fixes it holds. */
  readonly rules: readonly string[]
  readonly faults: readonly RuleFault[]
}

const NOTHING: Patching = { patch: [], rules: [], faults: [] }

/** Fixes the object of a review. Fixing what is fixed changes nothing. */
export function patchObject(review: Review, reviewer: Reviewer, { world }: ClusterView): Patching {
  const { object } = review
  if (!object || isBeingDeleted(object) || !judgedObjectOf(review, reviewer)) return NOTHING
  const rules = new Set<string>()
  let patched: JsonObject = object
  let faults: readonly RuleFault[] = []
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const judged = judgedObjectOf({ ...review, object: patched }, reviewer)
    if (!judged) break
    const judgement = reviewer.judge(judged, worldWith(world, judged))
    if (round === 0) faults = judgement.faults
    const fixes = fixesAmong(judgement.findings, kindOf(judged.kind, reviewer)?.neverPatched)
    if (fixes.length === 0) break
    patched = applied(
      patched,
      fixes.flatMap(({ patch }) => patch),
    )
    for (const { rule } of fixes) rules.add(rule)
  }
  const noted = withNotes(patched, review, reviewer)
  return { patch: noted === object ? [] : difference(object, noted), rules: [...rules], faults }
}

const kindOf = (name: string, { kinds }: Reviewer): Kind | undefined => kinds.kinds.find(({ kind }) => kind === name)

/** The object with the annotations that its kind needs when it changes again. */
function withNotes(next: JsonObject, review: Review, reviewer: Reviewer): JsonObject {
  const written = reviewer.writesOptIn ? judgedObjectOf(review, reviewer) : undefined
  const stored = written && reviewer.read(next, review.namespace)
  const { notes } = (stored && kindOf(stored.kind, reviewer)) ?? {}
  if (!written?.previous || !stored || !notes) return next
  const { metadata } = next
  const annotations = isObject(metadata) && isObject(metadata.annotations) ? metadata.annotations : {}
  const changes = Object.entries(
    notes({ previous: written.previous, written: written.view, next: stored.view }),
  ).filter(([name, value]) => annotations[name] !== value)
  if (!isObject(metadata) || changes.length === 0) return next
  const merged = Object.entries({ ...annotations, ...Object.fromEntries(changes) })
  const kept = Object.fromEntries(merged.filter(([, value]) => value !== undefined))
  return { ...next, metadata: { ...metadata, annotations: kept } }
}

/** Safe fixes first; those that the settings allow in addition wait until nothing else is left. */
function fixesAmong(
  findings: readonly AdmissionFinding[],
  protectedMembers: RegExp | undefined,
): readonly AdmissionFinding[] {
  const applicable = findings.filter(
    ({ patch }) => patch.length > 0 && patch.every(({ path }) => !IDENTITY.test(path) && !protectedMembers?.test(path)),
  )
  const safe = applicable.filter(({ isSafe }) => isSafe)
  return safe.length > 0 ? safe : applicable
}

const applied = (object: JsonObject, operations: readonly PatchOperation[]): JsonObject =>
  fastJsonPatch.applyPatch(structuredClone(object), [...operations], true, true).newDocument

function difference(before: JsonObject, after: JsonObject): readonly PatchOperation[] {
  return fastJsonPatch.compare({ ...before }, { ...after }).flatMap((operation): PatchOperation[] => {
    const { op, path } = operation
    if (op === 'add' || op === 'replace') return [{ op, path, value: operation.value }]
    return op === 'remove' ? [{ op, path }] : []
  })
}
