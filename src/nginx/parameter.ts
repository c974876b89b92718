/**
 * How nginx reads one parameter of a directive from its configuration file: quotes, escapes, length.
 * Source: nginx, the configuration file's measurement units and syntax; checked against the real program.
 */
import type { Parsed } from '../limits/parsed.ts'
import { refused, understood } from '../limits/parsed.ts'

/** Why nginx cannot read a parameter, in the order in which it would notice. */
export type ParameterProblem = 'too-long' | 'unclosed-quote' | 'text-after-quote' | 'trailing-backslash'

/** Bytes of nginx's configuration buffer that one parameter may take; a closing quote lends one more. */
const LONGEST_PARAMETER_BYTES = 4094

const ESCAPED: Readonly<Record<string, string>> = { '"': '"', "'": "'", '\\': '\\', t: '\t', r: '\r', n: '\n' }

/** Reads a parameter written literally into a directive and followed by a space: its value without quotes and escapes. */
export function readParameter(written: string): Parsed<string, ParameterProblem> {
  const quote = written.startsWith('"') || written.startsWith("'") ? written.charAt(0) : ''
  const end = quote ? closingQuote(written, quote) : written.length
  const longest = LONGEST_PARAMETER_BYTES + (quote && end !== undefined ? 1 : 0)
  if (Buffer.byteLength(written) > longest) return refused('too-long')
  if (end === undefined) return refused('unclosed-quote')
  if (quote && end < written.length - 1) return refused('text-after-quote')
  if (!quote && /(?:^|[^\\])(?:\\\\)*\\$/.test(written)) return refused('trailing-backslash')
  return understood(withoutEscapes(quote ? written.slice(1, end) : written))
}

function closingQuote(written: string, quote: string): number | undefined {
  for (let i = 1; i < written.length; i += 1) {
    if (written[i] === '\\') i += 1
    else if (written[i] === quote) return i
  }
  return undefined
}

function withoutEscapes(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(/\\(["'\\trn])/g, (_, letter: string) => ESCAPED[letter] ?? letter)
}
