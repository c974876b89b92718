/** The text of a `log_format`, as people write it on a command line or paste it from a configuration. Source: nginx log_format. */
import type { Escaping } from './escaping.ts'

/** A piece of a line: text that always stands there, or the value of a variable. */
export type FormatPart =
  | { readonly type: 'text'; readonly text: string }
  /** `name` is without `$`, lower-cased as nginx looks it up. */
  | { readonly type: 'variable'; readonly name: string }

/** A format as read. */
export type LogFormat = { readonly escaping: Escaping; readonly parts: readonly FormatPart[] }

/** What came out of a text that should be a format; `problem` says what is wrong with it, for people. */
export type FormatOutcome =
  | { readonly ok: true; readonly format: LogFormat }
  | { readonly ok: false; readonly problem: string }

const failure = (problem: string): FormatOutcome => ({ ok: false, problem })

const DIRECTIVE = /^log_format\s+(?:[^\s;'"]+|'[^']*'|"[^"]*")/
const ESCAPE = /^\s*escape=(\w+)\s*/
const ESCAPINGS: readonly string[] = ['default', 'json', 'none'] satisfies Escaping[]
const isEscaping = (word: string): word is Escaping => ESCAPINGS.includes(word)

/**
 * Reads a format: a bare one (`$remote_addr "$request"`), a quoted one as it stands in a configuration
 * (`'$remote_addr ' '"$request"'`), or the whole directive.
 */
export function parseLogFormat(written: string): FormatOutcome {
  const directive = DIRECTIVE.exec(written.trim())?.[0]
  const behindName = written.trim().slice(directive?.length ?? 0)
  const escapeFlag = ESCAPE.exec(behindName)
  const rest = behindName.slice(escapeFlag?.[0].length ?? 0)
  const escaping = escapeFlag?.[1] ?? 'default'
  if (!isEscaping(escaping)) return failure(`escape=${escaping} is none of ${ESCAPINGS.join(', ')}`)
  const isPasted = directive !== undefined || rest.startsWith("'")
  const text = isPasted ? joinTokens(rest) : rest
  if (text === undefined) return failure('a quote is not closed')
  const parts = splitVariables(text)
  if (!parts) return failure('a $ stands without the name of a variable')
  const problem = problemOf(parts)
  return problem === undefined ? { ok: true, format: { escaping, parts } } : failure(problem)
}

const TOKEN = /\s+|#[^\n]*|;|'((?:[^'\\]|\\[\s\S])*)'|"((?:[^"\\]|\\[\s\S])*)"|([^\s;'"#][^\s;]*)/y
const ESCAPED: Readonly<Record<string, string>> = { t: '\t', r: '\r', n: '\n' }

/** The parameters of the directive joined, as nginx joins them; undefined where a quote is not closed. */
function joinTokens(text: string): string | undefined {
  TOKEN.lastIndex = 0
  let joined = ''
  while (TOKEN.lastIndex < text.length) {
    const match = TOKEN.exec(text)
    if (!match) return undefined
    if (match[0] === ';') return joined
    const token = match[1] ?? match[2] ?? match[3] ?? ''
    joined += token.replace(/\\(["'\\trn])/g, (_, letter: string) => ESCAPED[letter] ?? letter)
  }
  return joined
}

const PIECE = /\$(?:(\w+)|\{(\w+)\})|\$|[^$]+/g

function splitVariables(text: string): readonly FormatPart[] | undefined {
  const parts: FormatPart[] = []
  for (const [piece, plain, braced] of text.matchAll(PIECE)) {
    const name = plain ?? braced
    if (piece === '$') return undefined
    parts.push(name === undefined ? { type: 'text', text: piece } : { type: 'variable', name: name.toLowerCase() })
  }
  return parts
}

/** Variables that may stand right behind another: one can see where they begin. */
export const OPENINGS: Readonly<Record<string, string>> = {
  request_uri: '/',
  uri: '/',
  document_uri: '/',
  is_args: '?',
}

function problemOf(parts: readonly FormatPart[]): string | undefined {
  if (!parts.some(({ type }) => type === 'variable')) return 'it names no variable, such as $remote_addr'
  for (const [index, part] of parts.entries()) {
    const before = parts[index - 1]
    if (part.type !== 'variable' || before?.type !== 'variable') continue
    if (Object.hasOwn(OPENINGS, part.name) || (before.name === 'is_args' && /^(?:args|query_string)$/.test(part.name)))
      continue
    return `nobody can tell where $${before.name} ends and $${part.name} begins: nothing stands between them`
  }
  return undefined
}
