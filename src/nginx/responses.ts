/**
 * What clients and the error log get when nginx delays or rejects a request. Source: nginx, limit_req_status and
 * limit_req_log_level, measured on 1.22.1 and 1.31.3.
 */

import { isOlder } from './version.ts'

/** What is unexpected about rejecting with a code. */
export type CodeEffect =
  /** No response at all: the client sees a closed connection. */
  | { readonly kind: 'closes-connection' }
  /** The client gets 400 with a page about another error. */
  | { readonly kind: 'becomes-400'; readonly page: string }
  /** The status line has no reason phrase. The response has no body, or a wrong one: then `page` is its title. */
  | { readonly kind: 'no-reason'; readonly page: string | undefined }

/** Codes for which nginx closes the connection without a response: 408 is its code for a timeout, 444 the one for closing. */
const CLOSING: ReadonlySet<number> = new Set([408, 444, 499])

/** nginx's own codes for invalid requests, and the titles of their pages. */
const PAGES_OF_400: ReadonlyMap<number, string> = new Map([
  [494, '400 Request Header Or Cookie Too Large'],
  [495, '400 The SSL certificate error'],
  [496, '400 No required SSL certificate was sent'],
  [497, '400 The plain HTTP request was sent to HTTPS port'],
])

/** Codes from 400 to 599 with a reason phrase and a page of their own. */
const ORDINARY: ReadonlySet<number> = new Set([
  400, 401, 402, 403, 404, 405, 406, 409, 410, 411, 412, 413, 414, 415, 416, 421, 429, 500, 501, 502, 503, 504, 505,
  507,
])

/** The first version with a reason phrase and a page for 407. */
const PROXY_AUTHENTICATION_SINCE = '1.31.0'

/** The unexpected effect of rejecting with a code from 400 to 599; undefined where there is none, and for other numbers. */
export function codeEffect(code: number, nginxVersion: string): CodeEffect | undefined {
  if (!Number.isInteger(code) || code < 400 || code > 599 || ORDINARY.has(code)) return undefined
  if (CLOSING.has(code)) return { kind: 'closes-connection' }
  const page = PAGES_OF_400.get(code)
  if (page !== undefined) return { kind: 'becomes-400', page }
  if (code === 407 && !isOlder(nginxVersion, PROXY_AUTHENTICATION_SINCE)) return undefined
  return { kind: 'no-reason', page: code === 498 ? '404 Not Found' : undefined }
}

/** Reason phrases of the statuses of errors. Source: RFC 9110, RFC 6585, RFC 4918, RFC 2817; IANA, HTTP status codes. */
const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  407: 'Proxy Authentication Required',
  409: 'Conflict',
  410: 'Gone',
  411: 'Length Required',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  416: 'Range Not Satisfiable',
  417: 'Expectation Failed',
  421: 'Misdirected Request',
  422: 'Unprocessable Content',
  423: 'Locked',
  424: 'Failed Dependency',
  425: 'Too Early',
  426: 'Upgrade Required',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  451: 'Unavailable For Legal Reasons',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  505: 'HTTP Version Not Supported',
  506: 'Variant Also Negotiates',
  507: 'Insufficient Storage',
  508: 'Loop Detected',
  511: 'Network Authentication Required',
}

/** The reason phrase of a status; undefined for a number that has none. */
export const reasonOf = (code: number): string | undefined => REASONS[code]

const GRPC_STATUSES: ReadonlyMap<number, string> = new Map([
  [400, 'INTERNAL'],
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'UNIMPLEMENTED'],
  [429, 'UNAVAILABLE'],
  [502, 'UNAVAILABLE'],
  [503, 'UNAVAILABLE'],
  [504, 'UNAVAILABLE'],
])

/** The gRPC status that a client derives from the HTTP status of a response without one. Source: gRPC, "HTTP to gRPC Status Code Mapping". */
export const grpcStatusOf = (code: number): string => GRPC_STATUSES.get(code) ?? 'UNKNOWN'

/** The values of `limit_req_log_level`, from the least to the most severe. */
export const LOG_LEVELS = ['info', 'notice', 'warn', 'error'] as const
/** A value of `limit_req_log_level`. */
export type LogLevel = (typeof LOG_LEVELS)[number]

/** The level at which delayed requests are logged, by that of rejected requests: one less severe; `info` stays `info`. */
export const DELAY_LEVEL: Readonly<Record<LogLevel, LogLevel>> = {
  error: 'warn',
  warn: 'notice',
  notice: 'info',
  info: 'info',
}
