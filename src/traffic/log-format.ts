/**
 * Log formats: the text of a `log_format`, as written on a command line or pasted from a configuration, and the formats
 * that are known by name. Source: nginx log_format, and the products named beside each format.
 */
import type { Escaping } from './escaping.ts'

/** A piece of a line: fixed text, or the value of a variable. */
export type FormatPart =
  | { readonly type: 'text'; readonly text: string }
  /** `name` is without `$`, lower-cased as nginx looks it up. */
  | { readonly type: 'variable'; readonly name: string }

/** A parsed format. */
export type LogFormat = { readonly escaping: Escaping; readonly parts: readonly FormatPart[] }

/** The result of parsing a format; `problem` is a message for the user. */
type FormatOutcome =
  | { readonly ok: true; readonly format: LogFormat }
  | { readonly ok: false; readonly problem: string }

const failure = (problem: string): FormatOutcome => ({ ok: false, problem })

const DIRECTIVE = /^log_format\s+(?:[^\s;'"]+|'[^']*'|"[^"]*")/
const ESCAPE = /^\s*escape=(\w+)\s*/
const ESCAPINGS: readonly string[] = ['default', 'json', 'none'] satisfies Escaping[]
const isEscaping = (word: string): word is Escaping => ESCAPINGS.includes(word)

/**
 * Parses a format: a bare one (`$remote_addr "$request"`), a quoted one as in a configuration
 * (`'$remote_addr ' '"$request"'`), or the whole directive.
 */
export function parseLogFormat(written: string): FormatOutcome {
  const directive = DIRECTIVE.exec(written.trim())?.[0]
  const behindName = written.trim().slice(directive?.length ?? 0)
  const escapeFlag = ESCAPE.exec(behindName)
  const rest = behindName.slice(escapeFlag?.[0].length ?? 0)
  const escaping = escapeFlag?.[1] ?? 'default'
  if (!isEscaping(escaping)) return failure(`escape=${escaping} is not valid; use one of ${ESCAPINGS.join(', ')}`)
  const isPasted = directive !== undefined || rest.startsWith("'")
  const text = isPasted ? joinTokens(rest) : rest
  if (text === undefined) return failure('a quote is not closed')
  const parts = splitVariables(text)
  if (!parts) return failure('a $ has no variable name behind it')
  const problem = problemOf(parts)
  return problem === undefined ? { ok: true, format: { escaping, parts } } : failure(problem)
}

const TOKEN = /\s+|#[^\n]*|;|'((?:[^'\\]|\\[\s\S])*)'|"((?:[^"\\]|\\[\s\S])*)"|([^\s;'"#][^\s;]*)/y
const ESCAPED: Readonly<Record<string, string>> = { t: '\t', r: '\r', n: '\n' }

/** Joins the parameters of the directive as nginx does; undefined where a quote is not closed. */
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

/** Variables that may follow another one directly: their first character shows where they begin. */
export const OPENINGS: Readonly<Record<string, string>> = {
  request_uri: '/',
  uri: '/',
  document_uri: '/',
  is_args: '?',
}

function problemOf(parts: readonly FormatPart[]): string | undefined {
  if (!parts.some(({ type }) => type === 'variable')) return 'it has no variable, such as $remote_addr'
  for (const [index, part] of parts.entries()) {
    const before = parts[index - 1]
    if (part.type !== 'variable' || before?.type !== 'variable') continue
    if (Object.hasOwn(OPENINGS, part.name) || (before.name === 'is_args' && /^(?:args|query_string)$/.test(part.name)))
      continue
    return `there must be text between $${before.name} and $${part.name}, to see where one ends and the other begins`
  }
  return undefined
}

/** A format with a name. */
export type KnownFormat = {
  readonly name: string
  readonly format: LogFormat
  /**
   * For formats that begin as `common` and then have only quoted values: how many follow the size. Such lines have a
   * quick reader.
   */
  readonly quoted?: number
}

const known = (name: string, text: string, quoted?: number): KnownFormat => {
  const outcome = parseLogFormat(text)
  if (!outcome.ok) throw new Error(`the format ${name}: ${outcome.problem}`)
  return { name, format: outcome.format, ...(quoted === undefined ? {} : { quoted }) }
}

const COMMON = '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent'
const COMBINED = `${COMMON} "$http_referer" "$http_user_agent"`
const INGRESS = `${COMBINED} $request_length $request_time [$proxy_upstream_name] [$proxy_alternative_upstream_name]
$upstream_addr $upstream_response_length $upstream_response_time $upstream_status $req_id`.replace('\n', ' ')

/** Traefik's `common` format: its time is that at which the request came. */
const TRAEFIK = `${COMBINED.replace('$time_local', '$start_time')} $request_count "$router" "$upstream_addr" \${duration_ms}ms`
/** Envoy's default format. It has no address of the client but the last one in `X-Forwarded-For`. */
const ENVOY = `[$start_time] "$request" $status $response_flags $bytes_received $bytes_sent $duration_ms
$upstream_service_time "$envoy_forwarded_for" "$http_user_agent" "$request_id" "$http_host" "$upstream_host"`.replace(
  '\n',
  ' ',
)

/** The longest first: the first that fits a line describes most of it. */
export const KNOWN_FORMATS: readonly KnownFormat[] = [
  /** The default of ingress-nginx. */
  known('ingress-nginx', INGRESS),
  known('traefik', TRAEFIK),
  known('envoy', ENVOY),
  /** The name in Apache; the prefix of nginx is `$host:$server_port`. */
  known('vhost_combined', `$host:$server_port ${COMBINED}`),
  /** The `nginx.conf` of the nginx packages. */
  known('main', `${COMBINED} "$http_x_forwarded_for"`, 3),
  known('combined', COMBINED, 2),
  known('common', COMMON, 0),
]
