/** Mistakes that a parser reports as something else: what is behind its problems, where that is certain. */
import { unusualSpaceIn, unusualSpaces, withOrdinarySpaces } from '../../text/space.ts'
import { lineEnd } from '../scan.ts'
import { syntax, type TextProblem } from './problem.ts'

/** A document that could not be read as it should be. */
type Read = {
  readonly text: string
  readonly start: number
  readonly end: number
  readonly problems: readonly TextProblem[]
}

/** Reads the document in another text of the same length. */
type Reread = (text: string) => readonly TextProblem[]

/** The one problem that explains those of a document; undefined where none of these mistakes does. */
export const causeOf = (read: Read, reread: Reread): TextProblem | undefined =>
  leftIn(read) ?? missingSeparator(read) ?? strayTab(read) ?? unusualSpace(read, reread)

const LEFT_IN = [
  {
    pattern: /^(?:<{7}|\|{7}|={7}|>{7})(?=[ \t\r\n]|$)/m,
    mistake: syntax('conflict', 'a conflict marker of Git is left in this file'),
  },
  { pattern: /^```/m, mistake: syntax('extra', 'a line of Markdown around code is left in this file') },
] as const

/** What Git leaves in a file that it cannot merge, and people in what they copy. */
function leftIn({ text, start, end }: Read): TextProblem | undefined {
  const written = text.slice(start, end)
  for (const { pattern, mistake } of LEFT_IN) {
    const at = written.search(pattern)
    if (at !== -1) return { ...mistake, start: start + at, end: lineEnd(text, start + at, end) }
  }
  return undefined
}

const FIRST_OF_OBJECT = /^["']?(?:apiVersion|kind)["']?$/

/** Two objects in one document: the members of the second are duplicates of those of the first. */
function missingSeparator({ text, start, problems }: Read): TextProblem | undefined {
  const atRoot = problems.filter((one) => one.code === 'duplicate-key' && isAtLineStart(text, one.start, start))
  const [first] = [...atRoot].sort((a, b) => a.start - b.start)
  if (!first || atRoot.length < 2 || !atRoot.some((one) => FIRST_OF_OBJECT.test(text.slice(one.start, one.end))))
    return undefined
  const reason = 'a second object begins here, without a line "---" before it'
  return { ...syntax('separator', reason), start: first.start, end: first.end }
}

const isAtLineStart = (text: string, offset: number, start: number): boolean =>
  offset === start || text[offset - 1] === '\n'

/** A tab before a field that can only be one of the document, as the field on the line before has its value. */
function strayTab({ text, start, problems }: Read): TextProblem | undefined {
  const [first] = problems
  if (first?.code !== 'syntax' || first.cause !== 'tab' || !isAtLineStart(text, first.start, start)) return undefined
  if (!/\w/.test(text.charAt(first.end))) return undefined
  const above = text.slice(text.lastIndexOf('\n', first.start - 2) + 1, first.start)
  if (!/^[\w"'][^\n#]*[^\s:|>#-][ \t]*\r?\n$/.test(above)) return undefined
  return { ...first, ...syntax('extra', 'a tab before a field of the document') }
}

/** So many unusual spaces are tried, in documents of so many UTF-16 units. */
const MOST_SPACES = 50
const LONGEST = 256 * 1024

/** The first space that is none to YAML, where the document can be read once all of them are replaced. */
function unusualSpace({ text, start, end }: Read, reread: Reread): TextProblem | undefined {
  const written = text.slice(start, end)
  const found = unusualSpaces(written)
    .slice(0, MOST_SPACES)
    .map((index) => start + index)
  if (found.length === 0 || written.length > LONGEST) return undefined
  const replaced = text.slice(0, start) + withOrdinarySpaces(written) + text.slice(end)
  if (reread(replaced).length > 0) return undefined
  const keeps = (at: number) => replaced.slice(0, at) + text.slice(at, at + 1) + replaced.slice(at + 1)
  const at = found.find((offset) => reread(keeps(offset)).length > 0)
  if (at === undefined) return undefined
  const reason = `${unusualSpaceIn(text.slice(at, at + 1))} that YAML does not treat as a space`
  return { ...syntax('space', reason), start: at, end: at + 1 }
}
