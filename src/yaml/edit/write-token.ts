/** Writes values as tokens of a text. */
import { dump } from 'js-yaml'
import { resolvePlain } from '../parse/scalar.ts'

/** The style of a token. */
export type TokenStyle = {
  readonly format: 'yaml' | 'json'
  /** The quotes of a string; empty for none unless it needs them. */
  readonly quote: '"' | "'" | ''
}

/** The quotes of the token at an offset. */
export function quoteAt(text: string, start: number): TokenStyle['quote'] {
  const first = text[start]
  return first === '"' || first === "'" ? first : ''
}

/** Writes a value on one line, so that it may stand within and without brackets. */
export function writeToken(value: unknown, { format, quote }: TokenStyle): string {
  if (format === 'json') return JSON.stringify(value)
  if (quote === '' && isWord(value)) return value
  const forceQuotes = quote !== '' || needsQuotesForKubectl(value)
  const list = dump([value], {
    flowLevel: 0,
    lineWidth: -1,
    noRefs: true,
    forceQuotes,
    quoteStyle: quote === '"' ? 'double' : 'single',
  })
  return list.trimEnd().slice(1, -1)
}

/** Letters and digits, as in most values, with dots and slashes between them: `10r/s`. */
const WORD = /^[A-Za-z\d]+(?:[./][A-Za-z\d]+)*$/

/** Whether a value is a string that every reader takes for one without quotes. */
const isWord = (value: unknown): value is string =>
  typeof value === 'string' && WORD.test(value) && resolvePlain(value) === value

/**
 * Whether a value has strings that js-yaml would write without quotes and go-yaml reads as something else: a number
 * such as `-_0`, and a question mark, which begins a key anywhere within brackets.
 */
const needsQuotesForKubectl = (value: unknown): boolean =>
  JSON.stringify(value).includes('?') || (typeof value === 'string' && resolvePlain(value) !== value)
