/** Who may call the API of a mesh without a cluster. */
import { timingSafeEqual } from 'node:crypto'
import type { Access, User } from '../../http/delegated-access.ts'

/** Whoever has the token. */
const HOLDER: User = { username: 'standalone', groups: ['system:masters', 'system:authenticated'], extra: {} }

/** Without a cluster: whoever has the token may do everything, and others nothing. */
export function tokenAccess(token: string): Access {
  const expected = Buffer.from(token)
  return {
    async authenticate({ headers: { authorization } }) {
      if (authorization === undefined) return 'anonymous'
      const sent = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
      return sent !== undefined && isSame(Buffer.from(sent), expected) ? HOLDER : 'rejected'
    },
    authorize: async (user) =>
      user === HOLDER
        ? { allowed: true, reason: '' }
        : { allowed: false, reason: 'send the token of this server, as in "Authorization: Bearer TOKEN"' },
  }
}

/** The length of a token is no secret: all that are made here have the same. */
const isSame = (sent: Buffer, expected: Buffer): boolean =>
  sent.length === expected.length && timingSafeEqual(sent, expected)
