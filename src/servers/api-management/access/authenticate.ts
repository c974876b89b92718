/** Finds out who sends a request: by HTTP Basic, or by a token. */
import type { IncomingMessage } from 'node:http'
import { HttpError } from '../../../http/http-error.ts'
import type { Access, Principal } from './access.ts'
import { readCredentials } from './credentials.ts'
import type { PasswordCheck } from './password-check.ts'
import { principalOf } from './roles.ts'

/** Finds out who has a token. Throws {@link TokenError}; `HttpError` 503 where the keys cannot be had now. */
export type TokenCheck = (token: string) => Promise<Principal>

/** A token is not accepted. The message says why, without what is in it. */
export class TokenError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'TokenError'
  }
}

const BASIC = 'Basic realm="sluice", charset="UTF-8"'
const BEARER = 'Bearer realm="sluice"'

/** Creates the authentication. `tokens` is undefined where there are none. */
export function createAccess({
  passwords,
  tokens,
}: {
  readonly passwords: PasswordCheck
  readonly tokens: TokenCheck | undefined
}): Access {
  const unauthorized = (message: string, error = '') =>
    new HttpError(401, message, {
      headers: { 'www-authenticate': tokens ? [BASIC, `${BEARER}${error}`] : [BASIC] },
    })
  const byToken = async (token: string): Promise<Principal> => {
    if (!tokens) throw unauthorized('this server takes no tokens: send a user with a password')
    try {
      return await tokens(token)
    } catch (error) {
      if (!(error instanceof TokenError)) throw error
      throw unauthorized(error.message, `, error="invalid_token", error_description="${error.message}"`)
    }
  }
  return {
    async authenticate(request) {
      const sent = readCredentials(request)
      if (sent.scheme === 'none') throw unauthorized(sent.problem)
      if (sent.scheme === 'bearer') return await byToken(sent.token)
      const user = await passwords.check({ ...sent, address: addressOf(request) })
      if (!user) throw unauthorized('there is no such user with this password')
      return principalOf(user.name, user.roles, user.mustChangePassword)
    },
  }
}

/** Where a request comes from. Headers such as X-Forwarded-For are not used: anybody can send them. */
export const addressOf = ({ socket }: Pick<IncomingMessage, 'socket'>): string => socket.remoteAddress ?? ''
