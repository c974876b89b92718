/**
 * Tokens of this server for programs: `sluice_SERVER_SECRET`. The prefix is for scanners of secrets, SERVER (8 hexadecimal
 * digits) tells servers apart, SECRET has 256 random bits. Only a hash is kept: what is as long as a key needs no slow one.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { Store } from '../../../store/store.ts'
import { type TokenCheck, TokenError } from './access.ts'
import { tokenPrincipal } from './roles.ts'

const PREFIX = 'sluice_'
const FORM = /^sluice_([0-9a-f]{8})_[A-Za-z0-9_-]{43}$/

/** Milliseconds between two times that the use of a token is written. */
const NOTED_EVERY = 60 * 60_000

/** True for what is meant as a token of a server of this kind. */
export const isMachineSecret = (token: string): boolean => token.startsWith(PREFIX)

/** A new secret for a server with this id. */
export const newMachineSecret = (serverId: string): string =>
  `${PREFIX}${serverId}_${randomBytes(32).toString('base64url')}`

/** What is kept of a secret. */
export const hashOfSecret = (secret: string): string => createHash('sha256').update(secret).digest('base64url')

type Options = {
  readonly store: Pick<Store, 'serverId' | 'tokenByHash' | 'isRevoked' | 'user' | 'commit'>
  /** Milliseconds since 1970. */
  wallClock(): number
}

/**
 * Creates the check. A token may what its maker may now, and no more than its roles. Whoever has no right secret learns
 * nothing but that the server is another one.
 */
export function createMachineTokenCheck({ store, wallClock }: Options): TokenCheck {
  /** By hash: when a use was last written, or could not be. */
  const noted = new Map<string, number>()
  const note = (hash: string, lastUsed = Number.NEGATIVE_INFINITY) => {
    const now = wallClock()
    if (now - Math.max(lastUsed, noted.get(hash) ?? Number.NEGATIVE_INFINITY) < NOTED_EVERY) return
    noted.set(hash, now)
    // Without a disk that can be written, tokens are still good.
    store.commit([{ used: hash, at: now }]).catch(() => {})
  }
  return async (secret) => {
    const [, server] = FORM.exec(secret) ?? []
    if (server === undefined) throw new TokenError('the token is not whole')
    if (server !== (await store.serverId())) throw new TokenError('the token is of another server')
    const hash = hashOfSecret(secret)
    const token = await store.tokenByHash(hash)
    if (!token) {
      noted.delete(hash)
      throw new TokenError((await store.isRevoked(hash)) ? 'the token was revoked' : 'there is no such token')
    }
    if (token.expires <= wallClock()) throw new TokenError('the token has expired')
    const maker = await store.user(token.createdBy)
    if (!maker) throw new TokenError('the token was revoked')
    note(hash, token.lastUsed)
    return tokenPrincipal(token, maker)
  }
}
