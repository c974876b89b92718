/** JSON Pointers to offsets, lines and columns of a text. Used only for documents that have findings. */

import { pointerTokens, tokenIndex } from '../json/pointer.ts'
import { parseTree, type TextDocument } from './documents.ts'
import { dereference, findMember, firstToken, type TextNode } from './parse/node.ts'
import { firstLine } from './parse/problem.ts'
import type { Span } from './scan.ts'

/** UTF-16 offsets into the file's text, end exclusive. */
export type TextRange = Span

/** Which token of a member to locate: its value (the default) or its key. */
type LocateOptions = { readonly at?: 'value' | 'key' }

/** Locates a pointer of one document. */
type Locator = (pointer: string, options?: LocateOptions) => TextRange

/**
 * Parses one document to locate its values. The locator returns the token of the value at a pointer, or with
 * `at: 'key'` the key before it:
 *
 * - a scalar with its quotes, or from its `|`; a collection from its first key, dash or bracket to its last token
 * - the alias for a pointer that ends at one, the anchor's content for a pointer that goes on
 * - a merged member where it is written
 * - the key of a member without a written value; for the key of a list item its first token, or its dash
 * - for an absent member the key (in a list, the item) of its nearest present parent;
 *   the first key of the document where that is the root
 * - the first line of the document where its text cannot be parsed
 */
export function createLocator(text: string, document: TextDocument): Locator {
  const { start, end } = document
  const root = parseTree(text, document)
  return (pointer, { at = 'value' } = {}) => {
    if (root === undefined) return firstLine({ text, start, end })
    const path = follow(root, pointerTokens(pointer))
    return at === 'key' || !path.isComplete ? keyRange(root, path.last) : valueRange(root, path.last)
  }
}

/** A node, and its key where it is the value of a member. */
type Step = { readonly node: TextNode; readonly key?: TextNode }

/** Follows a pointer as far as its members are present. */
function follow(root: TextNode, tokens: readonly string[]): { last: Step; isComplete: boolean } {
  let last: Step = { node: root }
  for (const token of tokens) {
    const next = stepTo(last.node, token)
    if (next === undefined) return { last, isComplete: false }
    last = next
  }
  return { last, isComplete: true }
}

function stepTo(from: TextNode, token: string): Step | undefined {
  const node = dereference(from)
  if (node?.kind === 'mapping') {
    const member = findMember(node, token)
    return member && { node: member.value, key: member.key }
  }
  const item = node?.kind === 'sequence' ? node.items[tokenIndex(token) ?? -1] : undefined
  return item && { node: item }
}

/** The token of a value; of its key or dash where the value is not written. */
function valueRange(root: TextNode, step: Step): TextRange {
  return isEmpty(step.node) ? keyRange(root, step) : rangeOf(step.node)
}

/** The key of a member, the first token of an item, the first key of the document. */
function keyRange(root: TextNode, { node, key }: Step): TextRange {
  if (key && !isEmpty(key)) return rangeOf(key)
  if (!isEmpty(node)) return rangeOf(firstToken(node))
  // The dash of an empty item, or the colon after an empty key.
  return node === root ? rangeOf(node) : { start: node.start - 1, end: node.start }
}

const isEmpty = ({ start, end }: Span): boolean => start === end
const rangeOf = ({ start, end }: Span): TextRange => ({ start, end })

/** Line and column count from 1; columns count characters (code points). */
export type LineColumn = { readonly line: number; readonly column: number }

/** Converts offsets of one text to lines and columns; builds its table of lines once. A byte order mark has no column. */
export function createLineIndex(text: string): (offset: number) => LineColumn {
  const starts = lineStarts(text)
  /** Where the second half of each surrogate pair is. */
  const pairs = Array.from(text.matchAll(SURROGATE_PAIR), ({ index }) => index + 1)
  return (offset) => {
    const line = Math.max(1, countBelow(starts, offset + 1))
    const start = starts[line - 1] ?? 0
    const units = Math.max(0, Math.min(offset, text.length) - start)
    return { line, column: units - (countBelow(pairs, offset) - countBelow(pairs, start)) + 1 }
  }
}

const SURROGATE_PAIR = /[\uD800-\uDBFF][\uDC00-\uDFFF]/g

/** The offset of each line's first character. A byte order mark is not part of the first line. */
export function lineStarts(text: string): readonly number[] {
  const starts = [text.startsWith('\ufeff') ? 1 : 0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

/** How many of ascending numbers are below a limit. */
export function countBelow(ascending: readonly number[], limit: number): number {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ascending[middle] ?? 0) < limit) low = middle + 1
    else high = middle
  }
  return low
}
