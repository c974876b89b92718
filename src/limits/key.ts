/**
 * Keys: `$binary_remote_addr`, `$host:$uri`.
 * Source: specification of RateLimitPolicy (`key`), nginx `limit_req_zone` and its complex values.
 */

/** A part of a key's value, without the quotes that nginx removes. */
export type KeyPart =
  | { readonly type: 'text'; readonly text: string }
  /** `name` is in lower case, as nginx looks it up; `written` as the author wrote it. */
  | { readonly type: 'variable'; readonly name: string; readonly written: string }
  /** `$1` to `$9`: a capture of the last regular expression that matched. */
  | { readonly type: 'capture'; readonly index: number }

/** What no key has by the pattern that the CRD publishes. Looking for that keeps nothing of the text, however long it is. */
const NO_KEY = /[ \t\r\n;{}#]|\$(?!\w)/

/** Whether the CRD's schema accepts a string as a key. */
export const isKey = (text: string): boolean => text !== '' && !NO_KEY.test(text)

/** The first thing in a key that the CRD rejects. */
type KeyFault =
  | { readonly type: 'empty' }
  | {
      /** `space`: white space. `dollar`: no name follows it. `brace`: it begins `${name}`. */
      readonly type: 'space' | 'character' | 'dollar' | 'brace'
      readonly character: string
      /** In characters (code points), from 1. */
      readonly position: number
    }

/** Where and why the CRD rejects a key; undefined where it accepts it. */
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

function faultType(character: string, next: string): 'space' | 'character' | 'dollar' | 'brace' {
  if (character === '$') return next === '{' ? 'brace' : 'dollar'
  return /\s/.test(character) ? 'space' : 'character'
}

/**
 * A valid key in place of a rejected one: without white space around it, with ":" in place of white space within it,
 * and without the braces of `${name}`. Undefined where that is not enough.
 */
export function suggestKey(text: string): string | undefined {
  const fixed = text
    .trim()
    .replace(/[ \t\r\n]+/g, ':')
    .replace(/\$\{(\w+)\}(?!\w)/g, '$$$1')
  return fixed !== text && isKey(fixed) ? fixed : undefined
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
