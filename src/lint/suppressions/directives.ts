/** Comments that suppress findings: `# sluice-disable-next-line RULE, RULE until=DATE -- reason` and its like. */

import {
  meantDirective,
  readSuppression,
  type Scope,
  scopeOf,
  type WrittenSuppression,
} from '../../engine/suppression.ts'
import { readComments } from '../../yaml/comments.ts'
import { createLineIndex, type TextRange } from '../../yaml/locate.ts'

/** What every directive begins with: a text without it is not looked at. */
const MENTION = 'sluice-'

/** A comment that is meant as a directive. */
export type Directive = WrittenSuppression & {
  /** Its first word, as written. */
  readonly name: string
  /** Where that word stands in the text. */
  readonly place: TextRange
  /** Undefined where there is no such directive. */
  readonly scope: Scope | undefined
  /** The directive that a misspelt one means. */
  readonly meant: string | undefined
  /** The line whose findings are covered, from 1; undefined where all lines are, or none. */
  readonly line: number | undefined
  /** True where nothing but the comment stands on its line. */
  readonly isAlone: boolean
  /** The document of that line; undefined where all documents of the text are covered. */
  readonly document: TextRange | undefined
}

/** Reads the directives of a text, in their order. */
export function readDirectives(text: string): readonly Directive[] {
  // A single character is found many times faster than a word, and most texts have no comment at all.
  if (!text.includes('#') || !text.includes(MENTION)) return []
  const documents = readComments(text, MENTION)
  const lineOf = createLineIndex(text)
  const nextContent = contentFinder(text)
  return documents.flatMap(({ comments }, index) =>
    comments.flatMap((comment): Directive[] => {
      const read = readDirective(text, comment)
      if (!read) return []
      const own = lineStart(text, comment.start)
      const isAlone = text.slice(own, comment.start).trim() === ''
      const target = read.scope === 'line' ? own : read.scope === 'next-line' ? nextContent(comment.end) : undefined
      if (target === undefined) return [{ ...read, line: undefined, isAlone, document: undefined }]
      return [{ ...read, line: lineOf(target).line, isAlone, document: documentAt(documents, index, target) }]
    }),
  )
}

/** The document of an offset, from one on. */
function documentAt(documents: readonly TextRange[], first: number, offset: number): TextRange {
  let index = first
  while (index + 1 < documents.length && (documents[index]?.end ?? 0) <= offset) index++
  return documents[index] ?? { start: offset, end: offset }
}

const DIRECTIVE = /^(#+[ \t]*)(sluice-\S*)[ \t]*/

/** Words that other linters use; any other comment that begins with `sluice-` is ordinary text. */
const IS_MEANT = /^sluice-(?:disable|enable|ignore|suppress)/

type ReadDirective = WrittenSuppression & Pick<Directive, 'name' | 'place' | 'scope' | 'meant'>

function readDirective(text: string, { start, end }: TextRange): ReadDirective | undefined {
  const comment = text.slice(start, end)
  const [head, hash = '', name = ''] = DIRECTIVE.exec(comment) ?? []
  if (head === undefined) return undefined
  const scope = scopeOf(name)
  const meant = scope ? undefined : meantDirective(name)
  if (!scope && meant === undefined && !IS_MEANT.test(name)) return undefined
  const { rules, ...written } = readSuppression(comment.slice(head.length))
  const from = start + head.length
  return {
    name,
    place: { start: start + hash.length, end: start + hash.length + name.length },
    scope,
    meant,
    rules: rules.map((rule) => ({ id: rule.id, start: from + rule.start, end: from + rule.end })),
    ...written,
  }
}

const lineStart = (text: string, offset: number): number => text.lastIndexOf('\n', offset - 1) + 1

const EMPTY_LINE = /[^\S\n]*(?:#[^\n]*)?\n/y

/**
 * Finds the first line behind a comment that holds more than a comment, so that several directives may stand above it.
 * Asked in the order of the text, it reads no line twice.
 */
function contentFinder(text: string): (from: number) => number {
  let found = 0
  return (from) => {
    if (from < found) return found
    const feed = text.indexOf('\n', from)
    found = feed === -1 ? text.length : feed + 1
    for (EMPTY_LINE.lastIndex = found; EMPTY_LINE.test(text); ) found = EMPTY_LINE.lastIndex
    return found
  }
}
