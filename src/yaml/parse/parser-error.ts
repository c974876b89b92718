/** What js-yaml rejects, as codes: the one place that knows its words. */
import type { YAMLException } from 'js-yaml'

/** What js-yaml rejects. */
type ParserErrorCode =
  | 'after-document'
  | 'anchor-without-name'
  | 'alias-without-name'
  | 'block-header'
  | 'block-tab'
  | 'comma-first'
  | 'depth'
  | 'directive'
  | 'directives-end'
  | 'double-quote'
  | 'escape'
  | 'field-indentation'
  | 'item-indentation'
  | 'key-colon'
  | 'less-indentation'
  | 'long-key'
  | 'missing-comma'
  | 'open-bracket'
  | 'other'
  | 'single-quote'
  | 'tag'

/** An error of js-yaml: what, and the offset where it stopped. */
export type ParserError = { readonly code: ParserErrorCode; readonly offset: number; readonly words: string }

/** Each code, and what its messages contain. The first that fits counts. */
const WORDS: readonly (readonly [ParserErrorCode, RegExp])[] = [
  ['depth', /exceeded maxDepth/],
  ['after-document', /^end of the stream/],
  ['double-quote', /double quoted scalar$/],
  ['single-quote', /single quoted scalar$/],
  ['open-bracket', /within a flow collection$/],
  ['missing-comma', /^missed comma/],
  ['comma-first', /but found ','$/],
  ['less-indentation', /^deficient indentation$/],
  ['block-tab', /^tab characters/],
  ['field-indentation', /^bad indentation of a mapping/],
  ['item-indentation', /^bad indentation of a sequence/],
  ['long-key', /multiline key/],
  ['key-colon', /^expected ':'|key-value separator/],
  ['escape', /^unknown escape|^expected hexadecimal/],
  ['block-header', /^a line break is expected|^bad explicit indentation|^repeat of/],
  ['anchor-without-name', /^name of an anchor/],
  ['alias-without-name', /^name of an alias/],
  ['directives-end', /^directives end mark/],
  ['directive', /\bdirective\b|YAML version|previously declared/i],
  ['tag', /^tag|^named tag|verbatim tag$|tag handle/],
]

/** The error that js-yaml throws as a code. */
export function parserError({ reason, mark }: YAMLException): ParserError {
  const code = WORDS.find(([, words]) => words.test(reason))?.[0] ?? 'other'
  return { code, offset: mark?.position ?? 0, words: reason }
}
