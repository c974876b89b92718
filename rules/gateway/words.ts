/** Words for values of any kind. */
import type { Json } from '../../src/json/member.ts'

const LONGEST = 60

/** A text short enough for a message, on one line: a line break reads `\n`. */
export function shorten(text: string): string {
  const start = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
  return start.replace(/\p{Cc}/gu, (control) => JSON.stringify(control).slice(1, -1))
}

/** What a value is: `the text "5"`, `the number 2.5`, `a list`. */
export function describe(value: Json | undefined): string {
  if (typeof value === 'string') return value === '' ? 'an empty text' : `the text "${shorten(value)}"`
  if (typeof value === 'number') return `the number ${value}`
  if (typeof value === 'boolean') return String(value)
  if (value === null || value === undefined) return 'null'
  return Array.isArray(value) ? 'a list' : 'an object'
}

/** Words as a sentence lists them: `a, b and c`. */
export function listed(words: readonly string[]): string {
  const last = words.at(-1) ?? ''
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`
}
