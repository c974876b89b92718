/** Operations on the tokens of programs: people make them, with no more than they may themselves, and revoke them. */
import { HttpError } from '../../http/http-error.ts'
import type { MachineToken } from '../../store/store.ts'
import type { Principal } from './access/access.ts'
import { hashOfSecret, newMachineSecret } from './access/machine-tokens.ts'
import { mayGrant } from './access/roles.ts'
import { type Call, type NamedList, pageByName, pathPart, refused, refusedAt } from './call.ts'
import type { HandlerOptions, Planners } from './planner.ts'

/** Tokens of one user. */
export const MOST_TOKENS = 1_000

const DAY = 24 * 60 * 60_000
const LONGEST_DAYS = 366

/** Plans them. */
export function createTokens({ store, wallClock }: HandlerOptions) {
  const found = async (call: Call): Promise<MachineToken> => {
    const token = await store.token(pathPart(call, 'token'))
    if (!token || !(isOf(call.principal, token) || call.principal.isAdministrator))
      throw new HttpError(404, 'there is no such token of yours')
    return token
  }
  return {
    async listTokens(call) {
      const maker = call.principal.isAdministrator ? undefined : call.principal.name
      const tokens: NamedList<MachineToken> = {
        read: (slice, list) => store.tokens(slice, list, maker),
        total: (list) => store.tokenTotal(list, maker),
      }
      return { reply: await pageByName(call, tokens, shown) }
    },
    async createToken(call) {
      const { body, bodyErrors, principal } = call
      if (bodyErrors.length > 0) throw refused(bodyErrors)
      if (!(await store.user(principal.name)))
        throw new HttpError(403, 'users of this server alone may make tokens: their roles bound those of a token')
      const name = String(body.name)
      const now = wallClock()
      const value = {
        ...{ name, roles: rolesIn(body.roles), createdBy: principal.name, createdAt: now, lastUsed: undefined },
        expires: expiryIn(String(body.expires), now),
      }
      const tooMuch = value.roles.find((role) => !mayGrant(principal, role))
      if (tooMuch !== undefined)
        throw new HttpError(403, `the role ${tooMuch} is missing: a token has no more than who makes it`)
      if (await store.token(name)) throw new HttpError(409, 'there is a token of this name')
      if ((await store.tokenTotal({}, principal.name)) >= MOST_TOKENS)
        throw new HttpError(409, `you have ${MOST_TOKENS} tokens: revoke some first`)
      const secret = newMachineSecret(await store.serverId())
      const token = { ...value, hash: hashOfSecret(secret) }
      return {
        reply: { status: 201, headers: { location: `/tokens/${name}` }, body: { ...shown(token), secret } },
        changes: [{ put: 'token', value: token }],
      }
    },
    async readToken(call) {
      return { reply: { status: 200, body: shown(await found(call)) } }
    },
    async deleteToken(call) {
      const { name, hash } = await found(call)
      return { reply: { status: 204 }, changes: [{ remove: 'token', name, hash, at: wallClock() }] }
    },
  } satisfies Planners
}

const isOf = ({ name }: Principal, { createdBy }: MachineToken): boolean => createdBy === name

const written = (at: number): string => new Date(at).toISOString()

const shown = ({ name, roles, expires, createdBy, createdAt, lastUsed }: MachineToken) => ({
  ...{ name, roles, expires: written(expires), createdBy, createdAt: written(createdAt) },
  ...(lastUsed === undefined ? {} : { lastUsed: written(lastUsed) }),
})

const rolesIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? [...new Set(value.map(String))].sort() : []

/** Source: RFC 3339. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/

/** Milliseconds since 1970. Throws 400. */
function expiryIn(text: string, now: number): number {
  const at = TIME.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at))
    throw refusedAt('/expires', 'there is no such time', 'Write a time such as "2027-01-31T12:00:00Z".')
  if (at <= now) throw refusedAt('/expires', 'this time has passed', 'Write a later one.')
  if (at <= now + LONGEST_DAYS * DAY) return at
  throw refusedAt(
    '/expires',
    `this is more than ${LONGEST_DAYS} days from now`,
    'Write an earlier time, and make another token then.',
  )
}
