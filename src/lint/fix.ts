/** Fixes texts: applies the patches of findings and judges the new texts again until nothing is left to fix. */

import { fileOf, type Source, textOf } from '../project/source.ts'
import { append } from '../text/append.ts'
import { groupBy } from '../text/group.ts'
import type { TextDocument } from '../yaml/documents.ts'
import { composeEdits } from '../yaml/edit/compose.ts'
import type { TextEdit } from '../yaml/edit/edit.ts'
import { applyEdits, inTextOrder } from '../yaml/edit/edit.ts'
import { type FixOutcome, fixDocument, fixEachAlone } from '../yaml/edit/fix-document.ts'
import type { Fix } from './describe.ts'
import type { LintOutcome } from './lint.ts'
import type { LintReport, ReportedFinding } from './report.ts'

/** Which fixes are applied. */
export type FixKind = Fix['kind']

/** Texts after fixing. */
export type FixedSources = {
  /** All sources, as they are now; one that did not change is the same object. */
  readonly sources: readonly Source[]
  /** For each of them the edits of the text before that make its text; none where it did not change. */
  readonly edits: readonly (readonly TextEdit[])[]
  /** What is found in them. */
  readonly outcome: LintOutcome
  /** How many findings were fixed in a text, by the name of its file. */
  readonly fixed: ReadonlyMap<string, number>
  /** Findings that stay although they have a patch. */
  readonly left: readonly LeftFinding[]
}

/** A finding that cannot be fixed in its text. */
export type LeftFinding = { readonly finding: ReportedFinding; readonly reason: Exclude<FixOutcome, 'fixed'> }

/** A fix may make room for another, which is found when the text is judged again. */
const MOST_ROUNDS = 10

/** Which fixes are applied, and how the fixed texts are judged again. */
export type FixOptions = {
  readonly kinds: ReadonlySet<FixKind>
  /** Judges sources as those of `first` were. */
  judge(sources: readonly Source[]): LintOutcome
  /** The findings of a report that are shown, and so fixed. Default: all. */
  reported?(report: LintReport): readonly ReportedFinding[]
}

/**
 * Fixes texts, of which `first` is the outcome. Opt-in fixes wait until no safe one can be applied. Objects without a
 * text stay as they are.
 */
export function fixSources(
  before: readonly Source[],
  first: LintOutcome,
  { kinds, judge, reported = ({ findings }) => findings }: FixOptions,
): FixedSources {
  const fixed = new Map<string, number>()
  let [sources, outcome] = [before, first]
  let edits: readonly (readonly TextEdit[])[] = before.map(() => [])
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const applied = applyOnce(reported(outcome.report), outcome.fixes, kinds)
    if (applied.edits.size === 0) return { sources, edits, outcome, fixed, left: applied.left }
    for (const { origin } of applied.fixes) {
      const file = fileOf(origin.source)
      fixed.set(file, (fixed.get(file) ?? 0) + 1)
    }
    edits = edits.map((earlier, index) => composed(before[index], earlier, applied.edits.get(sources[index])))
    sources = sources.map((source) => {
      const ofSource = applied.edits.get(source)
      return ofSource && !('object' in source) ? { ...source, text: applyEdits(source.text, ofSource) } : source
    })
    outcome = judge(sources)
  }
  return { sources, edits, outcome, fixed, left: [] }
}

function composed(
  before: Source | undefined,
  earlier: readonly TextEdit[],
  later: readonly TextEdit[] | undefined,
): readonly TextEdit[] {
  if (!before || !later) return earlier
  return earlier.length === 0 ? later : composeEdits(textOf(before).length, earlier, later)
}

type Applied = {
  readonly edits: ReadonlyMap<Source | undefined, readonly TextEdit[]>
  readonly fixes: readonly Fix[]
  readonly left: readonly LeftFinding[]
}

function applyOnce(
  findings: readonly ReportedFinding[],
  fixes: LintOutcome['fixes'],
  kinds: ReadonlySet<FixKind>,
): Applied {
  const candidates = findings.flatMap((finding) => {
    const fix = fixes.get(finding)
    return fix && kinds.has(fix.kind) && !('object' in fix.origin.source) ? [{ finding, fix }] : []
  })
  const safe = applyAll(candidates.filter(({ fix }) => fix.kind === 'safe'))
  const optIn = candidates.filter(({ fix }) => fix.kind !== 'safe')
  if (safe.edits.size > 0 || optIn.length === 0) return safe
  const others = applyAll(optIn)
  return { ...others, left: [...safe.left, ...others.left] }
}

type Candidate = { readonly finding: ReportedFinding; readonly fix: Fix }

/** Applies as many fixes at once as do not get in each other's way. */
function applyAll(candidates: readonly Candidate[]): Applied {
  const applied = { edits: new Map<Source, readonly TextEdit[]>(), fixes: [] as Fix[], left: [] as LeftFinding[] }
  for (const [source, bySource] of groupBy(candidates, ({ fix }) => fix.origin.source)) {
    const edits: TextEdit[] = []
    for (const [document, byDocument] of groupBy(bySource, ({ fix }) => fix.origin.document)) {
      const result = fixInDocument(
        source,
        document,
        byDocument.map(({ fix }) => fix),
      )
      append(edits, result.edits)
      for (const [index, { finding, fix }] of byDocument.entries()) {
        const reason = result.outcomes[index] ?? 'unsafe'
        if (reason === 'fixed') applied.fixes.push(fix)
        else applied.left.push({ finding, reason })
      }
    }
    if (edits.length > 0) applied.edits.set(source, inTextOrder(edits))
  }
  return applied
}

/** Where the object of an operation is in its document. */
const BASE = /^(?:\/items\/\d+)+/

/** Fixes a document by patches of objects that were found in it. Its edits are those of the source. */
function fixInDocument(source: Source, document: TextDocument, fixes: readonly Fix[]) {
  const { options, patches, toSource } = inDocument(source, fixes)
  const fixed = fixDocument(options, document, patches)
  const edits = toSource ? toSource(fixed.edits) : fixed.edits
  return edits ? { ...fixed, edits } : { edits: [], outcomes: [] }
}

/** The patches of objects as those of their document, and how its edits become those of the source. */
function inDocument(source: Source, fixes: readonly Fix[]) {
  const inline = fixes[0]?.inline
  const fieldsByBase = new Map(fixes.map(({ origin, fieldsAt }) => [origin.base, fieldsAt]))
  const orderOf = (pointer: string) => {
    const base = BASE.exec(pointer)?.[0] ?? ''
    return fieldsByBase.get(base)?.(pointer.slice(base.length)) ?? []
  }
  const patches = fixes.map(({ patch, origin: { base } }) =>
    patch.map((operation) => ({ ...operation, path: base + operation.path })),
  )
  return { options: { text: inline?.text ?? textOf(source), orderOf }, patches, toSource: inline?.toSource }
}

/**
 * Finds the edits that would fix one finding alone in its text; undefined where nothing does. All findings of a
 * document are looked at together, when the edits of the first are asked for.
 */
export function createEditor({ fixes }: Pick<LintOutcome, 'fixes'>) {
  const byDocument = groupBy(fixes.values(), ({ origin }) => origin.document)
  const editsByFix = new Map<Fix, readonly TextEdit[] | undefined>()
  const findEdits = ({ origin: { source, document } }: Fix): void => {
    const all = byDocument.get(document) ?? []
    const { options, patches, toSource } = inDocument(source, all)
    const found = fixEachAlone(options, document, patches)
    for (const [index, fix] of all.entries()) {
      const edits = found[index]
      const inSource = edits && toSource ? toSource(edits) : edits
      editsByFix.set(fix, inSource && inTextOrder(inSource))
    }
  }
  return (finding: ReportedFinding): readonly TextEdit[] | undefined => {
    const fix = fixes.get(finding)
    if (fix && !editsByFix.has(fix)) findEdits(fix)
    return fix && editsByFix.get(fix)
  }
}
