/**
 * Regular expressions of routes, which nginx reads with PCRE. JavaScript has nearly the same language: where PCRE only
 * writes a thing differently, it is rewritten; where PCRE can more, nothing is known. Source: PCRE2, pcre2pattern.
 */
import { memoise } from '../../text/memo.ts'

/** What is known of a pattern: how it matches, that nginx rejects it (and its whole configuration with it), or nothing. */
export type CompiledPattern = { readonly pattern: RegExp } | 'rejected' | 'unknown'

/** What only PCRE knows, or JavaScript rejects though PCRE does not: groups of other kinds, verbs, repeated lookbehinds. */
const PCRE_ONLY = /\(\?(?:[&+\-\dRCP(|^]|[a-zA-Z]+[-:)])|\(\*|\\[gGKRXCQopPN]|\(\?<[=!][^()]*\)[*+?{]/

/** A number over 65,535. */
const TOO_MANY = String.raw`\d*(?:6553[6-9]|655[4-9]\d|65[6-9]\d\d|6[6-9]\d{3}|[7-9]\d{4}|[1-9]\d{5,})`

/** Never valid: a repetition of more than 65,535, and a lookbehind of any length. */
const NEVER = new RegExp(String.raw`\{(?:${TOO_MANY}(?:,\d*)?|\d+,${TOO_MANY})\}|\(\?<[=!][^()]*[*+]`)

/** Letters after a backslash that both languages read alike, or that are translated: in a class of characters, and elsewhere. */
const ESCAPED = { inClass: 'bcdDfnrsStwWx', elsewhere: 'aAbBcdDefhknrsStwWxzZ' } as const

const CLASSES: Readonly<Record<string, string>> = {
  ...{ alnum: 'a-zA-Z0-9', alpha: 'a-zA-Z', ascii: '\\x00-\\x7f', blank: ' \\t', cntrl: '\\x00-\\x1f\\x7f' },
  ...{ digit: '0-9', graph: '!-~', lower: 'a-z', print: ' -~', punct: '!-\\/:-@\\[-`{-~', space: '\\s' },
  ...{ upper: 'A-Z', word: '\\w', xdigit: '0-9a-fA-F' },
}

const CLASS = String.raw`\[\^?\]?(?:\\[\s\S]|\[:\^?[a-z]+:\]|[^\]\\])*\]`
const QUOTED = new RegExp(String.raw`\\[\s\S]|${CLASS}`, 'g')
const TOKENS = new RegExp(
  String.raw`\\[\s\S]|${CLASS}|\(\?#[^)]*\)|\(\?(?:P<|')(\w+)['>]|\(\?>|([*+?]|\{\d+(?:,\d*)?\})\+`,
  'g',
)

const ESCAPES: Readonly<Record<string, string>> = {
  '\\A': '^',
  '\\z': '$',
  '\\Z': '$',
  '\\h': '[ \\t]',
  '\\a': '\\x07',
  '\\e': '\\x1b',
}

function translate(token: string, name: string | undefined, repeated: string | undefined): string {
  if (token.startsWith('\\')) return ESCAPES[token] ?? token
  if (token.startsWith('['))
    return token
      .replace(/\[:(\w+):\]/g, (whole, known: string) => CLASSES[known] ?? whole)
      .replace(/^(\[\^?)\](?=.)/, '$1\\]')
  if (token.startsWith('(?#')) return ''
  if (name !== undefined) return `(?<${name}>`
  return token === '(?>' ? '(?:' : (repeated ?? token)
}

/** True for an escape that PCRE never supports, and for a class that names a set of characters that does not exist. */
const isInvalid = (token: string): boolean =>
  /^\\[LlUu]$/.test(token) ||
  (token.startsWith('[') && [...token.matchAll(/\[:\^?(\w+):\]/g)].some(([, name = '']) => CLASSES[name] === undefined))

/** True where both languages compile a token, and JavaScript reads it as something else. */
function isReadOtherwise(token: string): boolean {
  const known = token.startsWith('[') ? ESCAPED.inClass : ESCAPED.elsewhere
  const letters = [...token.matchAll(/\\([\s\S])/g)].flatMap(([, letter = '']) =>
    /[a-z]/i.test(letter) ? [letter] : [],
  )
  return letters.some((letter) => !known.includes(letter)) || (token.startsWith('[') && token.includes('[:^'))
}

/** `\x{41}`, and references to a group that only PCRE writes so. */
const BRACED = /\\(?:x\{|k[{'])/

/** Compiles a pattern that is written as PCRE reads it. */
export const compilePattern = memoise((written: string): CompiledPattern => {
  const tokens = written.match(QUOTED) ?? []
  const outside = written.replace(QUOTED, 'x')
  if (NEVER.test(outside) || tokens.some(isInvalid)) return 'rejected'
  if (BRACED.test(written) || tokens.some(isReadOtherwise)) return 'unknown'
  const bare = written.replace(/^(\^?(?:\(\?:)?)\(\?i\)/, '$1')
  try {
    return { pattern: new RegExp(bare.replace(TOKENS, translate), bare === written ? '' : 'i') }
  } catch {
    return PCRE_ONLY.test(outside) || tokens.some((token) => PCRE_ONLY.test(token)) ? 'unknown' : 'rejected'
  }
})

/** The first regular expression among some matches of values that nginx is known to reject. */
export const rejectedPattern = (matches: readonly { readonly type: string; readonly value: string }[]) =>
  matches.find(({ type, value }) => type === 'RegularExpression' && compilePattern(value) === 'rejected')?.value
