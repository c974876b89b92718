/** Mends a document in its text, so that what is read from it afterwards is what patches make of its value. */

import { isSameValue, type PatchOperation, patched } from '../../json/patch.ts'
import { treeOf } from '../parse/tree-of.ts'
import { readContent, type TextDocument } from '../read.ts'
import { applyEdits, type TextEdit } from './edit.ts'
import type { EditPlan, Site } from './edit-site.ts'
import { type Unit, unitsOf } from './edit-units.ts'
import { planOperation } from './plan-edits.ts'
import { sharedContent } from './shared.ts'

/** Operations on a document that belong together: all of them, or none. */
export type Patch = readonly PatchOperation[]

/**
 * What became of a patch:
 *
 * - `mended`
 * - `later`: it would edit what another one edits; there may be room for it in the text that comes out
 * - `shared`: through an anchor it would change what something else means
 * - `unsafe`: the text offers no place for it
 */
export type Outcome = 'mended' | 'later' | 'shared' | 'unsafe'

/** What a document's text becomes. */
export type MendedDocument = {
  /** Offsets of the file's text; no two overlap. */
  readonly edits: readonly TextEdit[]
  /** One for each patch. */
  readonly outcomes: readonly Outcome[]
}

/** The text of a file, and the order in which people write the members of the object at a pointer of a document. */
export type MendOptions = { readonly text: string; readonly orderOf: Site['orderOf'] }

/**
 * Mends a document of a file. Every edit is proved before it is answered: the document is read again with it, and has
 * to say what the patches make of its value, with the same things wrong with its text.
 */
export function mendDocument(
  { text, orderOf }: MendOptions,
  document: TextDocument,
  patches: readonly Patch[],
): MendedDocument {
  const { format = 'yaml' } = document
  const root = treeOf(text, document)
  if (!root) return { edits: [], outcomes: patches.map(() => 'unsafe') }
  const plans = patches.map((patch) => planPatch({ text, format, root, orderOf }, patch))
  const isRight = createProof(text, document, patches)
  const first = unitsOf(plans.map(([preferred]) => preferred))
  const isShared = sharedContent(text, root)
  // What one patch alone would change for several places is most likely wrong: the others shall not wait for it.
  const isDoubtful = ({ patches: makers, edits }: Unit) => makers.length === 1 && edits.some(isShared)
  const sure = settle(
    first.units.filter((unit) => !isDoubtful(unit)),
    [],
    isRight,
  )
  const shared = settle(first.units.filter(isDoubtful), sure, isRight)
  const done = patchesOf(shared)
  const second = unitsOf(
    plans.map(([, other], index) => (done.has(index) || first.late.has(index) ? undefined : other)),
    shared,
  )
  const units = settle(second.units, shared, isRight)
  const [mended, late] = [patchesOf(units), new Set([...first.late, ...second.late])]
  const refusal = (index: number) => (plans[index]?.[0]?.some(isShared) ? 'shared' : 'unsafe')
  return {
    edits: units.flatMap((unit) => unit.edits),
    outcomes: patches.map((_, index) => (mended.has(index) ? 'mended' : late.has(index) ? 'later' : refusal(index))),
  }
}

const patchesOf = (units: readonly Unit[]): ReadonlySet<number> => new Set(units.flatMap(({ patches }) => patches))

/** The ways to make all operations of a patch, the preferred first; none where one of them has no place. */
function planPatch(site: Site, patch: Patch): readonly EditPlan[] {
  const ways = patch.map((operation) => planOperation(site, operation))
  if (ways.some((plans) => plans.length === 0)) return []
  const preferred = ways.flatMap(([plan = []]) => plan)
  return ways.every((plans) => plans.length === 1)
    ? [preferred]
    : [preferred, ways.flatMap((plans) => plans.at(-1) ?? [])]
}

type Proof = (units: readonly Unit[]) => boolean

/** A document is not read again more often than this to find out which of many edits are wrong. */
const MOST_TRIES = 32

/** Tells whether units make of the text what their patches make of the value. */
function createProof(text: string, document: TextDocument, patches: readonly Patch[]): Proof {
  const { start, end, format = 'yaml', value } = document
  const before = text.slice(start, end)
  const read = (content: string) => readContent(content, { start: 0, end: content.length, format })
  const complaints = document.problems.length === 0 ? [] : complaintsOf(read(before))
  let tries = 0
  return (units) => {
    if (++tries > MOST_TRIES) return false
    const edits = units.flatMap((unit) => unit.edits)
    const after = applyEdits(
      before,
      edits.map((edit) => ({ ...edit, start: edit.start - start, end: edit.end - start })),
    )
    const wanted = patched(
      value,
      [...patchesOf(units)].sort((a, b) => a - b).flatMap((index) => patches[index] ?? []),
    )
    const content = read(after)
    return (
      wanted !== undefined &&
      isSameValue(content.value, wanted.value) &&
      isSameValue(complaintsOf(content), complaints) &&
      separatorsIn(after) === separatorsIn(before)
    )
  }
}

const complaintsOf = ({ problems }: Pick<TextDocument, 'problems'>): readonly string[] =>
  problems.map(({ code, reason }) => `${code}: ${reason}`)

/** Lines that would cut the document. */
const separatorsIn = (text: string): number => text.match(/^---/gm)?.length ?? 0

/** Adds the units that are right to those that are: all at once, or else by halves. */
function settle(units: readonly Unit[], made: readonly Unit[], isRight: Proof): readonly Unit[] {
  const all = [...made, ...units]
  if (units.length === 0 || isRight(all)) return all
  if (units.length === 1) return made
  const half = units.length >> 1
  return settle(units.slice(half), settle(units.slice(0, half), made, isRight), isRight)
}
