/** What the parser takes and kubectl refuses. */
import { COLLECTION_STYLE, EVENT_ID, type ScalarEvent } from 'js-yaml'
import { type Builder, fileSpan, report } from './builder.ts'
import type { Span } from './node.ts'

/** No line may be indented with a tab outside of brackets, be it empty; after an unquoted scalar spaces may stand before it. */
export function refuseTabs(builder: Builder, start: number): void {
  const { source, cursor, brackets, plainEnd } = builder
  if (brackets > 0 || start <= cursor) return
  const between = source.slice(cursor, start)
  const tab = cursor === plainEnd ? between.indexOf('\n\t') : between.search(/\n *\t/)
  if (tab === -1) return
  const at = source.indexOf('\t', cursor + tab)
  report(builder, 'tab characters must not be used in indentation', fileSpan(builder, at, at + 1))
}

/** No mapping and no list may begin on the line of the key before it; the parser lets it where an anchor or a tag stands. */
export function refuseOnLine(builder: Builder): void {
  const { events, index, source, cursor } = builder
  const next = events[index]
  if (next?.type !== EVENT_ID.MAPPING && next?.type !== EVENT_ID.SEQUENCE) return
  if (next.style === COLLECTION_STYLE.FLOW || /[\n\r]/.test(source.slice(cursor, next.start))) return
  report(builder, 'a mapping or list must begin on a line of its own', fileSpan(builder, next.start, next.start + 1))
}

/** Within brackets a question mark begins a key, wherever it stands. */
export function refuseQuestion(builder: Builder, text: string, span: Span): void {
  if (builder.brackets > 0 && text.includes('?')) report(builder, 'a "?" within brackets needs quotes', span)
}

/** Escapes that the parser takes from newer versions of YAML. */
const NEWER_ESCAPE = /\\(?:[^/uU]|u(?!d[89a-f]))|(\\u....|\\.)/gis

/** Refuses `\/` and halves of surrogate pairs. */
export function refuseEscapes(builder: Builder, { valueStart, valueEnd }: ScalarEvent): void {
  for (const found of builder.source.slice(valueStart, valueEnd).matchAll(NEWER_ESCAPE)) {
    if (found[1] === undefined) continue
    const at = valueStart + found.index
    report(builder, `unknown escape sequence ${found[1]}`, fileSpan(builder, at, at + found[1].length))
  }
}
