/**
 * Variables in texts as Flux substitutes them after a build: `${VAR}`, `${VAR:=default}` and the other forms of bash that
 * it knows. Source: github.com/fluxcd/pkg/envsubst 1.4, of which each step here is one there, with its peculiarities.
 */
/** The value of a variable; undefined where it has none, which counts as empty. Is asked for every one in a text. */
export type GetVariable = (name: string) => string | undefined

/** A text with its variables substituted; or whether Flux refuses it, or what it makes of it is not known here. */
export type Substituted = { readonly text: string } | { readonly problem: 'refused' | 'unknown' }

/** Substitutes the variables of a text. */
export function substitute(text: string, get: GetVariable): Substituted {
  const scanner: Scanner = { text, at: 0 }
  let result = ''
  try {
    while (scanner.at < scanner.text.length) {
      result += literalIn(scanner)
      if (scanner.text.startsWith('${', scanner.at)) result += functionIn(scanner, get)
    }
    return { text: result }
  } catch (error) {
    if (error instanceof BadSubstitution) return { problem: error.problem }
    throw error
  }
}

class BadSubstitution extends Error {
  readonly problem: 'refused' | 'unknown'

  constructor(problem: 'refused' | 'unknown') {
    super(problem)
    this.name = 'BadSubstitution'
    this.problem = problem
  }
}

function bad(problem: 'refused' | 'unknown' = 'refused'): never {
  throw new BadSubstitution(problem)
}

const NOT_ASCII = /[^\0-\x7f]/

/** The rest of a text; a character that is escaped loses what escapes it. */
type Scanner = { text: string; at: number }

const peek = ({ text, at }: Scanner): string => text.charAt(at)

/** Text up to the next variable. `$$` is a `$` that begins none. */
function literalIn(scanner: Scanner): string {
  const end = /\$\$|\$\{/g
  let literal = ''
  for (;;) {
    end.lastIndex = scanner.at
    const found = end.exec(scanner.text)
    literal += scanner.text.slice(scanner.at, found?.index)
    scanner.at = found ? found.index : scanner.text.length
    if (found?.[0] !== '$$') return literal
    literal += '$'
    scanner.at += 2
  }
}

type Accept = (character: string, count: number) => boolean
type Mode = { readonly escapes?: boolean; readonly nests?: boolean }

/** Whether the text goes on with a character that is escaped. */
const isEscaped = ({ text, at }: Scanner): boolean => /^(?:\$\$|\\[/\\])/.test(text.slice(at, at + 2))

/** Characters that are accepted, at least one. `nests`: up to a variable. */
function scan(scanner: Scanner, accept: Accept, { escapes = false, nests = false }: Mode = {}): string {
  const start = scanner.at
  while (scanner.at < scanner.text.length) {
    if (nests && scanner.at > start && scanner.text.startsWith('${', scanner.at)) break
    if (escapes && isEscaped(scanner)) {
      scanner.text = scanner.text.slice(0, scanner.at) + scanner.text.slice(scanner.at + 1)
      scanner.at += 1
      continue
    }
    const character = String.fromCodePoint(scanner.text.codePointAt(scanner.at) ?? 0)
    if (!accept(character, scanner.at - start + 1)) break
    scanner.at += character.length
  }
  return scanner.at === start ? bad() : scanner.text.slice(start, scanner.at)
}

const isOfName: Accept = (character) => /[\p{L}\p{Nd}_]/u.test(character)
const isBeforeClosing: Accept = (character) => character !== '}'

function close(scanner: Scanner): void {
  if (peek(scanner) !== '}') bad()
  scanner.at += 1
}

/** What stands in the place of a variable, from its `${` on. */
function functionIn(scanner: Scanner, get: GetVariable): string {
  scanner.at += 2
  if (peek(scanner) === '#') {
    scanner.at += 1
    const length = byteLength(get(scan(scanner, isOfName)) ?? '')
    close(scanner)
    return String(length)
  }
  const value = get(scan(scanner, isOfName)) ?? ''
  const next = peek(scanner)
  if (next === ':' && NOT_ASCII.test(scanner.text.charAt(scanner.at + 1))) bad('unknown')
  if (next === ':' && !/[=?+-]/.test(scanner.text.charAt(scanner.at + 1))) return partOf(value, scanner, get)
  if (next === ':' || next === '=') return defaultOf(value, scanner, get)
  if (next === ',' || next === '^') return inCase(value, scanner)
  if (next === '/') return replaced(value, scanner, get)
  if (next === '#' || next === '%') return trimmed(value, next, scanner, get)
  close(scanner)
  return value
}

/** A parameter: a text, or a variable. */
function parameter(scanner: Scanner, accept: Accept, get: GetVariable, mode: Mode = {}): string {
  if (scanner.text.startsWith('${', scanner.at)) return functionIn(scanner, get)
  return scan(scanner, accept, { ...mode, nests: true })
}

/** `${VAR=text}`, `${VAR:=text}`, `${VAR:-text}`, and `:?` and `:+`, which do the same. */
function defaultOf(value: string, scanner: Scanner, get: GetVariable): string {
  scanner.at += peek(scanner) === '=' ? 1 : 2
  let otherwise = ''
  while (peek(scanner) !== '}') otherwise += parameter(scanner, isBeforeClosing, get)
  close(scanner)
  return value === '' ? otherwise : value
}

/** `${VAR:offset}`, `${VAR:offset:length}`, in bytes. */
function partOf(value: string, scanner: Scanner, get: GetVariable): string {
  scanner.at += 1
  const offset = parameter(scanner, (character) => character !== ':' && character !== '}', get)
  let length: string | undefined
  if (peek(scanner) === ':') {
    scan(scanner, (character) => character === ':', {})
    length = parameter(scanner, isBeforeClosing, get)
  }
  close(scanner)
  const bytes = new TextEncoder().encode(value)
  const from = integerIn(offset)
  if (from === undefined) return value
  const start = from < 0 ? Math.max(0, bytes.length + from) : from
  if (length === undefined) return textIn(bytes.subarray(Math.min(start, bytes.length)))
  const count = integerIn(length)
  if (count === undefined) return value
  if (start + count >= bytes.length) return textIn(bytes.subarray(Math.min(start, bytes.length)))
  return count < 0 ? bad() : textIn(bytes.subarray(start, start + count))
}

const integerIn = (text: string): number | undefined => (/^[+-]?\d{1,15}$/.test(text) ? Number(text) : undefined)
const textIn = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
const byteLength = (text: string): number => new TextEncoder().encode(text).length

/** `${VAR,}`, `${VAR,,}`, `${VAR^}`, `${VAR^^}`. */
function inCase(value: string, scanner: Scanner): string {
  const written = scan(scanner, (character, count) => /[,^]/.test(character) && count < 3)
  close(scanner)
  const [first = '', ...rest] = [...value]
  if (written === ',,') return value.toLowerCase()
  if (written === '^^') return value.toUpperCase()
  if (written === ',') return first.toLowerCase() + rest.join('')
  return written === '^' ? first.toUpperCase() + rest.join('') : value
}

/** `${VAR/text/other}`, `//` for all, `/#` and `/%` for the beginning and the end. */
function replaced(value: string, scanner: Scanner, get: GetVariable): string {
  const how = scan(scanner, (character, count) =>
    count === 1 ? character === '/' : count === 2 && /[/#%]/.test(character),
  )
  const what = parameter(scanner, (character) => character !== '/', get, { escapes: true })
  scan(scanner, (character) => character === '/')
  const isLast = peek(scanner) === '}'
  const other = isLast ? '' : parameter(scanner, isBeforeClosing, get, { escapes: true })
  close(scanner)
  if (what === '') bad('unknown')
  if (how === '//') return value.split(what).join(other)
  if (how === '/') return value.replace(what, () => other)
  if (isLast) return value
  if (how === '/#') return value.startsWith(what) ? other + value.slice(what.length) : value
  return value.endsWith(what) ? value.slice(0, value.length - what.length) + other : value
}

/** `${VAR#pattern}`, `##`, `${VAR%pattern}`, `%%`: without the shortest or longest beginning or end. */
function trimmed(value: string, mark: string, scanner: Scanner, get: GetVariable): string {
  const how = scan(scanner, (character, count) => character === mark && count < 3)
  const pattern = parameter(scanner, isBeforeClosing, get)
  close(scanner)
  const isEnd = mark === '%'
  const turn = (text: string) => (isEnd ? [...text].reverse().join('') : text)
  // Character classes, what is escaped, and parts of a character.
  if (/[[\]\\]/.test(pattern) || NOT_ASCII.test(value)) bad('unknown')
  const [text, sought] = [turn(value), turn(pattern)]
  const lengths = Array.from({ length: text.length }, (_, index) => index + 1)
  const matching = lengths.filter((length) => matchesWildcards(sought, text.slice(0, length)))
  return turn(text.slice(how.length === 2 ? matching.at(-1) : matching[0]))
}

/** Whether a text is what a pattern with `*` and `?` says. */
function matchesWildcards(pattern: string, text: string): boolean {
  let [inPattern, inText, star, afterStar] = [0, 0, -1, 0]
  while (inText < text.length) {
    const sought = pattern.charAt(inPattern)
    if (sought === '*') [star, afterStar, inPattern] = [inPattern, inText, inPattern + 1]
    else if (sought === '?' || sought === text.charAt(inText)) [inPattern, inText] = [inPattern + 1, inText + 1]
    else if (star >= 0) [inPattern, inText, afterStar] = [star + 1, afterStar + 1, afterStar + 1]
    else return false
  }
  return /^\**$/.test(pattern.slice(inPattern))
}
