/** The values of nginx's variables in a log: as written, or derived from others. Source: nginx, embedded variables. */
import { lastForwarded, portBehind, withoutPort } from './address.ts'
import { toBytes } from './escaping.ts'
import type { LogRow } from './line-reader.ts'
import { argument, cookie, hostOf, normalizePath, parseRequestLine, splitTarget } from './request-line.ts'

/** The value of a variable for one request; empty where it has none. */
export type Getter<Value = string> = (row: LogRow) => Value

/** The variables in the lines of a log. */
export type Columns = {
  has(name: string): boolean
  /** The position of a variable in the rows; a lookup adds it to the rows. */
  slot(name: string): number
}

/** Finds the getter of a variable; undefined where the log does not have it. Names are lower-cased, without `$`. */
export type VariableGetters = (name: string) => Getter | undefined

/** Derives a variable from others; undefined where the log does not have those. */
type Derivation = (of: VariableGetters) => Getter | undefined

const map =
  (name: string, change: (value: string) => string): Derivation =>
  (of) => {
    const inner = of(name)
    if (!inner) return undefined
    const once = remember(change)
    return (row) => once(inner(row))
  }

/** Adjacent lines often share a value: the last result is kept. */
function remember(change: (value: string) => string): (value: string) => string {
  let last = ''
  let result = change('')
  return (value) => {
    if (value !== last) {
      last = value
      result = change(value)
    }
    return result
  }
}

const firstOf =
  (...derivations: readonly Derivation[]): Derivation =>
  (of) => {
    for (const derive of derivations) {
      const getter = derive(of)
      if (getter) return getter
    }
    return undefined
  }

const joined: Derivation = (of) => {
  const [method, target, protocol] = [of('request_method'), of('request_uri'), of('server_protocol')]
  if (!method || !target) return undefined
  return (row) => `${method(row)} ${target(row)} ${protocol?.(row) || 'HTTP/1.1'}`
}

/** `$request_uri` of a log that has only path and arguments; escapes that nginx decoded stay decoded. */
const fromPath: Derivation = (of) => {
  const [uri, args] = [of('uri'), of('args')]
  if (!uri) return undefined
  return (row) => (args?.(row) ? `${uri(row)}?${args(row)}` : uri(row))
}

/** A target without the host of an absolute form. */
const origin = (target: string): string => {
  const { authority, path, args } = splitTarget(target)
  return authority === undefined ? target : `${path}${args === undefined ? '' : `?${args}`}`
}

const lineOf = (line: string) => parseRequestLine(line)

const DERIVED: Readonly<Record<string, Derivation>> = {
  args: firstOf(
    map('request_uri', (target) => splitTarget(target).args ?? ''),
    map('query_string', String),
  ),
  binary_remote_addr: map('remote_addr', String),
  document_uri: map('uri', String),
  host: map('http_host', hostOf),
  http_x_forwarded_for: map('envoy_forwarded_for', String),
  is_args: map('args', (args) => (args === '' ? '' : '?')),
  query_string: map('args', String),
  remote_addr: firstOf(map('downstream_remote_address', withoutPort), map('envoy_forwarded_for', lastForwarded)),
  request: joined,
  scheme: firstOf(
    map('https', (https) => (https === 'on' ? 'https' : 'http')),
    map('ssl_protocol', (protocol) => (protocol === '' ? 'http' : 'https')),
  ),
  request_method: map('request', (line) => lineOf(line)?.method ?? ''),
  request_uri: firstOf(
    map('request', (line) => origin(lineOf(line)?.target ?? '')),
    fromPath,
  ),
  server_port: map('downstream_local_address', portBehind),
  server_protocol: map('request', (line) => lineOf(line)?.protocol ?? ''),
  uri: firstOf(
    map('request_uri', (target) => normalizePath(splitTarget(target).path) ?? ''),
    map('document_uri', String),
  ),
}

const PREFIXED: readonly { readonly prefix: string; derive(name: string): Derivation }[] = [
  { prefix: 'arg_', derive: (name) => map('args', (args) => argument(args, name)) },
  { prefix: 'cookie_', derive: (name) => map('http_cookie', (header) => cookie(header, name)) },
]

/**
 * The variables of a log. `constants` are values that the user sets (`--set`, `--host`); they replace those of the log.
 */
export function createVariables(columns: Columns, constants: ReadonlyMap<string, string>): VariableGetters {
  const known = new Map<string, Getter | undefined>()
  const of: VariableGetters = (name) => {
    if (known.has(name)) return known.get(name)
    known.set(name, undefined)
    const getter = constantGetter(constants.get(name)) ?? columnGetter(columns, name) ?? derivation(name)?.(of)
    if (getter) known.set(name, getter)
    else known.delete(name)
    return getter
  }
  return of
}

function constantGetter(value: string | undefined): Getter | undefined {
  if (value === undefined) return undefined
  const bytes = toBytes(value)
  return () => bytes
}

function columnGetter(columns: Columns, name: string): Getter | undefined {
  if (!columns.has(name)) return undefined
  const slot = columns.slot(name)
  if (name === 'remote_addr') return (row) => withoutPort(row[slot] ?? '')
  return (row) => row[slot] ?? ''
}

function derivation(name: string): Derivation | undefined {
  if (Object.hasOwn(DERIVED, name)) return DERIVED[name]
  const found = PREFIXED.find(({ prefix }) => name.startsWith(prefix))
  return found?.derive(name.slice(found.prefix.length))
}
