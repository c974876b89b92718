/** Errors of the API server's client, described in one line. */
import { describeFileError } from '../../text/system-error.ts'

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** The HTTP status of a failure, where it has one. */
export function statusOf(error: unknown): number | undefined {
  if (!isRecord(error)) return undefined
  const status = error.statusCode ?? error.code
  // A DOMException has a small number as its code.
  return typeof status === 'number' && status >= 100 ? status : undefined
}

/** True where the API server did not respond in time. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof Error && (TIMEOUTS.has(error.name) || isTimeout(error.cause))

const TIMEOUTS: ReadonlySet<string> = new Set([
  'TimeoutError',
  'ConnectTimeoutError',
  'HeadersTimeoutError',
  'BodyTimeoutError',
])

/** The reason of a failure in one line, without what the API server writes about objects. */
export function reasonOf(error: unknown): string {
  const status = statusOf(error)
  if (status !== undefined) return `the API server answers ${status}`
  if (isTimeout(error)) return 'the API server does not answer'
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return describeFileError(cause)
}
