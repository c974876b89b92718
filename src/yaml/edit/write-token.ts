/** Values to the tokens that stand for them in a text. */
import { dump } from 'js-yaml'
import { resolvePlain } from '../parse/scalar.ts'

/** How a token shall look. */
export type TokenStyle = {
  readonly format: 'yaml' | 'json'
  /** The quotes of a text; empty where it shall have none unless it needs them. */
  readonly quote: '"' | "'" | ''
}

/** The quotes in which a token stands. */
export function quoteOf(text: string, start: number): TokenStyle['quote'] {
  const first = text[start]
  return first === '"' || first === "'" ? first : ''
}

/** Writes a value on one line, as it may stand within and without brackets. */
export function writeToken(value: unknown, { format, quote }: TokenStyle): string {
  if (format === 'json') return JSON.stringify(value)
  if (quote === '' && isWord(value)) return value
  const needsQuotes = quote !== '' || isOddToKubectl(value)
  const list = dump([value], {
    flowLevel: 0,
    lineWidth: -1,
    noRefs: true,
    forceQuotes: needsQuotes,
    quoteStyle: quote === '"' ? 'double' : 'single',
  })
  return list.trimEnd().slice(1, -1)
}

/** Letters and digits, as most values are, with points and slashes between them: `10r/s`. */
const WORD = /^[A-Za-z\d]+(?:[./][A-Za-z\d]+)*$/

/** What is a text to every reader, and needs no thought. */
const isWord = (value: unknown): value is string =>
  typeof value === 'string' && WORD.test(value) && resolvePlain(value) === value

/**
 * What other readers take for a text, and go-yaml for something else: a number such as `-_0`, and a question mark,
 * which begins a key wherever it stands within brackets.
 */
const isOddToKubectl = (value: unknown): boolean =>
  JSON.stringify(value).includes('?') || (typeof value === 'string' && resolvePlain(value) !== value)
