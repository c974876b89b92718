/** Makes a tree with places of a YAML parser's events. */
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
import { type Builder, createBuilder, fileSpan, report } from './builder.ts'
import {
  type AliasNode,
  keyName,
  type MappingNode,
  type MemberNode,
  type ParsedText,
  type ScalarNode,
  type SequenceNode,
  type Span,
  type TextNode,
} from './node.ts'
import { refuseEscapes, refuseOnLine, refuseQuestion, refuseTabs } from './refuse.ts'
import { memberName, resolvePlain, resolveTagged, tagName } from './scalar.ts'
import type { Source } from './source.ts'
import { skipBlank, skipColon, trimmedEnd, wordEnd } from './tokens.ts'

type Draft<Node> = { -readonly [Member in keyof Node]: Node[Member] }

/** Makes the tree of a document's events. */
export function buildTree(source: Source, events: readonly Event[]): ParsedText {
  if (events[0]?.type !== EVENT_ID.DOCUMENT) return { root: undefined, problems: [] }
  const builder = createBuilder(source, events)
  const root = readNode(builder)
  refuseTabs(builder, source.text.length)
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
      throw new Error(`the parser gave event ${event?.type} where a node begins`)
  }
}

function readScalar(builder: Builder, event: ScalarEvent): ScalarNode {
  builder.cursor = Math.max(builder.cursor, event.tagEnd, event.anchorEnd)
  const span = scalarSpan(builder, event)
  const node: ScalarNode = { kind: 'scalar', ...span, ...meaning(builder, event, span) }
  if (event.anchorStart !== -1) builder.anchors.set(anchorName(builder, event), node)
  return node
}

/** The value of a scalar, and its name as a key. */
function meaning(builder: Builder, event: ScalarEvent, span: Span): Pick<ScalarNode, 'value' | 'name'> {
  const text = getScalarValue(builder.source, event)
  const tag = event.tagStart === -1 ? undefined : tagName(builder.source.slice(event.tagStart, event.tagEnd))
  if (event.style === SCALAR_STYLE.DOUBLE_QUOTED && !event.fast) refuseEscapes(builder, event)
  if (tag === undefined && event.style !== SCALAR_STYLE.PLAIN) return { value: text, name: text }
  if (event.style === SCALAR_STYLE.PLAIN) refuseQuestion(builder, text, span)
  const resolved = tag === undefined ? { value: resolvePlain(text) } : resolveTagged(tag, text)
  if ('value' in resolved) return { value: resolved.value, name: memberName(resolved.value, text) }
  report(builder, resolved.reason, span)
  return { value: null, name: text }
}

/** The span of a scalar with its quotes or its block indicator; the cursor moves behind it. */
function scalarSpan(builder: Builder, { style, valueStart, valueEnd }: ScalarEvent): Span {
  const { source, cursor } = builder
  if (valueStart === -1) return spanOf(builder, cursor, cursor)
  if (style === SCALAR_STYLE.PLAIN) return unquotedSpan(builder, valueStart, valueEnd)
  if (style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED)
    return spanOf(builder, valueStart - 1, valueEnd + 1)
  const start = skipBlank(source, cursor, ':-?')
  const end = trimmedEnd(source, valueStart, valueEnd)
  return unquotedSpan(builder, start, end > valueStart ? end : wordEnd(source, start))
}

function unquotedSpan(builder: Builder, start: number, end: number): Span {
  const span = spanOf(builder, start, end)
  builder.plainEnd = end
  return span
}

function readAlias(builder: Builder, event: AliasEvent): AliasNode {
  const name = anchorName(builder, event)
  const span = spanOf(builder, event.anchorStart - 1, event.anchorEnd)
  const target = builder.anchors.get(name)
  if (target !== undefined && !builder.open.has(target)) return { kind: 'alias', ...span, target }
  report(builder, target === undefined ? `no anchor is named "${name}"` : `anchor "${name}" contains itself`, span)
  return { kind: 'alias', ...span, target: undefined }
}

function readSequence(builder: Builder, event: SequenceEvent): SequenceNode {
  const bracket = event.style === COLLECTION_STYLE.FLOW ? ']' : undefined
  const items: TextNode[] = []
  const node: Draft<SequenceNode> = {
    kind: 'sequence',
    ...beginning(builder, event, bracket),
    isFlow: bracket !== undefined,
    items,
  }
  hold(builder, event, node)
  while (builder.events[builder.index]?.type !== EVENT_ID.POP) {
    if (bracket === undefined) builder.cursor = skipBlank(builder.source, builder.cursor) + 1
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
    ...beginning(builder, event, bracket),
    isFlow: bracket !== undefined,
    members,
  }
  hold(builder, event, node)
  while (builder.events[builder.index]?.type !== EVENT_ID.POP) {
    const merges = isMergeKey(builder)
    const key = readNode(builder)
    if (!isBrokenAlias(key) && keyName(key) === undefined) report(builder, 'a key must be a string', key)
    refuseOnLine(builder)
    builder.cursor = skipColon(builder.source, builder.cursor)
    members.push({ key, value: readNode(builder), merges })
  }
  finish(builder, node, bracket)
  return node
}

const isBrokenAlias = (node: TextNode): boolean => node.kind === 'alias' && node.target === undefined

/** The merge key is `<<` without quotes. */
function isMergeKey({ events, index, source }: Builder): boolean {
  const event = events[index]
  if (event?.type !== EVENT_ID.SCALAR || event.valueEnd - event.valueStart !== 2) return false
  if (!source.startsWith('<<', event.valueStart)) return false
  if (event.tagStart === -1) return event.style === SCALAR_STYLE.PLAIN
  return tagName(source.slice(event.tagStart, event.tagEnd)) === 'tag:yaml.org,2002:merge'
}

/** False for `[key: value]`, a mapping of one member without braces, even where its key begins with one. */
function hasBraces({ events, index, source }: Builder, { style, start }: MappingEvent): boolean {
  if (style !== COLLECTION_STYLE.FLOW || source[start] !== '{') return false
  const first = events[index]
  return !(first?.type === EVENT_ID.MAPPING && first.start === start)
}

/** Where a collection begins; it ends where its last token will. The cursor moves to its first one. */
function beginning(builder: Builder, event: SequenceEvent | MappingEvent, bracket: string | undefined): Span {
  refuseTabs(builder, event.start)
  if (bracket !== undefined) builder.brackets++
  builder.cursor = bracket === undefined ? event.start : event.start + 1
  const start = builder.toFile(event.start)
  return { start, end: start }
}

/** Remembers an anchored collection whose end is to come: an alias within it would make it endless. */
function hold(builder: Builder, event: SequenceEvent | MappingEvent, node: SequenceNode | MappingNode): void {
  if (event.anchorStart === -1) return
  builder.anchors.set(anchorName(builder, event), node)
  builder.open.add(node)
}

/** Closes a collection behind its last token. */
function finish(builder: Builder, node: { end: number }, bracket: string | undefined): void {
  builder.index++
  if (bracket !== undefined) {
    builder.cursor = skipBlank(builder.source, builder.cursor, ',:?') + 1
    builder.brackets--
  }
  node.end = builder.toFile(builder.cursor)
  builder.open.delete(node)
}

/** Moves behind the token that stands at [start, end) of the source. */
function spanOf(builder: Builder, start: number, end: number): Span {
  refuseTabs(builder, start)
  builder.cursor = end
  return fileSpan(builder, start, end)
}

const ANCHOR_NAME = /^[\w-]+$/

function anchorName(
  builder: Builder,
  { anchorStart, anchorEnd }: AliasEvent | ScalarEvent | SequenceEvent | MappingEvent,
): string {
  const name = builder.source.slice(anchorStart, anchorEnd)
  if (!ANCHOR_NAME.test(name))
    report(builder, `"${name}" is no name for an anchor`, fileSpan(builder, anchorStart, anchorEnd))
  return name
}
