/** Finds out who sends a request: by HTTP Basic, by a token, or by the cookie of a session. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { HttpError } from '../../../http/http-error.ts'
import { type Access, type Principal, type TokenCheck, TokenError } from './access.ts'
import { isMachineSecret } from './machine-tokens.ts'
import type { PasswordCheck } from './password-check.ts'
import type { Refusals } from './refusals.ts'
import { principalOf } from './roles.ts'
import { checkOrigin, checkToken, type Sessions } from './sessions.ts'

/** What a browser does not answer with a window of its own: its page asks for the password. */
const SESSION = 'Session realm="sluice"'
const BASIC = 'Basic realm="sluice", charset="UTF-8"'
const BEARER = 'Bearer realm="sluice"'

/** What is said of a wrong user and of a wrong password: nobody learns which. */
export const UNKNOWN_USER = 'there is no such user with this password'

/** How to say who one is, for the page of this server in a browser and for everybody else. */
export const challengeOf = (headers: IncomingHttpHeaders): string =>
  headers['sec-fetch-dest'] === 'empty' ? SESSION : BASIC

/** What an authentication asks. */
export type AccessOptions = {
  readonly passwords: PasswordCheck
  /** Of tokens that others have signed; undefined: there are none. */
  readonly tokens: TokenCheck | undefined
  /** Of tokens of this server. */
  readonly machineTokens: TokenCheck
  readonly sessions: Pick<Sessions, 'find'>
  /** Counts tokens that are refused. */
  readonly refusals?: Pick<Refusals, 'add'>
}

/** Creates the authentication. A request with an `Authorization` header is its user's, whatever its cookie says. */
export function createAccess({ passwords, tokens, machineTokens, sessions, refusals }: AccessOptions): Access {
  const unauthorized = (message: string, basic: string) =>
    new HttpError(401, message, { headers: { 'www-authenticate': tokens ? [basic, BEARER] : [basic] } })
  const noOthers: TokenCheck = async () => {
    throw new TokenError('this server takes no tokens of others: send one of its own, or a user with a password')
  }
  const byToken = async (token: string, address: string): Promise<Principal> => {
    try {
      return await (isMachineSecret(token) ? machineTokens : (tokens ?? noOthers))(token)
    } catch (error) {
      if (!(error instanceof TokenError)) throw error
      refusals?.add('token', address)
      const { message } = error
      const bearer = `${BEARER}, error="invalid_token", error_description="${message}"`
      throw new HttpError(401, message, { headers: { 'www-authenticate': [BASIC, bearer] } })
    }
  }
  return {
    async authenticate(request, isUse) {
      const { method, headers } = request
      checkOrigin(method, headers)
      const session = headers.authorization === undefined ? await sessions.find(headers, isUse) : undefined
      if (session) {
        checkToken(method, headers, session)
        const { name, roles, mustChangePassword } = session.user
        return principalOf(name, roles, mustChangePassword)
      }
      const sent = readCredentials(request)
      if (sent.scheme === 'none') throw unauthorized(sent.problem, challengeOf(headers))
      if (sent.scheme === 'bearer') return await byToken(sent.token, addressOf(request))
      const user = await passwords.check({ ...sent, address: addressOf(request) })
      if (!user) throw unauthorized(UNKNOWN_USER, challengeOf(headers))
      return principalOf(user.name, user.roles, user.mustChangePassword)
    },
  }
}

/** Where a request comes from. Headers such as X-Forwarded-For are not used: anybody can send them. */
export const addressOf = ({ socket }: Pick<IncomingMessage, 'socket'>): string => socket.remoteAddress ?? ''

/** What a request sends. */
type Credentials =
  | { readonly scheme: 'basic'; readonly user: string; readonly password: string }
  | { readonly scheme: 'bearer'; readonly token: string }
  /** Nothing, or nothing that can be read; `problem` says what to send. */
  | { readonly scheme: 'none'; readonly problem: string }

const none = (problem: string): Credentials => ({ scheme: 'none', problem })

/** Reads the credentials of a request. Source: RFC 7617 (Basic, in UTF-8) and RFC 6750 (Bearer). */
function readCredentials({ headersDistinct }: Pick<IncomingMessage, 'headersDistinct'>): Credentials {
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
