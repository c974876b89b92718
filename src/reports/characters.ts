/** Characters as a terminal shows them: how wide they are, and which must not reach it. */

const PLAIN = /^[\x20-\x7e]*$/

/** True for a text that every terminal shows as it is, a column a character. */
export const isPlain = (text: string): boolean => PLAIN.test(text)

/** Controls, bidirectional marks and other invisible characters, line separators, halves of pairs. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u
const ALL_UNSAFE = new RegExp(UNSAFE, 'gu')

/** Writes characters that could move the cursor, hide text or turn it around as escapes. */
export const escapeUnsafe = (text: string): string => (PLAIN.test(text) ? text : text.replace(ALL_UNSAFE, escapeOne))

function escapeOne(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return code <= 0xff ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
}

const BYTE_ORDER_MARK = '\ufeff'

/** Columns between tab stops. */
const TAB = 4

/** One character as shown, in a line that has `column` columns so far. */
export function showCharacter(character: string, column: number): string {
  if (character === '\t') return ' '.repeat(TAB - (column % TAB))
  if (character === BYTE_ORDER_MARK) return ''
  return escapeUnsafe(character)
}

/** Columns that a text without unsafe characters takes. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length
  let width = 0
  for (const character of text) width += widthOfCharacter(character)
  return width
}

const COMBINING = /^\p{M}$/u

/** East Asian wide characters and emoji. */
const WIDE: readonly (readonly [from: number, to: number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f900, 0x1f9ff],
  [0x20000, 0x3fffd],
]

function widthOfCharacter(character: string): number {
  if (COMBINING.test(character)) return 0
  const code = character.codePointAt(0) ?? 0
  return WIDE.some(([from, to]) => code >= from && code <= to) ? 2 : 1
}
