/** The variable that the author of an unknown one may have meant. */

import { nearest } from '../text/nearest.ts'
import { withoutEnd } from '../text/trim.ts'

/** Names in other systems and common terms, and the variable with that value. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  client: 'binary_remote_addr',
  client_addr: 'binary_remote_addr',
  client_address: 'binary_remote_addr',
  client_ip: 'binary_remote_addr',
  consumer: 'remote_user',
  hostport: 'http_host',
  ip: 'binary_remote_addr',
  ip_address: 'binary_remote_addr',
  method: 'request_method',
  path: 'uri',
  port: 'server_port',
  protocol: 'server_protocol',
  query: 'args',
  query_params: 'args',
  real_ip: 'binary_remote_addr',
  remote_address: 'remote_addr',
  remote_host: 'remote_addr',
  remote_ip: 'binary_remote_addr',
  request_host: 'host',
  request_path: 'uri',
  request_url: 'request_uri',
  requestor_ip: 'binary_remote_addr',
  source_address: 'binary_remote_addr',
  source_ip: 'binary_remote_addr',
  url: 'request_uri',
  user: 'remote_user',
  username: 'remote_user',
}

/** Headers that are often written without `http_`. */
const HEADERS = [
  'accept',
  'accept_encoding',
  'accept_language',
  'authorization',
  'cf_connecting_ip',
  'cookie',
  'forwarded',
  'origin',
  'referer',
  'true_client_ip',
  'user_agent',
] as const

/** Prefixes of other systems, and those of nginx. */
const OTHER_PREFIXES: Readonly<Record<string, string>> = {
  argument_: 'arg_',
  header_: 'http_',
  headers_: 'http_',
  param_: 'arg_',
  params_: 'arg_',
  query_: 'arg_',
  query_param_: 'arg_',
  req_header_: 'http_',
  request_header_: 'http_',
  resp_header_: 'sent_http_',
  response_header_: 'sent_http_',
}

/** The names that a suggestion may choose from. */
type SuggestionCandidates = { readonly names: readonly string[]; readonly prefixes: readonly string[] }

/** The variable that an unknown, lower-cased name most likely means, or undefined where that is uncertain. */
export function suggestVariable(name: string, { names, prefixes }: SuggestionCandidates): string | undefined {
  const available = (found: string | undefined): string | undefined =>
    found !== undefined && (names.includes(found) || prefixes.some((prefix) => found.startsWith(prefix)))
      ? found
      : undefined
  return (
    available(trimmed(name)) ??
    names.find((candidate) => squeezed(candidate) === squeezed(name)) ??
    available(otherWord(name)) ??
    available(header(name)) ??
    available(otherPrefix(name, prefixes)) ??
    nearest(name, names)
  )
}

/** Without underscores, which are easily missed: `remoteaddr` and `remote__addr` are `remote_addr`. */
const squeezed = (name: string): string => name.replaceAll('_', '')

/** `$host_$uri` contains a variable `host_`. */
const trimmed = (name: string): string | undefined =>
  /^_|_$/.test(name) ? withoutEnd(name.replace(/^_+/, ''), '_') : undefined

function otherWord(name: string): string | undefined {
  const word = Object.keys(OTHER_WORDS).find((candidate) => squeezed(candidate) === squeezed(name))
  return word === undefined ? undefined : OTHER_WORDS[word]
}

function header(name: string): string | undefined {
  if (name.startsWith('x_') && name.length > 2) return `http_${name}`
  const known = HEADERS.find((candidate) => squeezed(candidate) === squeezed(name))
  return known === undefined ? forwarded(name) : `http_${known}`
}

/** Headers that are often written in camel case, as in `$xForwardedFor`: without underscores the words cannot be separated. */
const RUN_TOGETHER = [
  'x_forwarded_for',
  'x_forwarded_host',
  'x_real_ip',
  'x_api_key',
  'x_request_id',
  'x_user_id',
] as const

function forwarded(name: string): string | undefined {
  const bare = squeezed(name).replace(/^http/, '')
  const found = RUN_TOGETHER.find((candidate) => squeezed(candidate) === bare)
  return found === undefined ? undefined : `http_${found}`
}

/** `header_x_api_key` and `htpp_x_api_key` are `http_x_api_key`. */
function otherPrefix(name: string, prefixes: readonly string[]): string | undefined {
  const written = Object.keys(OTHER_PREFIXES).find((prefix) => name.startsWith(prefix) && name.length > prefix.length)
  if (written !== undefined) return `${OTHER_PREFIXES[written]}${name.slice(written.length)}`
  for (const { index } of name.matchAll(/_(?=.)/g)) {
    const near = index > 2 ? nearest(name.slice(0, index + 1), prefixes) : undefined
    if (near !== undefined) return `${near}${name.slice(index + 1)}`
  }
  return undefined
}
