/**
 * The name of the header of the correlation id: what is wrong with it, for the API and for lint. nginx drops request headers
 * with other characters than letters, digits and hyphens; source: nginx, ignore_invalid_headers.
 */
import { HTTP_HEADER_NAME } from './fields.ts'

/** Characters of a name, which becomes a part of the name of a variable. */
export const LONGEST_HEADER = HTTP_HEADER_NAME.maxLength

/** A token of RFC 9110. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const ACCEPTED = /^[A-Za-z0-9-]+$/

/** Headers that frame a message, or that nginx itself sets. */
const RESERVED =
  /^(?:host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|content-.*|date|server|location|etag|last-modified|cache-control|expires|link|vary|accept-.*|set-cookie|cookie|authorization|www-authenticate|expect|range|if-.*|x-real-ip|x-forwarded-.*|grpc-.*|x-accel-.*)$/i

/** `invalid`: no header at all; `dropped`: by nginx; `long`; `reserved`: it has a meaning of its own. */
export type HeaderProblem = 'invalid' | 'dropped' | 'long' | 'reserved'

/** What is wrong with a name; undefined for nothing. */
export function headerProblem(name: string): HeaderProblem | undefined {
  if (!TOKEN.test(name)) return 'invalid'
  if (!ACCEPTED.test(name)) return 'dropped'
  if (name.length > LONGEST_HEADER) return 'long'
  return RESERVED.test(name) ? 'reserved' : undefined
}
