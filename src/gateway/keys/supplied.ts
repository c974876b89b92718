/** What a request must have for the variables of a key to have a value, in words. */
import type { KeyPart } from '../../limits/key.ts'
import { cachedBy } from '../../world/cache.ts'
import { clientInputOf } from './keys.ts'

/** Words for variables that a request can lack, by the beginning of their names; the first that matches applies. */
const SUPPLIED: readonly (readonly [name: RegExp, words: string])[] = [
  [/^remote_user$/, 'a user name in the header "authorization"'],
  [/^ssl_client_(?!verify$)/, 'a client certificate'],
  [/^ssl_server_name$/, 'a server name in its TLS handshake'],
  [/^(?:ssl_|https$)/, 'TLS'],
  [/^http2$/, 'HTTP/2'],
  [/^http3$/, 'HTTP/3'],
  [/^(?:args|query_string|is_args)$/, 'a query string'],
  [/^content_(?:type|length)$/, 'a body'],
  [/^proxy_protocol_/, 'the PROXY protocol'],
  [/^geoip_/, 'an address in the GeoIP database'],
  [/^otel_/, 'a trace'],
  [/^slice_range$/, 'the directive "slice" in its location'],
  [/^acme_certificate/, 'a certificate of an ACME issuer'],
  [/^jwt_/, 'a token'],
  [/^oidc_/, 'a session of OpenID Connect'],
  [/^uid_got$/, 'the cookie of the module userid'],
]

/** What a request must have so that a part of a key is not empty; undefined where that is not known or not needed. */
export function suppliedBy(part: KeyPart): string | undefined {
  if (part.type !== 'variable') return undefined
  const input = clientInputOf(part)
  if (input) return input.name === '' ? '' : `the ${input.type} "${input.name}"`
  return SUPPLIED.find(([name]) => name.test(part.name))?.[1]
}

/** A variable whose name ends before the author meant it to. */
export type CutName = {
  /** As nginx reads it, with `$`. */
  readonly variable: string
  /** As the author probably meant it: `$http_x-api-key`. */
  readonly written: string
  readonly type: 'header' | 'argument' | 'cookie'
  /** What the request has, with hyphens. */
  readonly name: string
}

/** Headers that are whole as they are: what follows them in a key is another part of it. */
const WHOLE_HEADERS =
  /^(?:http_(?:host|cookie|authorization|referer|origin|via|user_agent|x_(?:real_ip|request_id|forwarded_\w+)))$/

/** Where words with hyphens between them end. */
const NO_NAME = /[^\w-]|-(?!\w)/

/** The variables of a key that a hyphen cuts: in `$http_x-api-key` nginx reads the header `x`. */
export const cutNames = cachedBy((parts: readonly KeyPart[]): readonly CutName[] =>
  parts.flatMap((part, index) => {
    const input = clientInputOf(part)
    const next = parts[index + 1]
    if (part.type !== 'variable' || !input || input.name === '' || next?.type !== 'text') return []
    const end = next.text.search(NO_NAME)
    const rest = end < 0 ? next.text : next.text.slice(0, end)
    if (!rest.startsWith('-') || WHOLE_HEADERS.test(part.name)) return []
    const variable = `$${part.written}`
    return [{ variable, written: `${variable}${rest}`, type: input.type, name: `${input.name}${rest}` }]
  }),
)
