/** Operations on users, their roles and their passwords, and on the session of a person at the page. */
import { HttpError } from '../../http/http-error.ts'
import type { Change, User } from '../../store/store.ts'
import { challengeOf, UNKNOWN_USER } from './access/authenticate.ts'
import { passwordProblem } from './access/passwords.ts'
import { checkToken, type Session } from './access/sessions.ts'
import { type Call, pageByName, pathPart, refused, refusedAt } from './call.ts'
import { checkPreconditions } from './entity-tags.ts'
import { signsInElsewhere } from './oidc.ts'
import type { HandlerOptions, Planners } from './planner.ts'
import { MOST_TOKENS } from './tokens.ts'
import { checkName, tagOf } from './workspaces.ts'

/** Plans them. No hash of a password leaves the store. */
export function createUsers({ store, passwords, wallClock }: HandlerOptions) {
  const found = async (call: Call): Promise<User> => {
    const user = await store.user(pathPart(call, 'user'))
    if (!user) throw new HttpError(404, 'there is no such user')
    return user
  }
  return {
    async listUsers(call) {
      return { reply: await pageByName(call, { read: store.users, total: store.userTotal }, shown) }
    },
    async createUser({ body, bodyErrors }) {
      if (bodyErrors.length > 0) throw refused(bodyErrors)
      const [name, password] = [String(body.name), String(body.password)]
      checkPassword(password, name)
      if (await store.user(name)) throw new HttpError(409, 'there is a user of this name')
      const value: User = {
        name,
        roles: rolesIn(body.roles),
        passwordHash: await passwords.hash(name, password),
        mustChangePassword: body.mustChangePassword === true,
        revision: 1,
      }
      return {
        reply: { status: 201, headers: { location: `/users/${name}`, etag: tagOf(value) }, body: shown(value) },
        changes: [{ put: 'user', value, expected: undefined }],
      }
    },
    async readUser(call) {
      const user = await found(call)
      return { reply: { status: 200, headers: { etag: tagOf(user) }, body: shown(user) } }
    },
    async changeUser(call) {
      const before = local(await found(call))
      if (call.bodyErrors.length > 0) throw refused(call.bodyErrors)
      checkName(call.body.name, before.name)
      checkPreconditions(call.headers, tagOf(before))
      const value = { ...before, roles: rolesIn(call.body.roles), revision: before.revision + 1 }
      if (value.roles.join() === before.roles.join())
        return { reply: { status: 200, headers: { etag: tagOf(before) }, body: shown(before) } }
      return {
        reply: { status: 200, headers: { etag: tagOf(value) }, body: shown(value) },
        changes: [{ put: 'user', value, expected: before.revision }],
      }
    },
    async changePassword(call) {
      const before = local(await found(call))
      const { body, bodyErrors, principal, address } = call
      if (bodyErrors.length > 0) throw refused(bodyErrors)
      const { name } = before
      const isOwn = principal.name === name
      if (isOwn && body.oldPassword === undefined)
        throw refusedAt('/oldPassword', 'oldPassword is missing', 'Add the password that you have now.')
      const password = String(body.password)
      checkPassword(password, name)
      if (password === body.oldPassword)
        throw refusedAt('/password', 'the new password is the old one', 'Choose another one.')
      if (isOwn && !(await passwords.check({ user: name, password: String(body.oldPassword), address })))
        throw new HttpError(403, 'oldPassword is not your password')
      const value = {
        ...before,
        passwordHash: await passwords.hash(name, password),
        mustChangePassword: !isOwn && body.mustChangePassword === true,
        revision: before.revision + 1,
      }
      return { reply: { status: 204 }, changes: [{ put: 'user', value, expected: before.revision }] }
    },
    async deleteUser(call) {
      const user = await found(call)
      checkPreconditions(call.headers, tagOf(user))
      return { reply: { status: 204 }, changes: await removalOf(user, { store, at: wallClock() }) }
    },
  } satisfies Planners
}

/** A user goes with their tokens: a later user of the name must not have them. */
async function removalOf(
  { name, revision }: User,
  { store, at }: { readonly store: HandlerOptions['store']; readonly at: number },
): Promise<readonly Change[]> {
  const tokens = await store.tokens({ skip: 0, limit: MOST_TOKENS }, {}, name)
  return [
    ...tokens.map((token): Change => ({ remove: 'token', name: token.name, hash: token.hash, at })),
    { remove: 'user', name, expected: revision },
  ]
}

const shown = ({ name, roles, mustChangePassword, revision }: User) => ({ name, roles, mustChangePassword, revision })

const rolesIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? [...new Set(value.map(String))].sort() : []

/** A user with a password here. Throws 409. */
function local(user: User): User {
  if (!signsInElsewhere(user)) return user
  throw new HttpError(409, 'this user signs in at a provider, which has the password and the roles')
}

/** Throws 400. */
function checkPassword(password: string, user: string): void {
  const problem = passwordProblem(password, user)
  if (problem !== undefined) throw refusedAt('/password', problem, 'Choose another password.')
}

/** Plans them. */
export function createSignIn({ passwords, sessions, oidc, log }: HandlerOptions) {
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
      return { reply: { status: 200, headers: { 'set-cookie': cookie }, body: shownSession(session) } }
    },
    async readSession({ headers }) {
      const session = await sessions.find(headers, false)
      // No error: browsers would write one into the console of everybody who opens the page.
      if (!session) return { reply: { status: 204 } }
      const signOutAt = signsInElsewhere(session.user) ? oidc?.endAt() : undefined
      const body = { ...shownSession(session), ...(signOutAt === undefined ? {} : { signOutAt }) }
      return { reply: { status: 200, body } }
    },
    async deleteSession({ headers, address }) {
      const session = await sessions.find(headers, false)
      if (session) {
        checkToken('DELETE', headers, session)
        log.info({ user: session.user.name, address }, 'signed out')
      }
      return { reply: { status: 204, headers: { 'set-cookie': sessions.end(headers) } } }
    },
  } satisfies Planners
}

const shownSession = ({ user, csrf, expires }: Session) => ({
  user: user.name,
  roles: user.roles,
  mustChangePassword: user.mustChangePassword,
  csrf,
  expires: new Date(expires).toISOString(),
})
