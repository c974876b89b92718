/** Operations on the session of a person at the page: sign in, ask who one is, sign out. */
import { HttpError } from '../../http/http-error.ts'
import { challengeOf, UNKNOWN_USER } from './access/authenticate.ts'
import { checkToken, type Session } from './access/sessions.ts'
import { refused } from './call.ts'
import type { HandlerOptions, Planner } from './planner.ts'

/** Plans them. */
export function createSignIn({ passwords, sessions, log }: HandlerOptions): Readonly<Record<string, Planner>> {
  return {
    async createSession({ body, bodyErrors, address, headers }) {
      if (bodyErrors.length > 0) throw refused(bodyErrors)
      const user = await passwords.check({ user: String(body.user), password: String(body.password), address })
      if (!user)
        throw new HttpError(401, UNKNOWN_USER, {
          headers: { 'www-authenticate': challengeOf(headers) },
        })
      // A browser that signs in again has one session.
      sessions.end(headers)
      const { session, cookie } = sessions.begin(user)
      log.info({ user: user.name, address }, 'signed in')
      return { reply: { status: 200, headers: { 'set-cookie': cookie }, body: shown(session) } }
    },
    async readSession({ headers }) {
      const session = await sessions.find(headers, false)
      // No error: browsers would write one into the console of everybody who opens the page.
      return { reply: session ? { status: 200, body: shown(session) } : { status: 204 } }
    },
    async deleteSession({ headers, address }) {
      const session = await sessions.find(headers, false)
      if (session) {
        checkToken('DELETE', headers, session)
        log.info({ user: session.user.name, address }, 'signed out')
      }
      return { reply: { status: 204, headers: { 'set-cookie': sessions.end(headers) } } }
    },
  }
}

const shown = ({ user, csrf, expires }: Session) => ({
  user: user.name,
  roles: user.roles,
  mustChangePassword: user.mustChangePassword,
  csrf,
  expires: new Date(expires).toISOString(),
})
