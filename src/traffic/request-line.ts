/** Request lines and request targets, as nginx reads them. Source: nginx, parsing of requests; RFC 9112. */

/** The parts of a request line. */
type RequestLine = {
  readonly method: string
  /** As the client wrote it: `/a%20b?x=1`, or absolute: `http://host/a`. */
  readonly target: string
  /** `HTTP/1.1`; `HTTP/0.9` where the line has none. */
  readonly protocol: string
}

const LINE = /^([A-Z_-]+) (\S+)(?: (HTTP\/\d(?:\.\d)?))?$/

/**
 * Reads a request line; undefined for what nginx answers with 400 before it looks at any limit: `-`, the bytes of a
 * TLS handshake, spaces or control characters in the target.
 */
export function parseRequestLine(line: string): RequestLine | undefined {
  const match = LINE.exec(line)
  const [method, target] = [match?.[1], match?.[2]]
  if (method === undefined || target === undefined || !isTarget(target, method)) return undefined
  return { method, target, protocol: match?.[3] ?? 'HTTP/0.9' }
}

/** An origin form, an absolute form, or `*` for OPTIONS, without control characters. */
function isTarget(target: string, method: string): boolean {
  const isKnown = target.startsWith('/') || ABSOLUTE.test(target) || (target === '*' && method === 'OPTIONS')
  return isKnown && !hasControls(target)
}

function hasControls(target: string): boolean {
  for (let index = 0; index < target.length; index += 1) {
    const code = target.charCodeAt(index)
    if (code < 0x20 || code === 0x7f) return true
  }
  return false
}

const ABSOLUTE = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/([^/?#]*)/

/** The parts of a request target as written. */
export type Target = {
  /** The host of an absolute form. */
  readonly authority: string | undefined
  readonly path: string
  /** Behind the question mark; undefined where there is none. */
  readonly args: string | undefined
}

/** Splits a target. Like nginx it drops a fragment. */
export function splitTarget(target: string): Target {
  const absolute = ABSOLUTE.exec(target)
  const rest = absolute ? target.slice(absolute[0].length) || '/' : target
  const hash = rest.indexOf('#')
  const whole = hash < 0 ? rest : rest.slice(0, hash)
  const mark = whole.indexOf('?')
  return {
    authority: absolute?.[1],
    path: mark < 0 ? whole : whole.slice(0, mark),
    args: mark < 0 ? undefined : whole.slice(mark + 1),
  }
}

/**
 * `$uri`: escapes decoded, slashes merged, `.` and `..` resolved. One character a byte.
 * Undefined for what nginx rejects: an invalid escape, a zero byte, a path that leaves the root.
 */
export function normalizePath(path: string): string | undefined {
  if (!/%|\/\/|\/\./.test(path)) return path
  const decoded = decode(path)
  if (decoded === undefined) return undefined
  const kept: string[] = []
  const elements = decoded.split('/').slice(1)
  for (const [index, element] of elements.entries()) {
    const isLast = index === elements.length - 1
    if (element === '..' && kept.pop() === undefined) return undefined
    if (element !== '..' && element !== '.' && element !== '') kept.push(element)
    else if (isLast) kept.push('')
  }
  return `/${kept.join('/')}`
}

function decode(path: string): string | undefined {
  if (/%(?![0-9A-Fa-f]{2})|%00/.test(path)) return undefined
  return path.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** `$arg_NAME`: the first argument of that name, as written; names are compared without regard to case. */
export const argument = (args: string, name: string): string => pairValue(args.split('&'), name)

/** `$cookie_NAME`: the first cookie of that name in a `Cookie` header. */
export const cookie = (header: string, name: string): string => pairValue(header.split(/; */), name)

/** The value of the first `NAME=value` of a lower-cased name; empty where there is none. */
function pairValue(pairs: readonly string[], name: string): string {
  for (const pair of pairs) {
    const equals = pair.indexOf('=')
    if (equals === name.length && pair.slice(0, equals).toLowerCase() === name) return pair.slice(equals + 1)
  }
  return ''
}

/** `$host`: lower-cased, without port and final dot. */
export function hostOf(header: string): string {
  const end = header.startsWith('[') ? header.indexOf(']') + 1 || -1 : header.indexOf(':')
  const bare = end < 0 ? header : header.slice(0, end)
  return bare.replace(/\.$/, '').toLowerCase()
}
