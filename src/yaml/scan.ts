/** Small steps over the characters and lines of a text. All offsets are UTF-16 units of that text. */

/** A part of a text, its end exclusive. */
export type Span = { readonly start: number; readonly end: number }

const TAB = 9
const LINE_FEED = 10
const RETURN = 13
const SPACE = 32
const HASH = 35
const BYTE_ORDER_MARK = 0xfeff

/** Whether a UTF-16 unit is `\n` or `\r`. */
export const isBreak = (char: number): boolean => char === LINE_FEED || char === RETURN

/** Whether a UTF-16 unit is a space, a tab or a line break. */
export const isSpace = (char: number): boolean => char === SPACE || char === TAB || isBreak(char)

/** Whether a space, a tab, a line break or the end of the text is at an offset. */
export const isSpaceAt = (text: string, at: number): boolean => at >= text.length || isSpace(text.charCodeAt(at))

/** Whether a text has no line break. */
export const isOneLine = (text: string): boolean => !/[\n\r]/.test(text)

/** The first offset at or after `from` that is not a space, tab or line break. */
export function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && isSpace(text.charCodeAt(at))) at++
  return at
}

/** The first offset at or after `from` that is neither space nor part of a comment nor one of the characters `marks`. */
export function skipComments(text: string, from: number, marks = ''): number {
  let at = from
  while (at < text.length) {
    const char = text.charCodeAt(at)
    if (char === HASH) at = lineEnd(text, at)
    else if (isSpace(char) || marks.includes(text.charAt(at))) at++
    else break
  }
  return at
}

/** The offset after the colon that follows a key; `from` itself where none follows. */
export function skipColon(text: string, from: number): number {
  const at = skipComments(text, from)
  return text[at] === ':' ? at + 1 : from
}

/** The end of [start, end) without the space at its end. */
export function trimmedEnd(text: string, start: number, end: number): number {
  let at = end
  while (at > start && isSpace(text.charCodeAt(at - 1))) at--
  return at
}

/** The end of the word that begins at an offset: the next space, tab or line break. */
export function wordEnd(text: string, from: number): number {
  let at = from
  while (at < text.length && !isSpace(text.charCodeAt(at))) at++
  return at
}

/** The start of the line that contains an offset. A byte order mark is not part of the first line. */
export function lineStart(text: string, offset: number): number {
  let at = offset
  while (at > 0 && !isBreak(text.charCodeAt(at - 1))) at--
  return text.charCodeAt(at) === BYTE_ORDER_MARK ? at + 1 : at
}

/** The end of the line that contains an offset, before its line break; `end` where the line goes on beyond it. */
export function lineEnd(text: string, offset: number, end = text.length): number {
  let at = offset
  while (at < end && !isBreak(text.charCodeAt(at))) at++
  return at
}

const BREAK = /\r\n|\n|\r/

/** The line break of the line that contains an offset; on a last line without one, that of the text's first line. */
export function lineBreak(text: string, offset: number): string {
  const end = lineEnd(text, offset)
  const own = BREAK.exec(text.slice(end, end + 2))?.[0]
  return own ?? BREAK.exec(text)?.[0] ?? '\n'
}

/** Spaces and tabs as wide as what precedes an offset on its line: what follows them has the same indentation. */
export const indentation = (text: string, offset: number): string =>
  text.slice(lineStart(text, offset), offset).replace(/[^ \t]/g, ' ')

/** Whether only spaces, tabs and dashes precede an offset on its line. */
export const isFirstOnLine = (text: string, offset: number): boolean =>
  /^[ \t-]*$/.test(text.slice(lineStart(text, offset), offset))

/** Whether only space and a comment follow an offset on its line. */
export const isLastOnLine = (text: string, offset: number): boolean =>
  /^(?:[ \t]+#.*|[ \t]*)$/.test(text.slice(offset, lineEnd(text, offset)))
