/** Reads the header `Authorization`: total, whatever it holds. */
import type { IncomingMessage } from 'node:http'

/** What a request sends. */
export type Credentials =
  | { readonly scheme: 'basic'; readonly user: string; readonly password: string }
  | { readonly scheme: 'bearer'; readonly token: string }
  /** Nothing, or nothing that can be read; `problem` says what to send. */
  | { readonly scheme: 'none'; readonly problem: string }

const none = (problem: string): Credentials => ({ scheme: 'none', problem })

/** Reads the credentials of a request. Source: RFC 7617 (Basic, in UTF-8) and RFC 6750 (Bearer). */
export function readCredentials({ headersDistinct }: Pick<IncomingMessage, 'headersDistinct'>): Credentials {
  const [header, ...others] = headersDistinct.authorization ?? []
  if (header === undefined) return none('send a user with a password, or a token')
  if (others.length > 0) return none('send one Authorization header')
  const [, scheme = '', value = ''] = /^([A-Za-z]+) +(\S+)$/.exec(header) ?? []
  if (scheme.toLowerCase() === 'bearer') return { scheme: 'bearer', token: value }
  if (scheme.toLowerCase() !== 'basic') return none('Authorization must be Basic with a user, or Bearer with a token')
  const text = decoded(value)
  if (text === undefined) return none('the value behind Basic must be base64 of text in UTF-8')
  const colon = text.indexOf(':')
  if (colon < 0) return none('there must be a colon between user and password')
  return { scheme: 'basic', user: text.slice(0, colon), password: text.slice(colon + 1) }
}

function decoded(base64: string): string | undefined {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(base64, 'base64'))
  } catch {
    return undefined
  }
}
