/** Formats that need no description. Source: nginx log_format, and the products named beside each. */
import { type LogFormat, parseLogFormat } from './log-format.ts'

/** A format by the name that people call it. */
export type KnownFormat = {
  readonly name: string
  readonly format: LogFormat
  /**
   * How many quoted values follow the size where the line begins as `common` does and holds nothing else:
   * such lines have a reader of their own.
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

/** The longest first, so that the first that fits a line says most of it. */
export const KNOWN_FORMATS: readonly KnownFormat[] = [
  /** ingress-nginx, its default. */
  known('ingress-nginx', INGRESS),
  /** The nginx packages' own `nginx.conf`. */
  known('main', `${COMBINED} "$http_x_forwarded_for"`, 3),
  known('combined', COMBINED, 2),
  known('common', COMMON, 0),
]
