/** Plans of injection as edits of the text. */
import { applyPatch } from '../../json/patch.ts'
import { escapeToken } from '../../json/pointer.ts'
import { type TextDocument, writeDocuments } from '../../yaml/documents.ts'
import type { TextEdit } from '../../yaml/edit/edit.ts'
import { fixDocument } from '../../yaml/edit/fix-document.ts'
import { jsonIndentation } from '../../yaml/edit/write-lines.ts'
import { lineBreak, skipComments } from '../../yaml/scan.ts'
import type { InjectionPlan } from './plan.ts'

/**
 * Edits that carry out plans; undefined where something has no place in the text, such as a container behind an alias:
 * then the document has to be written anew.
 */
export function editsOf(
  text: string,
  document: TextDocument,
  plans: readonly InjectionPlan[],
): readonly TextEdit[] | undefined {
  const options = { text, orderOf, isSpread: true }
  const first = fixDocument(
    options,
    document,
    plans.map(({ operations }) => operations),
  )
  if (first.outcomes.every((outcome) => outcome === 'fixed')) return first.edits
  const second = fixDocument(
    options,
    document,
    plans.map(({ operations, withOwnLabels }, index) =>
      first.outcomes[index] === 'fixed' ? operations : withOwnLabels,
    ),
  )
  return second.outcomes.every((outcome) => outcome === 'fixed') ? second.edits : undefined
}

/** The pointer of an integer that JavaScript may have rounded. Aliases make values that are in several places. */
export function findInexact(value: unknown, base = '', seen = new Set<unknown>()): string | undefined {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value) ? base : undefined
  if (typeof value !== 'object' || value === null || seen.has(value)) return undefined
  seen.add(value)
  for (const [name, member] of Object.entries(value)) {
    const found = findInexact(member, `${base}/${escapeToken(name)}`, seen)
    if (found !== undefined) return found
  }
  return undefined
}

/** Metadata goes before the specification; anything else after what is there, with its comments. */
const orderOf = (pointer: string): readonly string[] => (pointer.endsWith('/template') ? ['metadata', 'spec'] : [])

/** The whole document written anew; comments above it stay. */
export function rewritten(text: string, document: TextDocument, plans: readonly InjectionPlan[]): TextEdit {
  const { start, end, value, format } = document
  const patched = applyPatch(
    value,
    plans.flatMap(({ operations }) => operations),
  )
  const written =
    format === 'json'
      ? `${JSON.stringify(patched?.value, null, jsonIndentation(text.slice(start, end)))}\n`
      : writeDocuments([patched?.value])
  const hasSeparator = text.startsWith('---', start)
  const content = skipComments(text, hasSeparator ? start + 3 : start)
  return { start: Math.min(content, end), end, text: written.replaceAll('\n', lineBreak(text, start)) }
}
