/** Builds a tree with offsets from the events of the YAML parser. */
import {
  type AliasEvent,
  COLLECTION_STYLE,
  EVENT_ID,
  type Event,
  getScalarValue,
  type MappingEvent,
  SCALAR_STYLE,
  type ScalarEvent,
  type SequenceEvent,
} from 'js-yaml'
import { unusualSpaceIn } from '../../text/space.ts'
import { isOneLine, isSpaceAt, lineStart, type Span, skipComments, trimmedEnd, wordEnd } from '../scan.ts'
import {
  type Builder,
  createBuilder,
  fileSpan,
  needsQuotes,
  ON_KEY_LINE,
  rejectInBrackets,
  rejectNewEscapes,
  report,
} from './builder.ts'
import { finishKey, nextKey, rejectSameLine } from './keys.ts'
import type { AliasNode, MappingNode, MemberNode, ParsedText, ScalarNode, SequenceNode, TextNode } from './node.ts'
import { memberName, resolvePlain, resolveTagged, tagName } from './scalar.ts'
import type { ParserSource } from './source.ts'
import { rejectTabAfterSign, rejectTabs, rejectTabsInBlock, rejectTabsInPlain } from './tabs.ts'

type Draft<Node> = { -readonly [Member in keyof Node]: Node[Member] }

/** Builds the tree of one document. The root is undefined where the document is empty or kubectl rejects it. */
export function buildTree(source: ParserSource, events: readonly Event[]): ParsedText {
  const builder = createBuilder(source, events)
  const root = events[0]?.type === EVENT_ID.DOCUMENT ? readNode(builder) : undefined
  rejectTabs(builder, source.text.length)
  const { problems } = builder
  return { root: problems.length > 0 ? undefined : root, problems }
}

function readNode(builder: Builder): TextNode {
  const event = builder.events[builder.index++]
  switch (event?.type) {
    case EVENT_ID.SCALAR:
      return readScalar(builder, event)
    case EVENT_ID.ALIAS:
      return readAlias(builder, event)
    case EVENT_ID.SEQUENCE:
      return readSequence(builder, event)
    case EVENT_ID.MAPPING:
      return readMapping(builder, event)
    default:
      throw new Error(`unexpected parser event ${event?.type} where a node begins`)
  }
}

function readScalar(builder: Builder, event: ScalarEvent): ScalarNode {
  readProperties(builder, event)
  const span = scalarSpan(builder, event)
  const node: ScalarNode = { kind: 'scalar', ...span, ...valueAndName(builder, event, span) }
  if (event.anchorStart !== -1) builder.anchors.set(anchorName(builder, event), node)
  return node
}

/** The value of a scalar, and its name as a key. */
function valueAndName(builder: Builder, event: ScalarEvent, span: Span): Pick<ScalarNode, 'value' | 'name'> {
  const text = scalarText(builder, event)
  const tag = event.tagStart === -1 ? undefined : tagName(builder.source.slice(event.tagStart, event.tagEnd))
  if (event.style === SCALAR_STYLE.DOUBLE_QUOTED && !event.fast) rejectNewEscapes(builder, event)
  if (tag === undefined && event.style !== SCALAR_STYLE.PLAIN) return { value: text, name: text }
  if (event.style === SCALAR_STYLE.PLAIN) rejectInBrackets(builder, text, span)
  const resolved = tag === undefined ? { value: resolvePlain(text) } : resolveTagged(tag, text)
  if ('value' in resolved) return { value: resolved.value, name: memberName(resolved.value, text) }
  report(builder, ['tag-value', resolved.reason], span)
  return { value: null, name: text }
}

/** The span of a scalar with its quotes or its block indicator. Moves the cursor past it. */
function scalarSpan(builder: Builder, event: ScalarEvent): Span {
  const { style, valueStart, valueEnd } = event
  const { source, cursor } = builder
  if (valueStart === -1) return spanOf(builder, cursor, cursor)
  if (style === SCALAR_STYLE.PLAIN) {
    const span = spanOf(builder, valueStart, valueEnd)
    rejectTabsInPlain(builder, valueStart, valueEnd)
    return span
  }
  if (style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED)
    return spanOf(builder, valueStart - 1, valueEnd + 1)
  const start = skipComments(source, cursor, ':-?')
  const end = trimmedEnd(source, valueStart, valueEnd)
  const span = spanOf(builder, start, end > valueStart ? end : wordEnd(source, start))
  rejectTabsInBlock(builder, event, start)
  return span
}

function readAlias(builder: Builder, event: AliasEvent): AliasNode {
  const span = spanOf(builder, event.anchorStart - 1, event.anchorEnd)
  const name = builder.source.slice(event.anchorStart, event.anchorEnd)
  if (!ANCHOR_NAME.test(name)) {
    report(builder, needsQuotes('*'), span)
    return { kind: 'alias', ...span, target: undefined }
  }
  const target = builder.anchors.get(name)
  if (target !== undefined && !builder.open.has(target)) return { kind: 'alias', ...span, target }
  const isMissing = target === undefined
  if (isMissing) report(builder, ['anchor', `no anchor is named "${name}"`], span)
  else report(builder, ['anchor-cycle', `anchor "${name}" contains itself`], span)
  return { kind: 'alias', ...span, target: undefined }
}

function readSequence(builder: Builder, event: SequenceEvent): SequenceNode {
  const bracket = event.style === COLLECTION_STYLE.FLOW ? ']' : undefined
  const items: TextNode[] = []
  const node: Draft<SequenceNode> = {
    kind: 'sequence',
    ...begin(builder, event, bracket),
    isFlow: bracket !== undefined,
    items,
  }
  register(builder, event, node)
  while (builder.events[builder.index]?.type !== EVENT_ID.POP) {
    if (bracket === undefined) {
      const dash = skipComments(builder.source, builder.cursor)
      if (items.length > 0) rejectSameLine(builder, dash)
      rejectTabs(builder, dash)
      builder.cursor = dash + 1
      rejectTabAfterSign(builder, builder.cursor)
    }
    items.push(readNode(builder))
  }
  finish(builder, node, bracket)
  return node
}

function readMapping(builder: Builder, event: MappingEvent): MappingNode {
  const bracket = hasBraces(builder, event) ? '}' : undefined
  const members: MemberNode[] = []
  const node: Draft<MappingNode> = {
    kind: 'mapping',
    ...begin(builder, event, bracket),
    isFlow: bracket !== undefined,
    members,
  }
  register(builder, event, node)
  while (builder.events[builder.index]?.type !== EVENT_ID.POP) {
    if (members.length > 0) rejectSameLine(builder, skipComments(builder.source, builder.cursor))
    const next = nextKey(builder)
    const key = readNode(builder)
    finishKey(builder, key, next)
    members.push({ key, value: readNode(builder), merges: next.merges })
  }
  finish(builder, node, bracket)
  return node
}

/** False for `[key: value]`, a mapping of one member without braces, even where its key begins with a brace. */
function hasBraces({ events, index, source }: Builder, { style, start }: MappingEvent): boolean {
  if (style !== COLLECTION_STYLE.FLOW || source[start] !== '{') return false
  const first = events[index]
  return !(first?.type === EVENT_ID.MAPPING && first.start === start)
}

/** The start of a collection, whose end follows in `finish`. Moves the cursor to its first token. */
function begin(builder: Builder, event: SequenceEvent | MappingEvent, bracket: string | undefined): Span {
  const { cursor } = builder
  readProperties(builder, event)
  if (bracket === undefined && builder.cursor > cursor && isOneLine(builder.source.slice(builder.cursor, event.start)))
    report(builder, ON_KEY_LINE, fileSpan(builder, event.start, event.start + 1))
  rejectTabs(builder, event.start)
  if (bracket !== undefined) builder.brackets++
  builder.columns.push(
    event.style === COLLECTION_STYLE.FLOW ? (builder.columns.at(-1) ?? -1) : columnOf(builder, event.start),
  )
  builder.cursor = bracket === undefined ? event.start : event.start + 1
  const start = builder.toFile(event.start)
  return { start, end: start }
}

/** Remembers an anchored collection as open: an alias to it from within would make it endless. */
function register(builder: Builder, event: SequenceEvent | MappingEvent, node: SequenceNode | MappingNode): void {
  if (event.anchorStart === -1) return
  builder.anchors.set(anchorName(builder, event), node)
  builder.open.add(node)
}

const columnOf = ({ source }: Builder, at: number): number => at - lineStart(source, at)

/** Sets the end of a collection after its last token. */
function finish(builder: Builder, node: { end: number }, bracket: string | undefined): void {
  builder.index++
  if (bracket !== undefined) {
    const close = skipComments(builder.source, builder.cursor, ',:?')
    rejectTabs(builder, close)
    builder.cursor = close + 1
    builder.brackets--
  }
  node.end = builder.toFile(builder.cursor)
  builder.columns.pop()
  builder.open.delete(node)
}

/** The span in the file of the token at [start, end) of the source. Moves the cursor past it. */
function spanOf(builder: Builder, start: number, end: number): Span {
  rejectTabs(builder, start)
  builder.cursor = end
  return fileSpan(builder, start, end)
}

type NodeEvent = ScalarEvent | SequenceEvent | MappingEvent

/** Moves the cursor past the anchor and the tag of a node, where they end as kubectl wants it. */
function readProperties(builder: Builder, event: NodeEvent): void {
  const { source } = builder
  const { tagStart, tagEnd, anchorStart, anchorEnd } = event
  if (tagStart === -1 && anchorStart === -1) return
  const spans = [
    { start: tagStart, end: tagEnd },
    { start: anchorStart - 1, end: anchorEnd },
  ]
  for (const { start, end } of spans.filter(({ end }) => end !== -1).sort((one, other) => one.start - other.start)) {
    rejectTabs(builder, start)
    builder.cursor = Math.max(builder.cursor, end)
  }
  if (tagStart !== -1 && !(TAG.test(source.slice(tagStart, tagEnd)) && isSpaceAt(source, tagEnd)))
    report(
      builder,
      ['tag', `"${source.slice(tagStart, wordEnd(source, tagEnd))}" is not a valid tag`],
      fileSpan(builder, tagStart, tagEnd),
    )
  if (anchorStart !== -1 && !/^(?:$|[\s?:,\]}%@`])/.test(source.slice(anchorEnd, anchorEnd + 1)))
    report(
      builder,
      ['anchor-name', 'a space must follow the name of an anchor'],
      fileSpan(builder, anchorStart, anchorEnd),
    )
}

/** A tag as both parsers read it: without escapes, which are not in use. */
const TAG = /^!(?!!$)[^%#]*$/

/** The names of anchors that go-yaml takes. */
const ANCHOR_NAME = /^[\w-]+$/

/** The name of the anchor of a node that has one. */
function anchorName(builder: Builder, { anchorStart, anchorEnd }: NodeEvent): string {
  const name = builder.source.slice(anchorStart, anchorEnd)
  if (!ANCHOR_NAME.test(name))
    report(builder, ['anchor-name', `"${name}" is not a valid anchor name`], fileSpan(builder, anchorStart, anchorEnd))
  return name
}

/** Breaks that go-yaml keeps as they are, and a return that kubectl drops, where the parser gets a space that counts. */
const ODD_BREAK = /[\u2028\u2029]|(?<=\\)\r(?=\r\n)/
const ODD_BREAK_IN_BLOCK = /[\u2028\u2029]|\r(?=\r\n)/

/** The text of a scalar; one whose line breaks depend on too much is reported. */
function scalarText(builder: Builder, event: ScalarEvent): string {
  const { from, source } = builder
  const { valueStart, valueEnd, style } = event
  if (valueStart === -1 || event.fast) return getScalarValue(source, event)
  const { start, end } = fileSpan(builder, valueStart, valueEnd)
  const written = from.written.slice(start - from.base, end - from.base)
  const isBlock = style === SCALAR_STYLE.LITERAL_BLOCK || style === SCALAR_STYLE.FOLDED_BLOCK
  const odd = written.search(isBlock ? ODD_BREAK_IN_BLOCK : ODD_BREAK)
  if (odd !== -1) {
    const value = oddText(written, event)
    if (value !== undefined) return value
    const at = start + odd
    const what = unusualSpaceIn(written.charAt(odd)) ?? 'a second carriage return'
    report(builder, ['space', `${what} within a text of several lines`], { start: at, end: at + 1 })
    return ''
  }
  if (style !== SCALAR_STYLE.DOUBLE_QUOTED) return getScalarValue(source, event)
  const quoted = source.slice(valueStart, valueEnd)
  const text = quoted.replace(ESCAPE, withEmptyLines)
  return text === quoted ? getScalarValue(source, event) : textOf(text, event)
}

const textOf = (text: string, event: ScalarEvent): string =>
  getScalarValue(text, { ...event, valueStart: 0, valueEnd: text.length, fast: false })

/** Beside spaces, other breaks and backslashes go-yaml drops characters or folds lines. js-yaml does not read `\\'`. */
const BESIDE_SPACE = /[\s\u0085\\][\u2028\u2029]|[\u2028\u2029][\s\u0085]|\r\r\n|\\'/

/** The text of a quoted scalar with odd breaks; undefined where it is hard to tell. */
function oddText(written: string, event: ScalarEvent): string | undefined {
  const isQuoted = event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED
  return isQuoted && !BESIDE_SPACE.test(written) ? textOf(written.replaceAll('\u0085', '\n'), event) : undefined
}

/** A backslash with the character that it escapes, or with the end of its line and the empty lines that follow. */
const ESCAPE = /\\(?:(?:\r\n|\r|\n)(?:[ \t]*(?:\r\n|\r|\n))+|[\s\S])/g

/** js-yaml leaves out the empty lines after a line that ends with a backslash. */
function withEmptyLines(escaped: string): string {
  const breaks = escaped.match(/\r\n|\r|\n/g) ?? []
  return breaks.length < 2 ? escaped : `${'\\n'.repeat(breaks.length - 1)}\\\n`
}
