/** What nginx really answers with a status code. Source: nginx `limit_req_status`, measured on 1.22.1 and 1.31.3. */

import { isOlder } from './version.ts'

/** What is unexpected about rejecting with a code. */
export type CodeEffect =
  /** No answer at all: the client sees a broken connection. */
  | { readonly kind: 'closes-connection' }
  /** The client gets 400 with a page about something else. */
  | { readonly kind: 'becomes-400'; readonly page: string }
  /** The status line has no reason phrase and the answer no body; `page` where it has a body after all, a wrong one. */
  | { readonly kind: 'no-reason'; readonly page: string | undefined }

/** Codes after which nginx just closes the connection; the first two of them take it for a timeout or an order to. */
const CLOSING: ReadonlySet<number> = new Set([408, 444, 499])

/** nginx's own codes for broken requests, and the title of the page that goes with them. */
const PAGES_OF_400: ReadonlyMap<number, string> = new Map([
  [494, '400 Request Header Or Cookie Too Large'],
  [495, '400 The SSL certificate error'],
  [496, '400 No required SSL certificate was sent'],
  [497, '400 The plain HTTP request was sent to HTTPS port'],
])

/** Codes from 400 to 599 that come with a reason phrase and a page. */
const ORDINARY: ReadonlySet<number> = new Set([
  400, 401, 402, 403, 404, 405, 406, 409, 410, 411, 412, 413, 414, 415, 416, 421, 429, 500, 501, 502, 503, 504, 505,
  507,
])

/** The first version that has a phrase and a page for 407. */
const PROXY_AUTHENTICATION_SINCE = '1.31.0'

/** What rejecting with a code from 400 to 599 does beyond sending it; undefined where nothing, or for other numbers. */
export function codeEffect(code: number, nginxVersion: string): CodeEffect | undefined {
  if (!Number.isInteger(code) || code < 400 || code > 599 || ORDINARY.has(code)) return undefined
  if (CLOSING.has(code)) return { kind: 'closes-connection' }
  const page = PAGES_OF_400.get(code)
  if (page !== undefined) return { kind: 'becomes-400', page }
  if (code === 407 && !isOlder(nginxVersion, PROXY_AUTHENTICATION_SINCE)) return undefined
  return { kind: 'no-reason', page: code === 498 ? '404 Not Found' : undefined }
}

// MERGED grpc-status.ts: What a gRPC client makes of an answer that is none of gRPC. Source: gRPC, "HTTP to gRPC Status Code Mapping".
const STATUSES: ReadonlyMap<number, string> = new Map([
  [400, 'INTERNAL'],
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'UNIMPLEMENTED'],
  [429, 'UNAVAILABLE'],
  [502, 'UNAVAILABLE'],
  [503, 'UNAVAILABLE'],
  [504, 'UNAVAILABLE'],
])

/** The gRPC status that clients derive from an HTTP status. */
export const grpcStatusOf = (code: number): string => STATUSES.get(code) ?? 'UNKNOWN'

// MERGED records.ts: What nginx writes into its error log about limits. Source: nginx `limit_req_log_level`, measured.
/** The levels that `limit_req_log_level` takes, from the quietest to the loudest. */
export const RECORD_LEVELS = ['info', 'notice', 'warn', 'error'] as const
export type RecordLevel = (typeof RECORD_LEVELS)[number]

/** The level of records about delayed requests: one below that of rejected ones; info stays. */
export const DELAY_LEVEL: Readonly<Record<RecordLevel, RecordLevel>> = {
  error: 'warn',
  warn: 'notice',
  notice: 'info',
  info: 'info',
}
