/** Reads lines of JSON: the fields that nginx configurations and log collectors commonly write. */
import { fromBytes, toBytes } from './escaping.ts'
import type { LineReader } from './line-reader.ts'

/** The fields that may have the value of a variable, the best first; a dot leads into an inner object. */
export type FieldMap = Readonly<Record<string, readonly string[]>>

/** Common names of a variable's field, besides the variable's own name. Compared without regard to case. */
const COMMON_FIELDS: FieldMap = {
  args: ['query', 'query_string', 'querystring', 'url.query'],
  host: [
    'http_host',
    'vhost',
    'domain',
    'request_host',
    'authority',
    'url.domain',
    'http.host',
    'request.host',
    'server',
    'requesthost',
    'requestaddr',
    ':authority',
  ],
  http_referer: ['referer', 'referrer', 'http_referrer', 'http.request.referrer'],
  http_user_agent: [
    'user-agent',
    'request_user-agent',
    'user_agent',
    'useragent',
    'agent',
    'ua',
    'user_agent.original',
    'http.user_agent',
  ],
  http_x_forwarded_for: ['x_forwarded_for', 'x-forwarded-for', 'xff', 'forwarded_for'],
  remote_addr: [
    'remote_ip',
    'remoteip',
    'client_ip',
    'clientip',
    'client_addr',
    'client',
    'ip',
    'remote',
    'remote_address',
    'source.ip',
    'client.ip',
    'client.address',
    'source.address',
    'network.client.ip',
    'clienthost',
    'clientaddr',
  ],
  remote_user: ['user', 'user.name', 'auth_user', 'clientusername'],
  request: ['request_line', 'http.request.line'],
  request_method: [
    'method',
    'verb',
    'http_method',
    'http.request.method',
    'http.method',
    'request.method',
    'requestmethod',
  ],
  request_time: ['duration_seconds', 'request_duration', 'http.request_time'],
  request_uri: [
    'uri_raw',
    'url',
    'request_url',
    'path',
    'request_path',
    'url.original',
    'url.path',
    'http.url',
    'request.uri',
    'requestpath',
    'x-envoy-origin-path',
  ],
  scheme: ['url.scheme', 'http.scheme', 'requestscheme'],
  server_port: ['url.port', 'requestport'],
  server_protocol: ['protocol', 'http_version', 'requestprotocol'],
  start_time: ['startutc', 'startlocal'],
  status: ['status_code', 'response_code', 'http.response.status_code', 'http.status_code', 'downstreamstatus'],
  time_iso8601: ['@timestamp', 'timestamp', 'time', 'ts', 'date', 'datetime', 'time_local', 'msec', 'event.created'],
}

/** The object of a line (one character a byte), or undefined where it is not one. */
export function parseObject(line: string): object | undefined {
  if (!/^\s*\{/.test(line)) return undefined
  try {
    const value: unknown = JSON.parse(fromBytes(line))
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** The value of a field as a string; undefined where it is absent, empty, `-`, null, or not a plain value. */
export function fieldText(object: object, path: string): string | undefined {
  const value = Object.hasOwn(object, path) ? Reflect.get(object, path) : innerField(object, path)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value === 'string' && value !== '' && value !== '-' ? value : undefined
}

function innerField(object: object, path: string): unknown {
  let at: unknown = object
  for (const name of path.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined
    at = Reflect.get(at, name)
  }
  return at
}

/** A reader of the wanted variables; the value of each is in the first of its fields that a line has. */
export function createJsonReader(fields: FieldMap, wanted: readonly string[]): LineReader {
  const paths = wanted.map((name) => fields[name] ?? [])
  return (line) => {
    const object = parseObject(line)
    if (!object) return undefined
    return paths.map((candidates) => {
      for (const path of candidates) {
        const text = fieldText(object, path)
        if (text !== undefined) return toBytes(text)
      }
      return ''
    })
  }
}

/**
 * Maps variables to the fields of some lines. `named` is the mapping of the user, which takes precedence. Any other
 * field with a name that a variable could have is that variable.
 */
export function mapFields(objects: readonly object[], named: ReadonlyMap<string, string>): FieldMap {
  const present = new Set(objects.flatMap((object) => fieldPaths(object, '')))
  const byLowerCase = new Map([...present].map((path) => [path.toLowerCase(), path]))
  const fields: Record<string, readonly string[]> = {}
  for (const path of present) {
    const name = path.toLowerCase().replace(/^\$/, '')
    if (/^\w+$/.test(name)) fields[name] = [path]
  }
  for (const [name, aliases] of Object.entries(COMMON_FIELDS)) {
    const found = aliases.flatMap((alias) => byLowerCase.get(alias) ?? [])
    if (found.length > 0) fields[name] = [...(fields[name] ?? []), ...found]
  }
  for (const [name, path] of named) fields[name] = [path]
  return fields
}

const DEEPEST = 4

function fieldPaths(object: object, prefix: string): readonly string[] {
  return Object.entries(object).flatMap(([name, value]: [string, unknown]) => {
    const path = `${prefix}${name}`
    const isInner = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isInner && path.split('.').length < DEEPEST ? fieldPaths(value, `${path}.`) : [path]
  })
}
