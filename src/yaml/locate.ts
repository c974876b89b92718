/** Where in a text a pointer's value stands. Called only for documents that have findings. */

import { pointerTokens } from '../json/pointer.ts'
import { dereference, findMember, firstToken, type Span, type TextNode } from './parse/node.ts'
import { firstLine } from './parse/problem.ts'
import { treeOf } from './parse/tree-of.ts'
import type { TextDocument } from './read.ts'

/** UTF-16 offsets into the file's text, end exclusive. */
export type TextRange = { readonly start: number; readonly end: number }

/** Which token of a member is meant: its value (the default) or its key. */
export type LocateOptions = { readonly at?: 'value' | 'key' }

/** Finds pointers of one document; parses its text once. */
export type Locator = (pointer: string, options?: LocateOptions) => TextRange

/**
 * Prepares the positions of one document. The locator gives the token of the value at a pointer, or with `at: 'key'`
 * the key in front of it:
 *
 * - a scalar with its quotes, or from its `|`; a collection from its first key, dash or bracket to its last token
 * - an alias itself for a pointer that ends at it, the anchor's content for one that goes on
 * - a merged member where it is written
 * - the key where nothing is written behind it, and for an item of a list the first token of the item, or its dash
 * - where the member is absent, the key (or, in a list, the item) of its nearest parent that is there;
 *   the first key of the document where that is the root
 *
 * The first line of the document where its text cannot be parsed.
 */
export function createLocator(text: string, document: TextDocument): Locator {
  const { start, end } = document
  const root = treeOf(text, document)
  return (pointer, { at = 'value' } = {}) => {
    if (root === undefined) return firstLine({ text, start, end })
    const path = follow(root, pointerTokens(pointer))
    return at === 'key' || !path.isWhole ? keyRange(root, path.last) : valueRange(root, path.last)
  }
}

/** A node and how it is held: the key before it, or the list around it. */
type Step = { readonly node: TextNode; readonly key?: TextNode }

/** Goes down as far as the pointer's members are there. */
function follow(root: TextNode, tokens: readonly string[]): { last: Step; isWhole: boolean } {
  let last: Step = { node: root }
  for (const token of tokens) {
    const next = stepTo(last.node, token)
    if (next === undefined) return { last, isWhole: false }
    last = next
  }
  return { last, isWhole: true }
}

function stepTo(from: TextNode, token: string): Step | undefined {
  const node = dereference(from)
  if (node?.kind === 'mapping') {
    const member = findMember(node, token)
    return member && { node: member.value, key: member.key }
  }
  const item = node?.kind === 'sequence' && /^(?:0|[1-9]\d*)$/.test(token) ? node.items[Number(token)] : undefined
  return item && { node: item }
}

/** The place of a value; of what holds it where it is written by nothing. */
function valueRange(root: TextNode, step: Step): TextRange {
  return isEmpty(step.node) ? keyRange(root, step) : rangeOf(step.node)
}

/** The key of a member, the first token of an item, the first key of the document. */
function keyRange(root: TextNode, { node, key }: Step): TextRange {
  if (key && !isEmpty(key)) return rangeOf(key)
  if (!isEmpty(node)) return rangeOf(firstToken(node))
  // Behind the dash of an empty item, or the colon of an empty key.
  return node === root ? rangeOf(node) : { start: node.start - 1, end: node.start }
}

const isEmpty = ({ start, end }: Span): boolean => start === end
const rangeOf = ({ start, end }: Span): TextRange => ({ start, end })

/** A place for people: lines and columns count from 1, columns in characters (code points). */
export type LineColumn = { readonly line: number; readonly column: number }

/** Turns offsets of one text into lines and columns; builds its table of lines once. A byte order mark has no column. */
export function createLineIndex(text: string): (offset: number) => LineColumn {
  const starts = [text.startsWith('\uFEFF') ? 1 : 0]
  for (let i = text.indexOf('\n'); i !== -1; i = text.indexOf('\n', i + 1)) starts.push(i + 1)
  const hasPairs = SURROGATE_PAIR.test(text)
  return (offset) => {
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    const before = text.slice(starts[low], offset)
    return { line: low + 1, column: (hasPairs ? [...before].length : before.length) + 1 }
  }
}

const SURROGATE_PAIR = /[\uD800-\uDBFF][\uDC00-\uDFFF]/
