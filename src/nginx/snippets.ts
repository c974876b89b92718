/** The variables that a piece of nginx configuration defines. */

/** Directives that define the variable they name last (before a block or the semicolon). */
const DEFINES_LAST = /(?:^|[;{}\s])(?:map|geo|split_clients)\s+[^;{}]*?\$(\w+)\s*\{/g
/** Directives that define the variable they name first. */
const DEFINES_FIRST =
  /(?:^|[;{}\s])(?:set|js_set|js_var|perl_set|auth_request_set|auth_jwt_claim_set|auth_jwt_header_set|otel_span_attr|encrypted_session_set|set_by_lua\w*)\s+\$(\w+)/g
/** `keyval $key $variable zone=…` */
const KEYVAL = /(?:^|[;{}\s])keyval\s+\S+\s+\$(\w+)/g
/** Named captures of regular expressions become variables too. */
const NAMED_CAPTURE = /\(\?P?<([A-Za-z_]\w*)>/g

/** Lower-cased names of the variables that a snippet defines (`map`, `geo`, `set`, `js_set`, named captures …). */
export function definedVariables(snippet: string): readonly string[] {
  const text = snippet.replace(/(^|\s)#.*$/gm, '$1')
  return [DEFINES_LAST, DEFINES_FIRST, KEYVAL, NAMED_CAPTURE].flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([, name]) => (name ?? '').toLowerCase()),
  )
}
