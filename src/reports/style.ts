/** Colours and line breaks of text for a terminal. */
import type { Severity } from '../settings/settings.ts'

/** What a piece of text is, which decides its colour. */
export type Role = Severity | 'strong' | 'faint' | 'file' | 'help' | 'good' | 'bad'

const CODES: Readonly<Record<Role, readonly [open: string, close: string]>> = {
  error: ['1;31', '22;39'],
  warning: ['1;33', '22;39'],
  info: ['1;34', '22;39'],
  strong: ['1', '22'],
  faint: ['2', '22'],
  file: ['1;4', '22;24'],
  help: ['36', '39'],
  good: ['32', '39'],
  bad: ['31', '39'],
}

/** Every escape that a text in colours can have. */
export const ESCAPES: readonly string[] = [...new Set(Object.values(CODES).flat())].map((code) => `\x1b[${code}m`)

/** Adds the ANSI escapes of a role's colour to a text, or returns it as it is. */
export type Paint = (role: Role, text: string) => string

/** Creates a painter, with or without colours. */
export const createPaint = (color: boolean): Paint =>
  color
    ? (role, text) => {
        const [open, close] = CODES[role]
        return text === '' ? '' : `\x1b[${open}m${text}\x1b[${close}m`
      }
    : (_, text) => text

/** Breaks a sentence into lines of at most `width` columns; a longer word gets a line of its own. */
export function wrap(text: string, width: number, widthOf: (text: string) => number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}
