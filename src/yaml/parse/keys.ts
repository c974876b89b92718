/** Keys of mappings: what kubectl rejects and js-yaml does not. */
import { EVENT_ID, getScalarValue, SCALAR_STYLE } from 'js-yaml'
import { isOneLine, isSpaceAt, lineEnd, type Span, skipColon, skipComments } from '../scan.ts'
import { type Builder, fileSpan, NO_COLON, rejectBlockOnKeyLine, report } from './builder.ts'
import { keyName, type TextNode } from './node.ts'
import { tagName } from './scalar.ts'
import { rejectTabAfterSign, rejectTabs } from './tabs.ts'

/** A key that is the next event: what it is, as far as its node does not tell. */
export type NextKey = { readonly merges: boolean; readonly isPlain: boolean; readonly before: number }

/** What the next event tells of the key that it is. */
export function nextKey(builder: Builder): NextKey {
  const event = builder.events[builder.index]
  const isPlain = event?.type === EVENT_ID.SCALAR && event.style === SCALAR_STYLE.PLAIN && event.valueStart !== -1
  return { merges: isMergeKey(builder), isPlain, before: builder.cursor }
}

/** The merge key is `<<` without quotes, or with any after a tag that says so, or that says nothing. */
function isMergeKey(builder: Builder): boolean {
  const { events, index, source } = builder
  const event = events[index]
  if (event?.type !== EVENT_ID.SCALAR) return false
  if (event.tagStart === -1)
    return event.style === SCALAR_STYLE.PLAIN && source.slice(event.valueStart, event.valueEnd) === '<<'
  return MERGE_TAGS.has(tagName(source.slice(event.tagStart, event.tagEnd))) && getScalarValue(source, event) === '<<'
}

const MERGE_TAGS: ReadonlySet<string> = new Set(['tag:yaml.org,2002:merge', '!'])

/** Reports a member or an item that begins, at an offset of the source, on the line where the one before it ends. */
export function rejectSameLine(builder: Builder, start: number): void {
  const { brackets, source, cursor } = builder
  if (brackets === 0 && isOneLine(source.slice(cursor, start)))
    report(
      builder,
      ['extra', `unexpected ${JSON.stringify(source.charAt(start))}`],
      fileSpan(builder, start, start + 1),
    )
}

/** Reports what is wrong with a key, and moves the cursor past its colon. */
export function finishKey(builder: Builder, key: TextNode, { isPlain, before }: NextKey): void {
  if (isPlain) rejectColonWithoutSpace(builder, key)
  if (!isBrokenAlias(key) && keyName(key) === undefined) rejectKey(builder, key)
  readColon(builder, key, before)
}

const isBrokenAlias = (node: TextNode): boolean => node.kind === 'alias' && node.target === undefined

/** Within brackets go-yaml takes a colon right before a bracket or a comma for a part of the plain scalar before it. */
function rejectColonWithoutSpace(builder: Builder, key: TextNode): void {
  const { brackets, source, cursor } = builder
  if (brackets > 0 && /^:[,[\]{}]/.test(source.slice(cursor, cursor + 2))) report(builder, ['colon', NO_COLON], key)
}

/** Moves the cursor past the colon after a key whose tokens begin at or after `before`. */
function readColon(builder: Builder, key: TextNode, before: number): void {
  const { source, cursor } = builder
  const start = skipComments(source, before, ',')
  const isExplicit = source[start] === '?' && isSpaceAt(source, start + 1)
  if (key.end > key.start && !isExplicit) rejectBlockOnKeyLine(builder)
  const afterColon = skipColon(source, cursor)
  rejectTabs(builder, afterColon)
  builder.cursor = afterColon
  if (isExplicit) {
    if (builder.brackets > 0) return
    rejectTabAfterSign(builder, start + 1)
    if (afterColon > cursor) rejectTabAfterSign(builder, afterColon)
  } else if (builder.cursor > cursor && key.end > key.start) {
    if (!isOneLine(source.slice(start, builder.cursor)) || builder.cursor - start > LONGEST_KEY)
      report(builder, ['key', 'a key must be on one line with its colon'], key)
  }
}

/** Bytes, taken for UTF-16 units, that a key may have without a question mark before it. */
const LONGEST_KEY = 1024

/** Reports a key that kubectl cannot make a string of. */
function rejectKey(builder: Builder, key: TextNode): void {
  if (key.end === key.start) rejectNoKey(builder, key)
  else if (key.kind === 'scalar') report(builder, ['quotes', 'a key must be a string'], key)
  else report(builder, ['key', 'a key must be a string, not a mapping or list'], key)
}

/** Reports a colon without a key before it, one before a whole member, or a question mark without a key after it. */
function rejectNoKey(builder: Builder, key: Span): void {
  const { source, cursor } = builder
  const colon = skipComments(source, cursor, ',')
  if (source[colon] === '?') {
    report(builder, ['no-key', 'no key follows this "?"'], fileSpan(builder, colon, colon + 1))
    return
  }
  const span = source[colon] === ':' ? fileSpan(builder, colon, colon + 1) : key
  const isBeforeMember =
    builder.brackets === 0 && /^:[ \t]+[^\s#]*:(?:\s|$)/.test(source.slice(colon, lineEnd(source, colon)))
  report(builder, isBeforeMember ? ['extra', 'unexpected ":"'] : ['no-key', 'no key precedes this colon'], span)
}
