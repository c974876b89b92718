/**
 * How nginx reads one parameter of a directive from its configuration file: quotes, escapes, length. Source: nginx,
 * syntax of the configuration file; tests compare with real programs.
 */
import { utf8Length } from '../text/utf8.ts'

/**
 * Why nginx cannot read a parameter, in the order in which it would detect it. `text-after-quote` includes `"a")`,
 * which nginx reads as two parameters.
 */
export type ParameterProblem = 'too-long' | 'unclosed-quote' | 'text-after-quote' | 'trailing-backslash'

/** The value of a parameter, or why nginx cannot read it. */
export type Parameter =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly problem: ParameterProblem }

const understood = (value: string): Parameter => ({ ok: true, value })
const rejected = (problem: ParameterProblem): Parameter => ({ ok: false, problem })

/**
 * Bytes of the longest parameter that fits into nginx's buffer if a space follows, counted after an opening quote, up to
 * and including the closing one. A parameter that is directly followed by the semicolon may have one more.
 */
export const LONGEST_PARAMETER_BYTES = 4094

const ESCAPED: Readonly<Record<string, string>> = { '"': '"', "'": "'", '\\': '\\', t: '\t', r: '\r', n: '\n' }

/**
 * Reads a parameter written literally into a directive: its value without quotes and escapes. `next` follows it.
 * Expects what the CRD accepts: no spaces, semicolons, braces or `#`.
 */
export function readParameter(written: string, next: ' ' | ';' = ' '): Parameter {
  const longest = LONGEST_PARAMETER_BYTES + (next === ';' ? 1 : 0)
  const quote = written.startsWith('"') || written.startsWith("'") ? written.charAt(0) : ''
  return quote ? readQuoted(written, quote, longest) : readPlain(written, longest)
}

function readQuoted(written: string, quote: string, longest: number): Parameter {
  const end = closingQuote(written, quote)
  if (utf8Length(written.slice(1, end === undefined ? undefined : end + 1)) > longest) return rejected('too-long')
  if (end === undefined) return rejected('unclosed-quote')
  if (end < written.length - 1) return rejected('text-after-quote')
  return understood(withoutEscapes(written.slice(1, end)))
}

function readPlain(written: string, longest: number): Parameter {
  if (utf8Length(written) > longest) return rejected('too-long')
  if (endsInBackslash(written)) return rejected('trailing-backslash')
  return understood(withoutEscapes(written))
}

/** Position of the closing quote; a backslash escapes the character after it. */
function closingQuote(written: string, quote: string): number | undefined {
  for (let i = 1; i < written.length; i += 1) {
    if (written[i] === '\\') i += 1
    else if (written[i] === quote) return i
  }
  return undefined
}

/** True where the last backslash would escape the space after the parameter. */
function endsInBackslash(written: string): boolean {
  let backslashes = 0
  while (written[written.length - 1 - backslashes] === '\\') backslashes += 1
  return backslashes % 2 === 1
}

/** Only these six escapes have a meaning; any other backslash is kept, as in `\$`. */
function withoutEscapes(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(/\\(["'\\trn])/g, (_, letter: string) => ESCAPED[letter] ?? letter)
}
