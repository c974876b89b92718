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
import { lineEnd, type Span, skipColon, skipComments, trimmedEnd, wordEnd } from '../scan.ts'
import {
  type Builder,
  createBuilder,
  fileSpan,
  needsQuotes,
  rejectBlockOnKeyLine,
  rejectNewEscapes,
  rejectQuestionMark,
  rejectTabs,
  report,
} from './builder.ts'
import {
  type AliasNode,
  keyName,
  type MappingNode,
  type MemberNode,
  type ParsedText,
  type ScalarNode,
  type SequenceNode,
  type TextNode,
} from './node.ts'
import { memberName, resolvePlain, resolveTagged, tagName } from './scalar.ts'
import type { ParserSource } from './source.ts'

type Draft<Node> = { -readonly [Member in keyof Node]: Node[Member] }

/** Builds the tree of one document. The root is undefined where the document is empty or kubectl rejects it. */
export function buildTree(source: ParserSource, events: readonly Event[]): ParsedText {
  if (events[0]?.type !== EVENT_ID.DOCUMENT) return { root: undefined, problems: [] }
  const builder = createBuilder(source, events)
  const root = readNode(builder)
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
  builder.cursor = Math.max(builder.cursor, event.tagEnd, event.anchorEnd)
  const span = scalarSpan(builder, event)
  const node: ScalarNode = { kind: 'scalar', ...span, ...valueAndName(builder, event, span) }
  if (event.anchorStart !== -1) builder.anchors.set(anchorName(builder, event), node)
  return node
}

/** The value of a scalar, and its name as a key. */
function valueAndName(builder: Builder, event: ScalarEvent, span: Span): Pick<ScalarNode, 'value' | 'name'> {
  const text = getScalarValue(builder.source, event)
  const tag = event.tagStart === -1 ? undefined : tagName(builder.source.slice(event.tagStart, event.tagEnd))
  if (event.style === SCALAR_STYLE.DOUBLE_QUOTED && !event.fast) rejectNewEscapes(builder, event)
  if (tag === undefined && event.style !== SCALAR_STYLE.PLAIN) return { value: text, name: text }
  if (event.style === SCALAR_STYLE.PLAIN) rejectQuestionMark(builder, text, span)
  const resolved = tag === undefined ? { value: resolvePlain(text) } : resolveTagged(tag, text)
  if ('value' in resolved) return { value: resolved.value, name: memberName(resolved.value, text) }
  report(builder, ['tag-value', resolved.reason], span)
  return { value: null, name: text }
}

/** The span of a scalar with its quotes or its block indicator. Moves the cursor past it. */
function scalarSpan(builder: Builder, { style, valueStart, valueEnd }: ScalarEvent): Span {
  const { source, cursor } = builder
  if (valueStart === -1) return spanOf(builder, cursor, cursor)
  if (style === SCALAR_STYLE.PLAIN) return unquotedSpan(builder, valueStart, valueEnd)
  if (style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED)
    return spanOf(builder, valueStart - 1, valueEnd + 1)
  const start = skipComments(source, cursor, ':-?')
  const end = trimmedEnd(source, valueStart, valueEnd)
  return unquotedSpan(builder, start, end > valueStart ? end : wordEnd(source, start))
}

function unquotedSpan(builder: Builder, start: number, end: number): Span {
  const span = spanOf(builder, start, end)
  builder.plainEnd = end
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
    if (bracket === undefined) builder.cursor = skipComments(builder.source, builder.cursor) + 1
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
    const merges = isMergeKey(builder)
    const key = readNode(builder)
    if (!isBrokenAlias(key) && keyName(key) === undefined) rejectKey(builder, key)
    if (key.end > key.start) rejectBlockOnKeyLine(builder)
    builder.cursor = skipColon(builder.source, builder.cursor)
    members.push({ key, value: readNode(builder), merges })
  }
  finish(builder, node, bracket)
  return node
}

/** Reports a key that kubectl cannot make a string of. */
function rejectKey(builder: Builder, key: TextNode): void {
  if (key.end === key.start) rejectNoKey(builder, key)
  else if (key.kind === 'scalar') report(builder, ['quotes', 'a key must be a string'], key)
  else report(builder, ['key', 'a key must be a string, not a mapping or list'], key)
}

/** Reports a colon without a key before it, or one before a whole member. */
function rejectNoKey(builder: Builder, key: Span): void {
  const { source, cursor } = builder
  const colon = skipComments(source, cursor, ',')
  const span = source[colon] === ':' ? fileSpan(builder, colon, colon + 1) : key
  const isBeforeMember =
    builder.brackets === 0 && /^:[ \t]+[^\s#]*:(?:\s|$)/.test(source.slice(colon, lineEnd(source, colon)))
  report(builder, isBeforeMember ? ['extra', 'unexpected ":"'] : ['no-key', 'no key precedes this colon'], span)
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

/** False for `[key: value]`, a mapping of one member without braces, even where its key begins with a brace. */
function hasBraces({ events, index, source }: Builder, { style, start }: MappingEvent): boolean {
  if (style !== COLLECTION_STYLE.FLOW || source[start] !== '{') return false
  const first = events[index]
  return !(first?.type === EVENT_ID.MAPPING && first.start === start)
}

/** The start of a collection, whose end follows in `finish`. Moves the cursor to its first token. */
function begin(builder: Builder, event: SequenceEvent | MappingEvent, bracket: string | undefined): Span {
  rejectTabs(builder, event.start)
  if (bracket !== undefined) builder.brackets++
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

/** Sets the end of a collection after its last token. */
function finish(builder: Builder, node: { end: number }, bracket: string | undefined): void {
  builder.index++
  if (bracket !== undefined) {
    builder.cursor = skipComments(builder.source, builder.cursor, ',:?') + 1
    builder.brackets--
  }
  node.end = builder.toFile(builder.cursor)
  builder.open.delete(node)
}

/** The span in the file of the token at [start, end) of the source. Moves the cursor past it. */
function spanOf(builder: Builder, start: number, end: number): Span {
  rejectTabs(builder, start)
  builder.cursor = end
  return fileSpan(builder, start, end)
}

const ANCHOR_NAME = /^[\w-]+$/

function anchorName(builder: Builder, { anchorStart, anchorEnd }: ScalarEvent | SequenceEvent | MappingEvent): string {
  const name = builder.source.slice(anchorStart, anchorEnd)
  if (!ANCHOR_NAME.test(name))
    report(builder, ['anchor-name', `"${name}" is not a valid anchor name`], fileSpan(builder, anchorStart, anchorEnd))
  return name
}
