/** Writes collections over several lines, where those around them are written so. */
import { dump } from 'js-yaml'
import { memoise } from '../../text/memo.ts'
import type { MappingNode } from '../parse/node.ts'
import { indentation } from '../scan.ts'

/** Whether a value is a collection that has something to write on lines of its own. */
export const hasLines = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0

/** The lines of a value in block style. Lists are not indented, as kubectl writes them, or `indentsLists`. */
export const blockLines = (value: object, indentsLists: boolean): readonly string[] =>
  (indentsLists ? indentedLines : plainLines)(JSON.stringify(value))

/** Many documents get the same few values. */
const linesOf = (seqNoIndent: boolean) =>
  memoise((json) => dump(JSON.parse(json), { lineWidth: -1, noRefs: true, seqNoIndent }).trimEnd().split('\n'))
const plainLines = linesOf(true)
const indentedLines = linesOf(false)

/** The lines of a value in JSON, indented as the text around is. */
export const jsonLines = (value: object, text: string): readonly string[] =>
  JSON.stringify(value, null, jsonIndentation(text)).split('\n')

/** By how much a text in JSON indents the members of its objects; empty for one on a single line. */
export const jsonIndentation = (text: string): string => /\{[ \t]*\r?\n([ \t]+)"/.exec(text)?.[1] ?? ''

/** Whether the lists among the members of a mapping without brackets are indented; as kubectl writes them they are not. */
export const hasIndentedLists = (text: string, { members }: MappingNode): boolean =>
  members.some(
    ({ key, value }) =>
      value.kind === 'sequence' &&
      !value.isFlow &&
      indentation(text, value.start).length > indentation(text, key.start).length,
  )

/** Lines with an indentation before all but the first, and before none that is empty. */
export const joinLines = (lines: readonly string[], { gap, lineBreak }: { gap: string; lineBreak: string }): string =>
  lines.map((line, index) => (index === 0 || line === '' ? line : gap + line)).join(lineBreak)
