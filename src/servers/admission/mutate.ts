/** Patches for a policy that somebody writes: what the rules would mend without changing what the author can have meant. */
import fastJsonPatch from 'fast-json-patch'
import type { PatchOperation } from '../../engine/rule.ts'
import type { JsonObject } from '../../json/member.ts'
import type { ClusterView } from '../../world/cluster-view.ts'
import { withPolicy } from './overlay.ts'
import type { Review } from './review.ts'
import type { Fault, Reviewer, Told } from './reviewer.ts'
import { isLeaving, policyOf } from './verdict.ts'

/** Patches may be one after the other, such as a missing size and then another one for a changed key. */
const MOST_ROUNDS = 4

/**
 * Never written: what says which object it is, and the three settings that take part in conflicts, where being
 * absent means something.
 */
const UNTOUCHED = /^\/(?:(?:apiVersion|kind|metadata)(?:\/|$)|spec\/rateLimit\/(?:dryRun|logLevel|rejectCode)$)/

/** What a review's policy becomes. */
export type Mending = {
  /** RFC 6902; empty where nothing is to mend. */
  readonly patch: readonly PatchOperation[]
  /** Ids of the rules that mended. */
  readonly rules: readonly string[]
  readonly faults: readonly Fault[]
}

const NOTHING: Mending = { patch: [], rules: [], faults: [] }

/** The only opt-in fix that mutation knows. */
const KEY_RULE = 'gateway/key-change-without-zone-resize'

/** Mends the policy of a review. Mending what is mended changes nothing. */
export function mend(review: Review, reviewer: Reviewer, { world }: ClusterView): Mending {
  const { object } = review
  if (!object || isLeaving(object) || !policyOf(review, reviewer)) return NOTHING
  const rules = new Set<string>()
  let mended: JsonObject = object
  let faults: readonly Fault[] = []
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const policy = policyOf({ ...review, object: mended }, reviewer)
    if (!policy) break
    const judgement = reviewer.judge({ ...policy, world: withPolicy(world, policy.view) })
    if (round === 0) faults = judgement.faults
    const fixes = fixesAmong(judgement.findings, reviewer)
    if (fixes.length === 0) break
    const operations = fixes.flatMap(({ patch }) => patch)
    mended = applied(mended, operations)
    for (const { rule } of fixes) rules.add(rule)
  }
  return { patch: rules.size === 0 ? [] : difference(object, mended), rules: [...rules], faults }
}

/** Safe fixes first; a changed key is looked at when nothing else is left. */
function fixesAmong(findings: readonly Told[], { admission }: Reviewer): readonly Told[] {
  const applicable = findings.filter(
    ({ patch }) => patch.length > 0 && patch.every(({ path }) => !UNTOUCHED.test(path)),
  )
  const safe = applicable.filter(({ fix }) => fix === 'safe')
  if (safe.length > 0 || admission.keyChange !== 'resize') return safe
  return applicable.filter(({ rule }) => rule === KEY_RULE)
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
