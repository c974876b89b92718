/** What a log says of nginx's variables: as written, or worked out from others. Source: nginx, embedded variables. */
import type { Row } from './line-reader.ts'
import { argument, cookie, hostOf, normalizePath, parseRequestLine, splitTarget } from './request-line.ts'

/** The value of a variable for one request; empty where it has none. */
export type Getter<Value = string> = (row: Row) => Value

/** The variables that a log writes. */
export type Columns = {
  has(name: string): boolean
  /** The place of a variable in the rows; asking for it has the rows carry it. */
  slot(name: string): number
}

/** Finds the getter of a variable; undefined for one that the log cannot know. Names are lower-cased, without `$`. */
export type Variables = (name: string) => Getter | undefined

/** Works a variable out of others; undefined where those are not known. */
type Derivation = (of: Variables) => Getter | undefined

const map =
  (name: string, change: (value: string) => string): Derivation =>
  (of) => {
    const inner = of(name)
    if (!inner) return undefined
    const once = remember(change)
    return (row) => once(inner(row))
  }

/** Neighbouring lines often share a value: the last answer is kept. */
function remember(change: (value: string) => string): (value: string) => string {
  let last = ''
  let answer = change('')
  return (value) => {
    if (value !== last) {
      last = value
      answer = change(value)
    }
    return answer
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

/** `$request_uri` of a log that writes the path and the arguments only; what nginx decoded stays so. */
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
  is_args: map('args', (args) => (args === '' ? '' : '?')),
  query_string: map('args', String),
  request: joined,
  request_method: map('request', (line) => lineOf(line)?.method ?? ''),
  request_uri: firstOf(
    map('request', (line) => origin(lineOf(line)?.target ?? '')),
    fromPath,
  ),
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
 * The variables of a log. `constants` are values that the user gives, and win over the log (`--set`, `--host`).
 */
export function createVariables(columns: Columns, constants: ReadonlyMap<string, string>): Variables {
  const known = new Map<string, Getter | undefined>()
  const of: Variables = (name) => {
    if (known.has(name)) return known.get(name)
    known.set(name, undefined)
    const getter = constantGetter(constants.get(name)) ?? columnGetter(columns, name) ?? derivation(name)?.(of)
    if (getter) known.set(name, getter)
    else known.delete(name)
    return getter
  }
  return of
}

const constantGetter = (value: string | undefined): Getter | undefined =>
  value === undefined ? undefined : () => value

function columnGetter(columns: Columns, name: string): Getter | undefined {
  if (!columns.has(name)) return undefined
  const slot = columns.slot(name)
  return (row) => row[slot] ?? ''
}

function derivation(name: string): Derivation | undefined {
  if (Object.hasOwn(DERIVED, name)) return DERIVED[name]
  const found = PREFIXED.find(({ prefix }) => name.startsWith(prefix))
  return found?.derive(name.slice(found.prefix.length))
}
