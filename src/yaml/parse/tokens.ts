/** Small steps over the characters between the tokens of a YAML text. Offsets are UTF-16. */

const TAB = 9
const LINE_FEED = 10
const RETURN = 13
const SPACE = 32
const HASH = 35

export const isBreak = (char: number): boolean => char === LINE_FEED || char === RETURN
/** Spaces, tabs and line breaks. */
export const isBlank = (char: number): boolean => char === SPACE || char === TAB || isBreak(char)

/** Where the first character stands, from an offset on, that is neither blank nor comment nor one of `marks`. */
export function skipBlank(text: string, from: number, marks = ''): number {
  let at = from
  while (at < text.length) {
    const char = text.charCodeAt(at)
    if (char === HASH) {
      while (at < text.length && !isBreak(text.charCodeAt(at))) at++
    } else if (isBlank(char) || marks.includes(text.charAt(at))) at++
    else break
  }
  return at
}

/** Behind the colon that follows a key; where none follows, the offset itself. */
export function skipColon(text: string, from: number): number {
  const at = skipBlank(text, from)
  return text[at] === ':' ? at + 1 : from
}

/** The end of [start, end) without the blanks at its end. */
export function trimmedEnd(text: string, start: number, end: number): number {
  let at = end
  while (at > start && isBlank(text.charCodeAt(at - 1))) at--
  return at
}

/** Where the word ends that begins at an offset. */
export function wordEnd(text: string, from: number): number {
  let at = from
  while (at < text.length && !isBlank(text.charCodeAt(at))) at++
  return at
}
