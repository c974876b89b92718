/** Characters as a terminal shows them: how wide they are, and which must not reach it. */
import { eastAsianWidth } from 'get-east-asian-width'
import { ESCAPES } from './style.ts'

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

/** An escape of our colours, a line break or a tab; or a character that must not reach a terminal. */
const OURS_OR_UNSAFE = new RegExp(
  `(${ESCAPES.map((code) => code.replace('[', '\\[')).join('|')}|\\r?\\n|\\t)|${UNSAFE.source}`,
  'gu',
)

/** The same for a text of several lines, which may be in our colours. */
export const escapeControls = (text: string): string =>
  PLAIN.test(text) ? text : text.replace(OURS_OR_UNSAFE, (found, ours?: string) => ours ?? escapeOne(found))

const codeUnits = (text: string): string =>
  Array.from({ length: text.length }, (_, at) => text.charCodeAt(at).toString(16).padStart(4, '0'))
    .map((digits) => `\\u${digits}`)
    .join('')

/** The same for a text in JSON, which stays equal. */
export const escapeControlsInJson = (text: string): string =>
  PLAIN.test(text) ? text : text.replace(ALL_UNSAFE, (found) => (/[\n\r\t]/.test(found) ? found : codeUnits(found)))

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

/** Combining marks, and the vowels and finals of Hangul syllables that are written in parts: they share a column. */
const COMBINING = /^[\p{M}\u1160-\u11ff\ud7b0-\ud7ff]$/u

const widthOfCharacter = (character: string): number =>
  COMBINING.test(character) ? 0 : eastAsianWidth(character.codePointAt(0) ?? 0)
