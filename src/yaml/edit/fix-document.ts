/** Fixes a document in its text, so that reading it again gives what patches make of its value. */

import { applyPatch, isSameValue, type PatchOperation } from '../../json/patch.ts'
import { parentPointer } from '../../json/pointer.ts'
import { parseTree, readContent, type TextDocument } from '../documents.ts'
import type { ContentNode, TextNode } from '../parse/node.ts'
import { lineEnd } from '../scan.ts'
import type { EditedDocument } from './collections.ts'
import { applyEdits, type EditGroup, type EditPlan, groupPlans, hasOverlap, type TextEdit } from './edit.ts'
import { planOperation } from './plan-edits.ts'

/** Operations on a document that belong together: all of them are applied, or none. */
export type Patch = readonly PatchOperation[]

/**
 * The outcome of a patch:
 *
 * - `fixed`: it is applied
 * - `later`: its edits overlap those of another patch; it may apply to the text that results
 * - `shared`: it would change an anchored value that is used elsewhere, too
 * - `unsafe`: the text has no safe place for it
 */
export type FixOutcome = 'fixed' | 'later' | 'shared' | 'unsafe'

/** The edits that fix a document. */
type FixedDocument = {
  /** Offsets of the file's text; no two overlap. */
  readonly edits: readonly TextEdit[]
  /** One for each patch. */
  readonly outcomes: readonly FixOutcome[]
}

/** The text of the file, and how what is added to it is written. */
type FixOptions = Pick<EditedDocument, 'text' | 'orderOf' | 'isSpread'>

/**
 * Plans the edits that apply patches to a document of a file. All edits are proven: the document is read again with
 * them, and must have the value that the patches make of it, and the same problems as before.
 */
export function fixDocument(
  { text, orderOf, isSpread = false }: FixOptions,
  document: TextDocument,
  patches: readonly Patch[],
): FixedDocument {
  const { format = 'yaml' } = document
  const root = parseTree(text, document)
  if (!root) return { edits: [], outcomes: patches.map(() => 'unsafe') }
  const plans = patches.map((patch) => planPatch({ text, format, root, orderOf, isSpread }, patch))
  const isCorrect = createProof(text, document, patches)
  const first = groupPlans(plans.map(([preferred]) => preferred))
  const isShared = findShared(text, root)
  // A patch that alone changes a shared value is probably wrong. It is tried last, so that it rejects no other.
  const isDoubtful = ({ patches, edits }: EditGroup) => patches.length === 1 && edits.some(isShared)
  const certain = addCorrect(
    first.groups.filter((group) => !isDoubtful(group)),
    [],
    isCorrect,
  )
  const preferred = addCorrect(first.groups.filter(isDoubtful), certain, isCorrect)
  const done = patchesOf(preferred)
  if (done.size === patches.length)
    return { edits: preferred.flatMap(({ edits }) => edits), outcomes: patches.map(() => 'fixed') }
  const second = groupPlans(
    plans.map(([, alternative], index) => (done.has(index) || first.deferred.has(index) ? undefined : alternative)),
    preferred,
  )
  const groups = addCorrect(second.groups, preferred, isCorrect)
  const [fixed, deferred] = [patchesOf(groups), new Set([...first.deferred, ...second.deferred])]
  const rejection = (index: number) => (plans[index]?.[0]?.some(isShared) ? 'shared' : 'unsafe')
  return {
    edits: groups.flatMap(({ edits }) => edits),
    outcomes: patches.map((_, index) =>
      fixed.has(index) ? 'fixed' : deferred.has(index) ? 'later' : rejection(index),
    ),
  }
}

/** How often those patches are tried again that got in each other's way. */
const MAX_ROUNDS = 8

/**
 * Plans for each patch the edits that apply it alone to a document of a file; undefined where nothing does. Patches that
 * touch different places are proven together, and by halves where that fails: the cost grows with the document, not
 * with the patches times the document.
 */
export function fixEachAlone(
  { text, orderOf }: FixOptions,
  document: TextDocument,
  patches: readonly Patch[],
): readonly (readonly TextEdit[] | undefined)[] {
  const { format = 'yaml' } = document
  const root = parseTree(text, document)
  if (!root) return patches.map(() => undefined)
  const plans = patches.map((patch) => planPatch({ text, format, root, orderOf }, patch))
  const isShared = findShared(text, root)
  const found = new Map<number, EditPlan>()
  const attempt = (candidates: readonly IndexedPlan[]): void => {
    let left = candidates
    for (let round = 0; round < MAX_ROUNDS && left.length > 0; round++) {
      const tried = apart(left, patches)
      const proven = addCorrect(tried, [], createProof(text, document, patches))
      if (proven.length === 0 && tried.length === left.length) break
      for (const { patches: one, edits } of proven) for (const index of one) found.set(index, edits)
      const hadTurn = patchesOf(tried)
      const open = left.filter(([index]) => !found.has(index))
      left = [...open.filter(([index]) => !hadTurn.has(index)), ...open.filter(([index]) => hadTurn.has(index))]
    }
  }
  for (const preference of [0, -1]) {
    const open = plans.flatMap((choices, index): readonly IndexedPlan[] => {
      const plan = found.has(index) ? undefined : choices.at(preference)
      return plan ? [[index, plan]] : []
    })
    attempt(open.filter(([, edits]) => !edits.some(isShared)))
    // An edit of a shared value is probably wrong, and right beside one that makes the same of its alias: each by itself.
    const isCorrect = createProof(text, document, patches)
    for (const [index, edits] of open)
      if (edits.some(isShared) && isCorrect([{ patches: [index], edits }])) found.set(index, edits)
  }
  return patches.map((_, index) => found.get(index))
}

/** A plan with the index of its patch. */
type IndexedPlan = readonly [index: number, edits: EditPlan]

/**
 * Plans of which no two overlap, have an edit in common, or depend on each other: the first where some do. What is
 * removed may be the last of its collection, which another patch fills again.
 */
function apart(plans: readonly IndexedPlan[], patches: readonly Patch[]): readonly EditGroup[] {
  const { groups } = groupPlans(plans.map(([, edits]) => edits))
  const [touched, emptied] = [new Set<string>(), new Set<string>()]
  return groups.flatMap(({ patches: [first = -1] }): readonly EditGroup[] => {
    const [index, edits] = plans[first] ?? []
    const patch = index === undefined ? undefined : patches[index]
    if (index === undefined || !edits || !patch) return []
    const parents = patch.map(({ path }) => parentPointer(path))
    const removes = patch.some(({ op }) => op === 'remove')
    if (parents.some((parent) => emptied.has(parent) || (removes && touched.has(parent)))) return []
    for (const parent of parents) (removes ? emptied : touched).add(parent)
    return [{ patches: [index], edits }]
  })
}

const patchesOf = (groups: readonly EditGroup[]): ReadonlySet<number> =>
  new Set(groups.flatMap(({ patches }) => patches))

/** The plans for all operations of a patch, the preferred first; empty where one of them has no place. */
function planPatch(document: EditedDocument, patch: Patch): readonly EditPlan[] {
  const alternatives = patch.map((operation) => planOperation(document, operation))
  if (alternatives.some((plans) => plans.length === 0)) return []
  const preferred = alternatives.flatMap(([plan = []]) => plan)
  const plans = alternatives.every((plans) => plans.length === 1)
    ? [preferred]
    : [preferred, alternatives.flatMap((plans) => plans.at(-1) ?? [])]
  // Two operations on what an anchor shares can mean one place.
  return plans.filter((plan) => !hasOverlap(plan))
}

/** Whether a text with these edits has the value that their patches make of the document's. */
type Proof = (groups: readonly EditGroup[]) => boolean

/** How often a document is read again to find out which of many edits are wrong. */
const MAX_PROOFS = 32

function createProof(text: string, document: TextDocument, patches: readonly Patch[]): Proof {
  const { start, end, format = 'yaml', value } = document
  const before = text.slice(start, end)
  const read = (content: string) => readContent(content, { start: 0, end: content.length, format })
  const problems = document.problems.length === 0 ? [] : withoutPlaces(read(before))
  let proofs = 0
  return (groups) => {
    if (++proofs > MAX_PROOFS) return false
    const edits = groups.flatMap((group) => group.edits)
    const after = applyEdits(
      before,
      edits.map((edit) => ({ ...edit, start: edit.start - start, end: edit.end - start })),
    )
    const expected = applyPatch(
      value,
      [...patchesOf(groups)].sort((a, b) => a - b).flatMap((index) => patches[index] ?? []),
    )
    const content = read(after)
    return (
      expected !== undefined &&
      isSameValue(content.value, expected.value) &&
      isSameValue(withoutPlaces(content), problems) &&
      separatorsIn(after) === separatorsIn(before)
    )
  }
}

const withoutPlaces = ({ problems }: Pick<TextDocument, 'problems'>): readonly string[] =>
  problems.map(({ code, reason }) => `${code}: ${reason}`)

/** Lines that would split the document. */
const separatorsIn = (text: string): number => text.match(/^---/gm)?.length ?? 0

/** Adds the correct ones of more groups to those accepted: all at once where they are correct, else by halves. */
function addCorrect(
  groups: readonly EditGroup[],
  accepted: readonly EditGroup[],
  isCorrect: Proof,
): readonly EditGroup[] {
  const all = [...accepted, ...groups]
  if (groups.length === 0 || isCorrect(all)) return all
  if (groups.length === 1) return accepted
  const half = groups.length >> 1
  return addCorrect(groups.slice(half), addCorrect(groups.slice(0, half), accepted, isCorrect), isCorrect)
}

/** Whether an edit may change a value that has an alias. It may be true as well for an edit directly after one. */
function findShared(text: string, root: TextNode): (edit: TextEdit) => boolean {
  const targets = new Set<ContentNode>()
  collectTargets(root, targets)
  const spans = [...targets].map(({ kind, start, end }) => ({
    start,
    // A new member is inserted after the last line.
    end: kind === 'scalar' ? end : lineEnd(text, end) + 1,
  }))
  return (edit) => spans.some(({ start, end }) => edit.start < end && edit.end >= start)
}

function collectTargets(node: TextNode, targets: Set<ContentNode>): void {
  if (node.kind === 'alias' && node.target) targets.add(node.target)
  if (node.kind === 'sequence') for (const item of node.items) collectTargets(item, targets)
  if (node.kind !== 'mapping') return
  for (const { key, value } of node.members) {
    collectTargets(key, targets)
    collectTargets(value, targets)
  }
}
