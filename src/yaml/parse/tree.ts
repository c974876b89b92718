/** Builds a tree with offsets from the events of the YAML parser. */
import {
  type AliasEvent,
  COLLECTION_STYLE,
  EVENT_ID,
  type Event,
  type MappingEvent,
  SCALAR_STYLE,
  type ScalarEvent,
  type SequenceEvent,
} from 'js-yaml'
import { isOneLine, lineStart, type Span, skipComments, trimmedEnd, wordEnd } from '../scan.ts'
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
import { ANCHOR_NAME, anchorName, readProperties } from './properties.ts'
import { memberName, resolvePlain, resolveTagged, tagName } from './scalar.ts'
import { scalarText } from './scalar-text.ts'
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
