/**
 * JSON that is kept as it was sent: what `JSON.parse` would change or drop in silence is refused. The place of a mistake is a
 * JSON Pointer.
 */
import { isUtf8 } from 'node:buffer'
import { endOfString, parseJson } from './parse-json.ts'

/** The bytes are no JSON that can be kept. The message is for the client. */
export class JsonError extends Error {
  /** Where; empty for the whole text. */
  readonly pointer: string
  /** What to do. */
  readonly remedy: string
  constructor(message: string, pointer = '', remedy = 'Send JSON (RFC 8259) in UTF-8.') {
    super(message)
    this.name = 'JsonError'
    this.pointer = pointer
    this.remedy = remedy
  }
}

/** Arrays and objects within each other; functions that read a body call themselves for each. */
const DEEPEST = 64

/**
 * Reads JSON in UTF-8. Throws {@link JsonError} where it is not valid, nested too deeply, has a member twice, or a number
 * that would become another one. `what` is the subject of the messages.
 */
export function readStrictJson(bytes: Buffer, what = 'the body'): unknown {
  if (!isUtf8(bytes)) throw new JsonError(`${what} is not UTF-8`)
  const text = bytes.toString('utf8')
  // Before `JSON.parse`, whose result functions that call themselves could not even look at.
  checkDepth(text, what)
  const value = parsed(text, what)
  if (!isPrintedAs(value, text)) checkMembers(text)
  return value
}

/** True where the text says that nothing was changed: it is what the value is printed as. Long numbers are looked at. */
const isPrintedAs = (value: unknown, text: string): boolean => !/\d{16}/.test(text) && JSON.stringify(value) === text

function parsed(text: string, what: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof SyntaxError) throw new JsonError(`${what} is not JSON`)
    throw error
  }
}

/** Throws where brackets are too deep. The text may be anything. */
function checkDepth(text: string, what: string): void {
  let depth = 0
  for (let index = 0; index < text.length; ) {
    const code = text.charCodeAt(index)
    if (code === QUOTE) index = endOfString(text, index)
    else index += 1
    if (OPENING.has(code)) depth += 1
    else if (CLOSING.has(code)) depth -= 1
    if (depth > DEEPEST)
      throw new JsonError(
        `${what} is nested more than ${DEEPEST} levels deep`,
        '',
        'Send less nested objects and lists.',
      )
  }
}

const QUOTE = '"'.charCodeAt(0)
const OPENING = new Set([...'{['].map((bracket) => bracket.charCodeAt(0)))
const CLOSING = new Set([...'}]'].map((bracket) => bracket.charCodeAt(0)))

/** An object or array of which a part was read. */
type Open = { readonly names: Set<string> | undefined; token: string | number; isName: boolean }

/** Strings, brackets, what separates values, and other values. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/** What a token that is no value does. */
const STEPS: Readonly<Record<string, (open: Open[]) => void>> = {
  '{': (open) => open.push({ names: new Set(), token: '', isName: true }),
  '[': (open) => open.push({ names: undefined, token: 0, isName: false }),
  '}': (open) => open.pop(),
  ']': (open) => open.pop(),
  ':'(open) {
    const inner = open.at(-1)
    if (inner) inner.isName = false
  },
  ','(open) {
    const inner = open.at(-1)
    if (typeof inner?.token === 'number') inner.token += 1
    else if (inner) inner.isName = true
  },
}

/** Looks at a text that is valid JSON. */
function checkMembers(text: string): void {
  const open: Open[] = []
  for (const [token] of text.matchAll(TOKENS)) {
    const step = STEPS[token]
    if (step) step(open)
    else checkValue(token, open)
  }
}

/** A name or a scalar value. */
function checkValue(token: string, open: readonly Open[]): void {
  const inner = open.at(-1)
  const pointer = () => open.map((one) => `/${escaped(one.token)}`).join('')
  if (inner?.isName && inner.names) {
    inner.token = String(JSON.parse(token))
    if (inner.names.has(inner.token))
      throw new JsonError('the member is there twice', pointer(), 'Remove one of the two.')
    inner.names.add(inner.token)
  } else if (isChangedNumber(token))
    throw new JsonError(`the number ${shown(token)} cannot be kept exactly`, pointer(), 'Write it as a string.')
}

const escaped = (token: string | number): string => String(token).replaceAll('~', '~0').replaceAll('/', '~1')

const shown = (token: string): string => (token.length > 40 ? `${token.slice(0, 40)}…` : token)

/** True for a number that a double does not hold: too large, or an integer with more digits than it has. */
function isChangedNumber(token: string): boolean {
  if (!/^[-\d]/.test(token)) return false
  const value = Number(token)
  if (!Number.isFinite(value)) return true
  return /^-?\d+$/.test(token) && !Number.isSafeInteger(value)
}
