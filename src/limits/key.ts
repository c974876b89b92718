/** Keys: `$binary_remote_addr`, `$host:$uri`. Source: specification of RateLimitPolicy (`key`), nginx `limit_req_zone` and its complex values. */
import { type Parsed, refused, understood } from './parsed.ts'

/** A piece of a key's value after nginx has taken the quotes off. */
export type KeyPart =
  | { readonly type: 'text'; readonly text: string }
  /** `name` is lower-cased, as nginx looks it up; `written` keeps the author's letters. */
  | { readonly type: 'variable'; readonly name: string; readonly written: string }
  /** `$1` to `$9`: a capture of the last regular expression. */
  | { readonly type: 'capture'; readonly index: number }

/** The pattern that the CRD publishes for a key, in a form that cannot backtrack. It accepts the same language. */
const KEY = /^(?:[^ \t\r\n;{}#$]|\$\w)+$/

/** Says whether the CRD's schema accepts a text as a key. */
export function parseKey(text: string): Parsed<string, 'syntax'> {
  return KEY.test(text) ? understood(text) : refused('syntax')
}

/** The first thing in a key that the CRD refuses. */
export type KeyFault =
  | { readonly type: 'empty' }
  | {
      /** `dollar`: no name follows it. `brace`: it opens `${name}`. */
      readonly type: 'blank' | 'character' | 'dollar' | 'brace'
      readonly character: string
      /** Counts characters from 1. */
      readonly position: number
    }

/** Where and why the CRD refuses a key; undefined where it accepts it. */
export function keyFault(text: string): KeyFault | undefined {
  if (text === '') return { type: 'empty' }
  for (let i = 0; i < text.length; i += 1) {
    const character = text.charAt(i)
    if (!' \t\r\n;{}#$'.includes(character)) continue
    if (character === '$' && /\w/.test(text.charAt(i + 1))) continue
    return { type: faultType(character, text.charAt(i + 1)), character, position: [...text.slice(0, i)].length + 1 }
  }
  return undefined
}

function faultType(character: string, next: string): 'blank' | 'character' | 'dollar' | 'brace' {
  if (character === '$') return next === '{' ? 'brace' : 'dollar'
  return /\s/.test(character) ? 'blank' : 'character'
}

/**
 * The key that a refused one may be meant to be: without blanks around it, with ":" for those within, without the
 * braces of `${name}`. Undefined where that does not do.
 */
export function suggestKey(text: string): string | undefined {
  const mended = text
    .trim()
    .replace(/[ \t\r\n]+/g, ':')
    .replace(/\$\{(\w+)\}(?!\w)/g, '$$$1')
  return mended !== text && parseKey(mended).ok ? mended : undefined
}

const PART = /\$([1-9])|\$(\w+)|[^$]+|\$/g

/** Splits an unquoted key into text, variables and captures, as nginx's script compiler does. */
export function keyParts(unquoted: string): readonly KeyPart[] {
  const parts: KeyPart[] = []
  for (const [text, capture, variable] of unquoted.matchAll(PART)) {
    if (capture !== undefined) parts.push({ type: 'capture', index: Number(capture) })
    else if (variable !== undefined) parts.push({ type: 'variable', name: variable.toLowerCase(), written: variable })
    else parts.push({ type: 'text', text })
  }
  return parts
}
