/** Who may call the API of a mesh without a cluster. */
import { hash, timingSafeEqual } from 'node:crypto'
import type { Access, User } from '../../http/delegated-access.ts'

/** Whoever has the token. */
const HOLDER: User = { username: 'standalone', groups: ['system:masters', 'system:authenticated'], extra: {} }

/** Without a cluster: whoever has the token may do everything, and others nothing. */
export function tokenAccess(token: string): Access {
  const expected = digest(token)
  return {
    async authenticate({ headers: { authorization } }) {
      if (authorization === undefined) return 'anonymous'
      const sent = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
      return sent !== undefined && timingSafeEqual(digest(sent), expected) ? HOLDER : 'rejected'
    },
    authorize: async (user) =>
      user === HOLDER
        ? { allowed: true, reason: '' }
        : { allowed: false, reason: 'send the token of this server, as in "Authorization: Bearer TOKEN"' },
  }
}

/** Of one length, whatever is sent, as the comparison demands. */
const digest = (token: string): Buffer => hash('sha256', token, 'buffer')
