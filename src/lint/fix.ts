/** Mends texts: what the patches of findings make of them, judged again until nothing is left to mend. */

import { fieldsAt } from '../gateway/schema/violations.ts'
import type { Source } from '../project/source.ts'
import { applyEdits, type TextEdit } from '../yaml/edit/edit.ts'
import { mendDocument, type Outcome } from '../yaml/edit/fix-document.ts'
import type { TextDocument } from '../yaml/read.ts'
import type { Mend } from './describe.ts'
import type { LintOutcome } from './lint.ts'
import type { ReportedFinding } from './report.ts'

/** Which mends are made. */
export type MendKind = Mend['kind']

/** What became of texts. */
export type MendedTexts = {
  /** All texts, as they are now; one that did not change is the same object. */
  readonly sources: readonly Source[]
  /** What is found in them. */
  readonly outcome: LintOutcome
  /** How many findings were mended in a text, by the name of its file. */
  readonly mended: ReadonlyMap<string, number>
  /** Findings that stay although a patch would mend them. */
  readonly left: readonly LeftFinding[]
}

/** A finding that cannot be mended in its text. */
export type LeftFinding = { readonly finding: ReportedFinding; readonly reason: Exclude<Outcome, 'mended'> }

/** Mends may make room for others, which are seen when the text is judged again. */
const MOST_ROUNDS = 10

export type MendTextsOptions = {
  readonly kinds: ReadonlySet<MendKind>
  /** Judges texts as those of `first` were. */
  judge(sources: readonly Source[]): LintOutcome
}

/** Mends texts, of which `first` is what was found in them. Opt-in mends wait until no safe one can be made. */
export function mendTexts(
  texts: readonly Source[],
  first: LintOutcome,
  { kinds, judge }: MendTextsOptions,
): MendedTexts {
  const mended = new Map<string, number>()
  let [sources, outcome] = [texts, first]
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const made = mendOnce(outcome, kinds)
    if (made.texts.size === 0) return { sources, outcome, mended, left: made.left }
    for (const { origin } of made.mends) {
      const { file } = origin.source
      mended.set(file, (mended.get(file) ?? 0) + 1)
    }
    sources = sources.map((source) => {
      const text = made.texts.get(source)
      return text === undefined ? source : { ...source, text }
    })
    outcome = judge(sources)
  }
  return { sources, outcome, mended, left: [] }
}

type Made = {
  readonly texts: ReadonlyMap<Source, string>
  readonly mends: readonly Mend[]
  readonly left: readonly LeftFinding[]
}

function mendOnce(outcome: LintOutcome, kinds: ReadonlySet<MendKind>): Made {
  const wishes = outcome.report.findings.flatMap((finding) => {
    const mend = outcome.mends.get(finding)
    return mend && kinds.has(mend.kind) ? [{ finding, mend }] : []
  })
  const safe = makeAll(wishes.filter(({ mend }) => mend.kind === 'safe'))
  const willing = wishes.filter(({ mend }) => mend.kind !== 'safe')
  if (safe.texts.size > 0 || willing.length === 0) return safe
  const others = makeAll(willing)
  return { ...others, left: [...safe.left, ...others.left] }
}

type Wish = { readonly finding: ReportedFinding; readonly mend: Mend }

/** Makes as many mends at once as have room beside each other. */
function makeAll(wishes: readonly Wish[]): Made {
  const made = { texts: new Map<Source, string>(), mends: [] as Mend[], left: [] as LeftFinding[] }
  for (const [source, bySource] of groupBy(wishes, ({ mend }) => mend.origin.source)) {
    const edits: TextEdit[] = []
    for (const [document, byDocument] of groupBy(bySource, ({ mend }) => mend.origin.document)) {
      const answer = mendFound(
        source,
        document,
        byDocument.map(({ mend }) => mend),
      )
      edits.push(...answer.edits)
      for (const [index, { finding, mend }] of byDocument.entries()) {
        const reason = answer.outcomes[index] ?? 'unsafe'
        if (reason === 'mended') made.mends.push(mend)
        else made.left.push({ finding, reason })
      }
    }
    if (edits.length > 0) made.texts.set(source, applyEdits(source.text, edits))
  }
  return made
}

function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): ReadonlyMap<Key, readonly Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group) group.push(item)
    else groups.set(keyOf(item), [item])
  }
  return groups
}

/** Where the object of an operation lies in its document. */
const BASE = /^(?:\/items\/\d+)+/

/** Mends a document by patches of objects that were found in it. */
function mendFound({ text }: Source, document: TextDocument, mends: readonly Mend[]) {
  const orderOf = (pointer: string) => fieldsAt(pointer.replace(BASE, ''))
  const patches = mends.map(({ patch, origin: { base } }) =>
    patch.map((operation) => ({ ...operation, path: base + operation.path })),
  )
  return mendDocument({ text, orderOf }, document, patches)
}

/** Tells what would mend one finding alone, in the text in which it was found; undefined where nothing does. */
export function createEditor({ mends }: Pick<LintOutcome, 'mends'>) {
  return (finding: ReportedFinding): readonly TextEdit[] | undefined => {
    const mend = mends.get(finding)
    if (!mend) return undefined
    const { edits } = mendFound(mend.origin.source, mend.origin.document, [mend])
    return edits.length === 0 ? undefined : edits
  }
}
