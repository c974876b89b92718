/**
 * JSON.parse for input from outside. V8 12.8 and later (Node 23 to 26) can take a member name with an escape for another
 * name that an earlier text had in the same place: after `{"z":1,"\\":2}` it reads `{"z":1,"\u0041":2}` with the name `\`.
 * It compares names as they are written, so a name that it takes for another one always has a backslash.
 * Source: nodejs/node#63785, and `FastKeyMatch` in V8's `json-parser.cc`.
 */
import { randomUUID } from 'node:crypto'

/** Reads JSON. Throws a SyntaxError where it is not valid. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  return text.includes('\\') && hasBackslashInName(value) ? parseExactly(text) : value
}

function hasBackslashInName(root: unknown): boolean {
  const values = [root]
  // No recursion: a body may be nested deeper than the stack is.
  for (let value = values.pop(); value !== undefined; value = values.pop()) {
    if (typeof value !== 'object' || value === null) continue
    if (!Array.isArray(value) && Object.keys(value).some((name) => name.includes('\\'))) return true
    for (const member of Object.values(value)) if (typeof member === 'object') values.push(member)
  }
  return false
}

/** Reads valid JSON, with names that have no escape in the place of those that have one. */
function parseExactly(text: string): unknown {
  const { plain, names } = withoutEscapedNames(text)
  return JSON.parse(plain, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).map(([name, member]) => [names.get(name) ?? name, member]))
      : value,
  )
}

/** No text has a name that begins like this. */
const PREFIX = randomUUID()

/** Replaces each name that has an escape; `names` has the names that were replaced, by what they were replaced with. */
function withoutEscapedNames(text: string) {
  const names = new Map<string, string>()
  let plain = ''
  let rest = 0
  for (let start = text.indexOf('"'); start >= 0; ) {
    const end = endOfString(text, start)
    const string = text.slice(start, end)
    COLON.lastIndex = end
    if (string.includes('\\') && COLON.test(text)) {
      const name = `${PREFIX}${names.size}`
      names.set(name, JSON.parse(string))
      plain += `${text.slice(rest, start)}"${name}"`
      rest = end
    }
    start = text.indexOf('"', end)
  }
  return { plain: plain + text.slice(rest), names }
}

/** Stands behind a name. */
const COLON = /\s*:/y

/** The offset behind a string. An expression for it would run out of stack in one of millions of escapes. */
export function endOfString(text: string, start: number): number {
  const quote = text.indexOf('"', start + 1)
  // Most strings have no escape.
  if (quote > start && text[quote - 1] !== '\\') return quote + 1
  let index = start + 1
  while (index < text.length && text[index] !== '"') index += text[index] === '\\' ? 2 : 1
  return index + 1
}
