/** Keys that a client can vary at will, and how. */
import type { KeyPart } from '../../limits/key.ts'
import { clientControlled } from '../../nginx/key.ts'
import { type ClientSource, lookUpVariable, type VariablePlatform } from '../../nginx/variables.ts'

/** Variables that tell one client from another, so that a key with them limits each client whatever else stands in it. */
const NAMES_A_CLIENT =
  /^(?:binary_remote_addr|remote_addr|realip_remote_addr|proxy_protocol_addr|remote_user|http_authorization|ssl_client_(?!verify|v_)\w+|jwt_\w+|oidc_\w+|session_log_\w+)$/

/**
 * Variables with a value that the client writes, by which people limit all the same: a budget for each resource, host
 * or method. Whoever varies them asks for something else.
 */
const NAMES_A_RESOURCE =
  /^(?:uri|document_uri|request_filename|fastcgi_script_name|fastcgi_path_info|request_method|ssl_server_name)$/

const MEANS: Readonly<Record<ClientSource, string>> = {
  url: 'adding "?x=1" to the URL',
  header: 'sending another header',
  method: 'using another method',
  connection: 'opening another connection',
  handshake: 'greeting otherwise when TLS starts',
  token: 'sending another token',
}

/** How a client can vary a key. */
export type Varied = {
  /** Without `$`. */
  readonly variable: string
  readonly means: string
  /** What mends it: `query`, `host` and `address` have a variable in their place that cannot be varied. */
  readonly remedy: 'varies' | 'query' | 'host' | 'address'
}

/** The first part of a key by which a client escapes its limit; undefined where it cannot, and where nobody can tell. */
export function variedBy(parts: readonly KeyPart[], platform: VariablePlatform): Varied | undefined {
  if (parts.some((part) => mayNameClient(part, platform))) return undefined
  const varied = clientControlled(parts, platform).filter(({ name }) => !NAMES_A_RESOURCE.test(name))
  const { name, facts } = varied.find((one) => one.name !== 'http_host') ?? varied[0] ?? {}
  if (name === undefined || !facts?.client) return undefined
  return {
    variable: name,
    means: meansOf(name) ?? MEANS[facts.client],
    remedy: INSTEAD[name] ?? (facts.client === 'connection' ? 'address' : 'varies'),
  }
}

const INSTEAD: Readonly<Record<string, Varied['remedy']>> = {
  http_host: 'host',
  proxy_add_x_forwarded_for: 'address',
  request_uri: 'query',
}

function meansOf(name: string): string | undefined {
  if (name === 'http_host') return 'adding a port to the Host header'
  if (name === 'proxy_add_x_forwarded_for') return 'sending another X-Forwarded-For header'
  if (name.startsWith('arg_')) return `changing the argument "${name.slice('arg_'.length)}"`
  if (name.startsWith('cookie_')) return `changing the cookie "${name.slice('cookie_'.length)}"`
  if (name.startsWith('http_')) return `changing the header "${name.slice('http_'.length).replaceAll('_', '-')}"`
  return undefined
}

/** Captures, and variables that configuration defines, can hold anything. */
function mayNameClient(part: KeyPart, platform: VariablePlatform): boolean {
  if (part.type === 'text') return false
  if (part.type === 'capture' || NAMES_A_CLIENT.test(part.name)) return true
  const found = lookUpVariable(part.name, platform)
  return !found.known || found.facts === undefined
}
