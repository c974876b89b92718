/** Where findings stand, and where their fixes are made: in the text in which the value was written. */
import type { Finding } from '../engine/finding.ts'
import type { PatchOperation } from '../engine/rule.ts'
import type { JsonObject } from '../json/member.ts'
import { parentPointer, pointerTokens, valueAt } from '../json/pointer.ts'
import { type Origin, writtenAt } from '../project/objects.ts'
import { type Source, textOf, type WrittenPlace } from '../project/source.ts'
import type { LocatedSubject } from '../project/subjects.ts'
import type { TextDocument } from '../yaml/documents.ts'
import type { TextEdit } from '../yaml/edit/edit.ts'
import { inlineText } from '../yaml/inline.ts'
import { createLineIndex, createLocator, type LineColumn, type TextRange } from '../yaml/locate.ts'

/** Where a finding stands. */
export type FoundPlace = { readonly source: Source; readonly start: LineColumn; readonly end: LineColumn }

/** Creates a function that finds the places of findings. Each text and document is indexed once. */
export function createPlaces(): (finding: Finding<LocatedSubject>, at: 'key' | 'value') => FoundPlace {
  const lineIndexOf = forLatest(
    (source: Source) => source,
    (source) => createLineIndex(textOf(source)),
  )
  return (finding, at) => {
    const { origin } = finding.subject
    const written = finding.range ? { ...origin, pointer: '' } : writtenAt(origin, finding.pointer)
    const range = finding.range ?? rangeOf(written, locatorOf(written)(written.pointer, { at }), at)
    const place = lineIndexOf(written.source)
    return { source: written.source, start: place(range.start), end: place(range.end) }
  }
}

/** An object without a text has its places in the YAML that is written of it. */
const locatorOf = forLatest(
  ({ document }: Pick<Origin, 'source' | 'document'>) => document,
  ({ source, document }) => {
    const text = textOf(source)
    return createLocator(text, 'object' in source ? { ...document, end: text.length } : document)
  },
)

/** The range of a value; in an inline patch that of the value within the patch, where its lines can be found. */
function rangeOf(
  written: Omit<WrittenPlace, 'source'> & { readonly source: Source },
  outer: TextRange,
  at: 'key' | 'value',
) {
  if (!written.inline) return outer
  const lines = linesOf({ inline: written.inline, source: written.source, scalar: outer })
  if (!lines) return outer
  const { start, end } = inlineLocatorOf(written.inline)(written.inline.pointer, { at })
  return { start: lines.outside(start), end: lines.outside(end) }
}

type Inline = NonNullable<WrittenPlace['inline']>

const inlineLocatorOf = forLatest(
  ({ document }: Inline) => document,
  ({ text, document }) => createLocator(text, document),
)

/** The lines of an inline patch in its source, of which `scalar` is the span of the patch. */
const linesOf = forLatest(
  ({ inline }: { readonly inline: Inline; readonly source: Source; readonly scalar: TextRange }) => inline.document,
  ({ inline, source, scalar }) => inlineText(textOf(source), scalar, inline.text),
)

/** Remembers the value made for the last identity: findings come in the order of their documents. */
function forLatest<From, Value>(identify: (from: From) => object, make: (from: From) => Value): (from: From) => Value {
  let latest: { readonly identity: object; readonly value: Value } | undefined
  return (from) => {
    const identity = identify(from)
    if (latest?.identity !== identity) latest = { identity, value: make(from) }
    return latest.value
  }
}

/** A patch where it is made. */
export type PlacedPatch = {
  readonly patch: readonly PatchOperation[]
  readonly origin: Origin
  /**
   * For a patch of an inline text: that text, whose document the origin has, and its edits in the source; undefined
   * where one cannot be written there.
   */
  readonly inline?: { readonly text: string; toSource(edits: readonly TextEdit[]): readonly TextEdit[] | undefined }
}

/** Where an object of a List is in its document. */
const BASE = /^(?:\/items\/\d+)+/

/**
 * The patch of an object where its values are written. Undefined where that is in several documents, or where what the
 * patch removes would only uncover another value.
 */
export function placedPatch(patch: readonly PatchOperation[], origin: Origin): PlacedPatch | undefined {
  const { source } = origin
  if (!('object' in source) || !source.built) return { patch, origin }
  const { object, built } = source
  const places = patch.map((operation) => ({ operation, place: placeOfOperation(operation, object, built.placeOf) }))
  const [first] = places
  if (!first?.place) return undefined
  const document = documentOf(first.place)
  const moved: PatchOperation[] = []
  const base = BASE.exec(pointerIn(first.place))?.[0] ?? ''
  for (const { operation, place } of places) {
    if (!place || documentOf(place) !== document || !pointerIn(place).startsWith(base)) return undefined
    moved.push({ ...operation, path: pointerIn(place).slice(base.length) })
  }
  const placed = { patch: moved, origin: { source: first.place.source, document, base } }
  if (!first.place.inline) return placed
  const inline = inlineOf(first.place, first.place.inline)
  return inline && { ...placed, inline }
}

const documentOf = ({ document, inline }: WrittenPlace): TextDocument => (inline ?? { document }).document
const pointerIn = ({ pointer, inline }: WrittenPlace): string => (inline ?? { pointer }).pointer

/** The place at which an operation does the same; undefined where none does. */
function placeOfOperation(
  { op, path }: PatchOperation,
  object: JsonObject,
  placeOf: (pointer: string) => WrittenPlace,
): WrittenPlace | undefined {
  const [place, parent] = [placeOf(path), placeOf(parentPointer(path))]
  if (op === 'replace') return isWrittenAs(valueAt(object, path), place) ? place : undefined
  const name = pointerTokens(path).at(-1) ?? ''
  const isWithin = documentOf(place) === documentOf(parent) && parentPointer(pointerIn(place)) === pointerIn(parent)
  return isWithin && pointerTokens(pointerIn(place)).at(-1) === name ? place : undefined
}

/** False for a value that is made of the written one: a part of it, or with more before or after it. */
function isWrittenAs(built: unknown, place: WrittenPlace): boolean {
  const written = valueAt(documentOf(place).value, pointerIn(place))
  return typeof written !== 'string' || typeof built === 'object' || written === String(built)
}

function inlineOf({ source, document, pointer }: WrittenPlace, inline: Inline): PlacedPatch['inline'] {
  const lines = linesOf({ inline, source, scalar: locatorOf({ source, document })(pointer) })
  if (!lines) return undefined
  return {
    text: inline.text,
    toSource(edits) {
      const written = edits.flatMap(({ start, end, text: added }): TextEdit[] => {
        const outside = lines.write(added)
        return outside === undefined ? [] : [{ start: lines.outside(start), end: lines.outside(end), text: outside }]
      })
      return written.length === edits.length ? written : undefined
    },
  }
}
