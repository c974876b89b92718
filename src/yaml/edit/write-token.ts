/** Writes values as tokens of a text. */
import { dump } from 'js-yaml'
import { memoise } from '../../text/memo.ts'
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
  const isUnsafe = needsQuotesForKubectl(value)
  // js-yaml leaves the keys of a mapping without quotes.
  if (isUnsafe && typeof value === 'object') return JSON.stringify(value)
  const forceQuotes = quote !== '' || isUnsafe
  const write = forceQuotes ? (quote === '"' ? inDoubleQuotes : inSingleQuotes) : asNeeded
  return write(JSON.stringify(value))
}

/** Many documents get the same few values. */
const writerOf = (style: { readonly forceQuotes: boolean; readonly quoteStyle: 'single' | 'double' }) =>
  memoise((json) => {
    const list = dump([JSON.parse(json)], { flowLevel: 0, lineWidth: -1, noRefs: true, ...style })
    return list.trimEnd().slice(1, -1)
  })
const asNeeded = writerOf({ forceQuotes: false, quoteStyle: 'single' })
const inSingleQuotes = writerOf({ forceQuotes: true, quoteStyle: 'single' })
const inDoubleQuotes = writerOf({ forceQuotes: true, quoteStyle: 'double' })

/** Letters and digits, as in most values, with dots and slashes between them: `10r/s`. */
const WORD = /^[A-Za-z\d]+(?:[./][A-Za-z\d]+)*$/

/** Whether a value is a string that every reader takes for one without quotes. */
const isWord = (value: unknown): value is string =>
  typeof value === 'string' && WORD.test(value) && resolvePlain(value) === value

/**
 * Whether a value has strings that js-yaml would write without quotes and go-yaml reads as something else: a number
 * such as `-_0`, and, within brackets, a question mark anywhere, which begins a key, and a colon at the beginning, which
 * ends one.
 */
const needsQuotesForKubectl = (value: unknown): boolean =>
  /\?|(?<![^[{,:])":/.test(JSON.stringify(value)) || (typeof value === 'string' && resolvePlain(value) !== value)
