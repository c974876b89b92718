/** Lines and the blanks around tokens, for whoever edits a text. Offsets are UTF-16 and of the file. */
import { isBlank, isBreak } from '../parse/tokens.ts'

const BYTE_ORDER_MARK = 0xfeff

/** Where the line begins that holds an offset. */
export function lineStart(text: string, offset: number): number {
  let at = offset
  while (at > 0 && !isBreak(text.charCodeAt(at - 1))) at--
  return text.charCodeAt(at) === BYTE_ORDER_MARK ? at + 1 : at
}

/** Where the line ends that holds an offset, in front of its break. */
export function lineEnd(text: string, offset: number): number {
  let at = offset
  while (at < text.length && !isBreak(text.charCodeAt(at))) at++
  return at
}

const BREAK = /\r\n|\n|\r/

/** The break of the line that holds an offset; where it has none, that of the text's first line. */
export function breakOf(text: string, offset: number): string {
  const own = BREAK.exec(text.slice(lineEnd(text, offset), lineEnd(text, offset) + 2))?.[0]
  return own ?? BREAK.exec(text)?.[0] ?? '\n'
}

/** Blanks as wide as what stands before an offset on its line: whatever begins behind them is as far in. */
export const indentAt = (text: string, offset: number): string =>
  text.slice(lineStart(text, offset), offset).replace(/[^ \t]/g, ' ')

/** True where nothing but blanks and dashes stand before an offset on its line. */
export const beginsLine = (text: string, offset: number): boolean =>
  /^[ \t-]*$/.test(text.slice(lineStart(text, offset), offset))

/** True where nothing but blanks and a comment follow an offset on its line. */
export const endsLine = (text: string, offset: number): boolean =>
  /^(?:[ \t]+#.*|[ \t]*)$/.test(text.slice(offset, lineEnd(text, offset)))

/** The offset of the first character from an offset on that is no blank. */
export function skipBlanks(text: string, from: number): number {
  let at = from
  while (at < text.length && isBlank(text.charCodeAt(at))) at++
  return at
}
