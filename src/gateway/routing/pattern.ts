/**
 * Regular expressions of routes, which nginx reads with PCRE. They are matched by RE2, in time that grows with the text:
 * where PCRE only writes a thing differently, it is rewritten; where RE2 or JavaScript would match otherwise, nothing is
 * known. Source: PCRE2, pcre2pattern; RE2, syntax.
 */
import { compileLinear, type LinearPattern } from '../../text/linear.ts'
import { memoise } from '../../text/memo.ts'

/** What is known of a pattern: how it matches, that nginx rejects it (and its whole configuration with it), or nothing. */
export type CompiledPattern = { readonly pattern: LinearPattern } | 'rejected' | 'unknown'

/** Characters of the longest value in a route that the API server accepts. */
const LONGEST = 4096

const QUANTIFIER = /^(?:[*+?]|\{\d+(?:,\d*)?\})[+?]?$/
const SET = String.raw`:\^?[a-z]+:\]`
const CLASS = String.raw`\[\^?(?:\]|(?!\]))(?:[^\]\\[]|\\[\s\S]|\[${SET}|\[(?!${SET}))*\]`
const TOKENS = new RegExp(
  [
    String.raw`\\x[0-9a-fA-F]{2}|\\[\s\S]|${CLASS}|\(\?#[^)]*\)?`,
    String.raw`\(\?P?<\w+>|\(\?'\w+'|\(\?(?:[:>=!]|<[=!])|(?:[*+?]|\{\d+(?:,\d*)?\})[+?]?|[\s\S]`,
  ].join('|'),
  'g',
)

/** What PCRE reads in a way of its own: groups of other kinds, verbs, escapes that say more than a character. */
const ONLY_PCRE = /\(\?(?:[&+\-\dRC(|^]|P(?!<)|[a-zA-Z]+[-:)])|\(\*|\{,/
const ESCAPES_OF_PCRE = /^\\[QEcgGKRXCopPN]$/
const ESCAPES_OF_PCRE_IN_CLASS = /\\[QEcopPN]/
const BRACED = /\\[xk][{']/

const ASSERTION = /^\\[AbBzZ]$/
const LOOKBEHIND = /\(\?<[=!]/

/** What PCRE rejects: a lookbehind of any length, and an assertion that is repeated. */
const REJECTED = /\(\?<[=!][^()]*[*+]|[\^$](?:[*+?]|\{\d+(?:,\d*)?\})/

/** The most repetitions, and the characters of the longest name of a group, that every PCRE accepts. */
const MOST_REPEATED = 65_535
const LONGEST_NAME = 32

/** The sets of characters that PCRE knows by name. */
const SETS = 'alnum|alpha|ascii|blank|cntrl|digit|graph|lower|print|punct|space|upper|word|xdigit'.split('|')

/** Escapes of letters and digits: as JavaScript has them, if it has them, and as RE2 has them, if the same matches. */
const ESCAPES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['A', 'B', 'D', 'W', 'b', 'd', 'f', 'n', 'r', 't', 'w', 'z'].map((name) => [name, `\\${name}`]),
  ),
  ...{ a: '\\x07', e: '\\x1b', h: '[\\t \\xa0]', s: '[\\t-\\r ]', S: '[^\\t-\\r ]' },
}
const ESCAPES_IN_CLASS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['D', 'W', 'd', 'f', 'n', 'r', 't', 'w'].map((name) => [name, `\\${name}`])),
  ...{ b: '\\x08', s: '\\t-\\r ', S: '\\x00-\\x08\\x0e-\\x1f!-\\x{10ffff}' },
}

const isClass = (token: string): boolean => token.length > 1 && token.startsWith('[')
const setsOf = (token: string): readonly string[] =>
  isClass(token) ? [...token.matchAll(/\[:\^?([a-z]+):\]/g)].map(([, name = '']) => name) : []
const nameOf = (token: string): string | undefined => /^\(\?(?:P?<|')(\w+)/.exec(token)?.[1]

/** True where PCRE does not compile a token, whatever stands around it. */
const isRejected = (token: string): boolean =>
  token === '[' ||
  (token.startsWith('(?#') && !token.endsWith(')')) ||
  /^\\[LlUu]$/.test(token) ||
  setsOf(token).some((name) => !SETS.includes(name)) ||
  (QUANTIFIER.test(token) && (token.match(/\d+/g) ?? []).some((count) => Number(count) > MOST_REPEATED))

/** A token in the syntax of JavaScript: not to match, but to learn whether parentheses, repetitions and ranges are right. */
function inJavaScript(token: string): string {
  if (isClass(token)) return token.replace(/\[:\^?[a-z]+:\]/g, '\\w').replace(/^(\[\^?)\](?=.)/, '$1\\]')
  if (token.startsWith('(?#')) return ''
  const name = nameOf(token)
  if (name !== undefined) return `(?<${name}>`
  if (token === '(?>') return '(?:'
  return QUANTIFIER.test(token) ? token.replace(/(?<=.)\+$/s, '') : token
}

/** A token that matches the same in RE2 as in PCRE; undefined where there is none. */
function inRe2(token: string): string | undefined {
  if (isClass(token)) return classInRe2(token)
  if (token.startsWith('(?#')) return ''
  if (token === '(' || nameOf(token) !== undefined) return '(?:'
  if (token.startsWith('(?')) return token === '(?:' ? token : undefined
  if (QUANTIFIER.test(token)) return /.\+$/s.test(token) ? undefined : token
  if (/^[{}\]]$/.test(token)) return `\\${token}`
  return token.startsWith('\\') ? escapeInRe2(token, ESCAPES) : token
}

const escapeInRe2 = (token: string, known: Readonly<Record<string, string>>): string | undefined => {
  const name = token.slice(1)
  if (/^[ -/:-@[-`{-~]$/.test(name)) return token
  return name.length > 1 ? token : known[name]
}

/** A set and a hyphen, which newer versions of PCRE reject, and names of characters that only POSIX has. */
const ODD_CLASS = /(?:\\[dDsSwW]|:\])-[^\]]|.\[[.=]/s

function classInRe2(token: string): string | undefined {
  if (ODD_CLASS.test(token)) return undefined
  const parts = token.match(/\\x[0-9a-fA-F]{2}|\\[\s\S]|\[:\^?[a-z]+:\]|[^\\]/g) ?? []
  const written = parts.map((part) => (part.startsWith('\\') ? escapeInRe2(part, ESCAPES_IN_CLASS) : part))
  return written.includes(undefined) ? undefined : written.join('')
}

/** PCRE's `$` also matches before a last line feed. */
const END = '(?:\\n?\\z)'
const isEnd = (token: string): boolean => token === '$' || token === '\\Z'

/** True where every `$` ends the text that is matched, whatever groups it is in: RE2 cannot look beyond a line feed. */
function hasOnlyLastEnds(tokens: readonly string[]): boolean {
  const behindGroups: boolean[] = []
  let isLast = true
  for (const token of tokens.toReversed()) {
    if (isEnd(token) && !isLast) return false
    if (token === ')') behindGroups.push(isLast)
    if (token.startsWith('(')) behindGroups.pop()
    if (token === '|') isLast = behindGroups.at(-1) ?? true
    else if (!isEnd(token) && token !== ')') isLast = false
  }
  return true
}

/** RE2 ignores the case of more letters than PCRE does, for which characters are bytes here. */
const BEYOND_ASCII = /[\x80-\uffff]|\\x[89a-fA-F]/

function matcherOf(tokens: readonly string[], ignoresCase: boolean): LinearPattern | undefined {
  if (!hasOnlyLastEnds(tokens) || (ignoresCase && tokens.some((token) => BEYOND_ASCII.test(token)))) return undefined
  const written = tokens.map((token) => (isEnd(token) ? END : inRe2(token)))
  return written.includes(undefined) ? undefined : compileLinear(`${ignoresCase ? '(?i)' : ''}${written.join('')}`)
}

/** The tokens of a pattern, up to the first one that PCRE rejects for itself. */
function tokensOf(pattern: string): readonly string[] {
  const tokens: string[] = []
  for (const [token] of pattern.matchAll(TOKENS)) {
    tokens.push(token)
    if (isRejected(token)) break
  }
  return tokens
}

/** A token as the expressions that look at groups and repetitions see it. */
function outsideOf(token: string): string {
  if (ASSERTION.test(token)) return '^'
  if (token.startsWith('(?#')) return ''
  return token.startsWith('\\') || isClass(token) ? 'x' : token
}

const isOnlyPcre = (token: string): boolean =>
  isClass(token) ? ESCAPES_OF_PCRE_IN_CLASS.test(token) : ESCAPES_OF_PCRE.test(token)

/** Compiles a pattern that is written as PCRE reads it. */
export const compilePattern = memoise((written: string): CompiledPattern => {
  if (written.length > LONGEST || BRACED.test(written)) return 'unknown'
  const bare = written.replace(/^(\^?(?:\(\?:)?)\(\?i\)/, '$1')
  const tokens = tokensOf(bare)
  const outside = tokens.map(outsideOf).join('')
  const names = tokens.flatMap((token) => nameOf(token) ?? [])
  if (ONLY_PCRE.test(outside) || tokens.some(isOnlyPcre) || names.some((name) => name.length > LONGEST_NAME))
    return 'unknown'
  if (tokens.some(isRejected) || REJECTED.test(outside) || new Set(names).size < names.length) return 'rejected'
  if (!isSyntax(tokens.map(inJavaScript).join(''))) return LOOKBEHIND.test(outside) ? 'unknown' : 'rejected'
  const pattern = matcherOf(tokens, bare !== written)
  return pattern ? { pattern } : 'unknown'
})

function isSyntax(pattern: string): boolean {
  try {
    return new RegExp(pattern) !== undefined
  } catch {
    return false
  }
}

/** The first regular expression among some matches of values that nginx is known to reject. */
export const rejectedPattern = (matches: readonly { readonly type: string; readonly value: string }[]) =>
  matches.find(({ type, value }) => type === 'RegularExpression' && compilePattern(value) === 'rejected')?.value
