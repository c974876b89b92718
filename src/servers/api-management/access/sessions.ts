/** Sessions of people at the page: who signed in, until when. Kept in memory, so that a restart ends them. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { HttpError } from '../../../http/http-error.ts'
import type { User, UserReader } from '../../../store/store.ts'

/** A session, as its owner sees it. */
export type Session = {
  readonly user: User
  /** What requests that change something must send as `x-csrf-token`. */
  readonly csrf: string
  /** Milliseconds since 1970, unless it is used before. */
  readonly expires: number
}

/** The sessions of a server. */
export type Sessions = {
  /** Starts one. `cookie` is the value of `Set-Cookie`. */
  begin(user: User): { readonly session: Session; readonly cookie: string }
  /**
   * The session of the cookie of a request; undefined where there is none, or where it has ended: by time, by its owner, or
   * because the user, his roles or his password changed. `isUse` makes it last longer.
   */
  find(headers: IncomingHttpHeaders, isUse: boolean): Promise<Session | undefined>
  /** Ends it. Returns the value of `Set-Cookie` that removes the cookie. */
  end(headers: IncomingHttpHeaders): string
  count(): number
}

/** Milliseconds without a use, and from the start, after which a session has ended. */
const IDLE = 30 * 60_000
const LONGEST = 12 * 60 * 60_000

/** Sessions that are kept; the one that was used longest ago makes place. */
const MOST_SESSIONS = 10_000

type Entry = {
  readonly name: string
  /** Of the user then: any change of the user ends the session. */
  readonly revision: number
  readonly passwordHash: string
  readonly csrf: string
  readonly begun: number
  used: number
}

const HEADER = 'x-csrf-token'

type Options = {
  readonly store: UserReader
  /** False where the server speaks plain HTTP: browsers take the prefix `__Host-` over TLS only. */
  readonly isEncrypted: boolean
  /** Milliseconds since 1970. */
  wallClock(): number
}

/**
 * Creates them. Of a cookie only the hash is kept. Source: RFC 6265bis (cookies) and the OWASP cheat sheets "Session
 * Management" and "Cross-Site Request Forgery Prevention".
 */
export function createSessions({ store, isEncrypted, wallClock }: Options): Sessions {
  const name = isEncrypted ? '__Host-sluice-session' : 'sluice-session'
  const attributes = 'Path=/; HttpOnly; Secure; SameSite=Strict'
  const entries = new Map<string, Entry>()
  const expiryOf = ({ begun, used }: Entry) => Math.min(used + IDLE, begun + LONGEST)
  return {
    begin(user) {
      const token = randomText()
      const now = wallClock()
      const { name: owner, revision, passwordHash } = user
      const entry = { name: owner, revision, passwordHash, csrf: randomText(), begun: now, used: now }
      const [oldest = ''] = entries.keys()
      if (entries.size >= MOST_SESSIONS) entries.delete(oldest)
      entries.set(hashOf(token), entry)
      return {
        session: { user, csrf: entry.csrf, expires: expiryOf(entry) },
        cookie: `${name}=${token}; Max-Age=${LONGEST / 1000}; ${attributes}`,
      }
    },
    async find(headers, isUse) {
      const key = keyIn(headers, name)
      const entry = key === undefined ? undefined : entries.get(key)
      if (key === undefined || !entry) return undefined
      const user = await store.user(entry.name)
      const isSame = user?.revision === entry.revision && user.passwordHash === entry.passwordHash
      if (!user || !isSame || wallClock() >= expiryOf(entry)) {
        entries.delete(key)
        return undefined
      }
      // It may have been ended while the user was read.
      if (isUse && entries.delete(key)) {
        entry.used = wallClock()
        entries.set(key, entry)
      }
      return { user, csrf: entry.csrf, expires: expiryOf(entry) }
    },
    end(headers) {
      const key = keyIn(headers, name)
      if (key !== undefined) entries.delete(key)
      return `${name}=; Max-Age=0; ${attributes}`
    },
    count: () => entries.size,
  }
}

/** 256 bits. */
const randomText = (): string => randomBytes(32).toString('base64url')

const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64')

/** The cookie of this name. A name that is there twice is not believed. */
export function cookieIn({ cookie = '' }: IncomingHttpHeaders, name: string): string | undefined {
  const values = cookie
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
  const [first] = values
  return first === undefined || values.length > 1 ? undefined : first.slice(name.length + 1)
}

/** The hash of that cookie. */
const keyIn = (headers: IncomingHttpHeaders, name: string): string | undefined => {
  const value = cookieIn(headers, name)
  return value === undefined ? undefined : hashOf(value)
}

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Refuses what the page of another site makes a browser send. Throws 403. Source: Fetch Metadata, `Sec-Fetch-Site`. */
export function checkOrigin(method: string | undefined, headers: IncomingHttpHeaders): void {
  const site = headers['sec-fetch-site']
  if (SAFE.has(method ?? '') || site === undefined || site === 'same-origin' || site === 'none') return
  throw new HttpError(403, 'pages of other sites change nothing here')
}

/** Refuses a change with the cookie alone, which another page might cause. Throws 403. */
export function checkToken(method: string | undefined, headers: IncomingHttpHeaders, { csrf }: Session): void {
  if (SAFE.has(method ?? '')) return
  const sent = Buffer.from(String(headers[HEADER] ?? ''))
  const expected = Buffer.from(csrf)
  if (sent.length === expected.length && timingSafeEqual(sent, expected)) return
  throw new HttpError(403, `the header ${HEADER} must have the value "csrf" of GET /session`)
}
