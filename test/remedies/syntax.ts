/** Remedies of `document/syntax` carried out in any text, as their words say: each cause has its ways. */
import type { SyntaxCause, TextProblem } from '../../src/yaml/parse/problem.ts'
import { lineEnd } from '../../src/yaml/scan.ts'

/** A text with a problem of its syntax. */
type Broken = { readonly text: string; readonly at: TextProblem }

/** Ways to follow a remedy, and the texts of each: where it leaves a choice, such as a column, one of them must help. */
type Ways = (broken: Broken) => readonly (readonly string[])[]

const splice = (text: string, start: number, end: number, by: string): string =>
  text.slice(0, start) + by + text.slice(end)

const lineStart = (text: string, offset: number): number => text.lastIndexOf('\n', offset - 1) + 1
const COLUMNS = Array.from({ length: 14 }, (_, column) => ' '.repeat(column))

/** The line of the problem, in each column, with something before it. */
const indented = ({ text, at }: Broken, before = ''): string[] => {
  const line = lineStart(text, at.start)
  const first = /^[ \t]*/.exec(text.slice(line))?.[0].length ?? 0
  return COLUMNS.map((spaces) => splice(text, line, line + first, spaces + before))
}

const removed = ({ text, at }: Broken): string[] => [
  splice(text, at.start, at.start + 1, ' '),
  splice(text, at.start, at.start + 1, ''),
  splice(text, at.start, at.end, ''),
  splice(text, at.start, lineEnd(text, at.start), ''),
]

const inserted = ({ text, at }: Broken, ...all: readonly string[]): string[] =>
  all.map((by) => splice(text, at.start, at.start, by))

/** What the mark is within, in quotes: from each word before it on its line to each end of a value after it. */
function quoted({ text, at }: Broken, quote = "'"): string[] {
  const [line, end] = [lineStart(text, at.start), lineEnd(text, at.start)]
  const before = text.slice(line, at.start)
  const starts = [
    ...[...before.matchAll(/(?:^\s*|: |- |[{[,]\s*)(?=\S)/g)].map((found) => line + found.index + found[0].length),
    at.start,
  ]
  const rest = text.slice(at.start, end)
  const ends = [...[...rest.matchAll(/\s*(?:[,\]}]|: |:$| #|$)/g)].map(({ index }) => at.start + index), at.end]
  const block = /^\s*- ?/.exec(text.slice(at.start, end)) ? [] : starts
  return block.flatMap((from) =>
    ends
      .filter((to) => to > from)
      .map((to) => splice(text, from, to, quote + text.slice(from, to).replaceAll("'", "''") + quote)),
  )
}

/** The word at the mark in double quotes, in the place of those that it has. */
function inDoubleQuotes({ text, at }: Broken): string[] {
  const word = /^'?([\w$./-]+)['"]?/.exec(text.slice(at.start))
  return [splice(text, at.start, at.start + (word?.[0].length ?? 0), `"${word?.[1]}"`)]
}

/** Every place after an offset where a token could be added. */
const after = ({ text }: Broken, from: number, by: string): string[] =>
  [...text.slice(from).matchAll(/(?=[\s,\]}]|$)/g)].map(({ index }) => splice(text, from + index, from + index, by))

const LINES = /.*\n?/g
const withoutLines = (text: string, pattern: RegExp): string =>
  (text.match(LINES) ?? []).filter((line) => !pattern.test(line)).join('')

/** The text with only `---` on the line of the mark, or on a line before it. */
function separated({ text, at }: Broken): string[] {
  const [line, end] = [lineStart(text, at.start), lineEnd(text, at.start)]
  const rest = text
    .slice(line, end)
    .replace(/^ *---/, '')
    .trim()
  return [...['---', `---\n${rest}`].map((by) => splice(text, line, end, by)), splice(text, line, line, '---\n')]
}

/** The text without the document at the mark, and without the separator before it. */
function withoutDocument({ text, at }: Broken): string {
  const from = text.lastIndexOf('---', at.start)
  const to = text.indexOf('\n---', at.start)
  return splice(text, Math.max(from, 0), to === -1 ? text.length : to + 1, '')
}

/** The ways to carry out the remedy of each cause. Those of other causes depend on the text: `remedies.yaml` has them. */
export const WAYS: Partial<Record<SyntaxCause, Ways>> = {
  tab: (broken) => [[...indented(broken), splice(broken.text, broken.at.start, broken.at.end, '  ')]],
  line: (broken) => [COLUMNS.map((spaces) => splice(broken.text, broken.at.start, broken.at.start, `\n${spaces}`))],
  indentation: (broken) => [indented(broken)],
  item: (broken) => [[splice(broken.text, broken.at.start, broken.at.start + 2, '')]],
  field: (broken) => [indented(broken)],
  'first-line': ({ text, at }) => {
    const spaces = text.slice(lineStart(text, at.start), at.start)
    const before = text.slice(0, at.start)
    const first = [...before.matchAll(/^ +(?=[^ #\n])/gm)].at(-1)
    return [first ? [splice(text, first.index, first.index + first[0].length, spaces)] : []]
  },
  'no-kind': ({ text, at }) => [
    [
      splice(text, at.start, at.start, 'kind: Thing\n'),
      text.slice(0, at.start) + text.slice(at.start).replace(/^kind:.*$/m, 'kind: Thing'),
    ],
    [withoutDocument({ text, at })],
  ],
  'no-object': (broken) => [[withoutDocument(broken)]],
  separator: (broken) => [separated(broken)],
  dashes: (broken) => [[...separated(broken), ...indented(broken)]],
  anchor: ({ text, at }) => [[splice(text, at.start, at.end, 'value')]],
  merge: ({ text, at }) => [
    [splice(text, at.start, at.end, '{ a: b }')],
    [text.slice(0, at.start).replace(/<<(?=: *$)/, '"<<"') + text.slice(at.start)],
  ],
  number: ({ text, at }) => [[splice(text, at.start, at.end, '1')], quoted({ text, at })],
  conflict: ({ text }) => [[withoutLines(text, /^(?:<{7}|={7}|>{7})/)]],
  'no-key': (broken) => [inserted(broken, 'word', 'word: '), removed(broken)],
  colon: (broken) => [
    after(broken, broken.at.start, ': ').concat(
      [...broken.text.slice(broken.at.start).matchAll(/(?<=[\w"'])[:=]?[ \t]*/g)].map(({ index, 0: found }) =>
        splice(broken.text, broken.at.start + index, broken.at.start + index + found.length, ': '),
      ),
    ),
  ],
  quotes: (broken) => [quoted(broken)],
  quote: (broken) => [after(broken, broken.at.start + 1, broken.text.charAt(broken.at.start)), removed(broken)],
  'after-quote': ({ text, at }) => [
    after({ text: splice(text, at.start - 1, at.start, ''), at }, at.start - 1, text.charAt(at.start - 1)),
  ],
  extra: (broken) => [removed(broken)],
  bracket: (broken) => [after(broken, broken.at.start + 1, broken.text.charAt(broken.at.start) === '{' ? '}' : ']')],
  'missing-bracket': (broken) => [inserted(broken, '}', ']')],
  'other-bracket': ({ text, at }) => [['}', ']'].map((by) => splice(text, at.start, at.start + 1, by))],
  comma: (broken) => [inserted(broken, ',', ', ')],
  'block-text': ({ text, at }) => [
    COLUMNS.map((spaces) => splice(text, at.start + 1, at.start + 1, `\n${spaces}`)),
    quoted({ text, at }),
  ],
  'anchor-name': (broken) => [quoted({ ...broken, at: { ...broken.at, start: broken.at.start - 1 } })],
  tag: (broken) => [quoted(broken)],
  escape: ({ text, at }) => [[splice(text, at.start, at.start, '\\')]],
  control: (broken) => [removed(broken)],
  directive: ({ text }) => [[withoutLines(text, /^%/)]],
  space: ({ text, at }) => [
    [text.slice(0, at.start) + text.slice(at.start).replace(/^\u00a0+/, (run) => ' '.repeat(run.length))],
  ],
  'json-comma': (broken) => [inserted(broken, ',')],
  'json-extra-comma': ({ text, at }) => {
    const comma = text.lastIndexOf(',', at.start)
    return [[splice(text, comma, comma + 1, '')]]
  },
  'json-key': (broken) => [inDoubleQuotes(broken)],
  'json-value': (broken) => [inDoubleQuotes(broken)],
  'json-quote': (broken) => [after(broken, broken.at.start + 1, '"')],
  'json-escape': ({ text, at }) => [[splice(text, at.start, at.start, '\\')]],
}
