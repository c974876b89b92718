/**
 * Slows down whoever guesses passwords: after some wrong ones, the next one must wait, each time for longer. It counts for a
 * user at an address, and for an address; wrong passwords from many addresses only make the checks for that user less urgent.
 */
import { isIPv6 } from 'node:net'
import { HttpError } from '../../../http/http-error.ts'

type Bound = {
  /** Wrong passwords that cost no time. */
  readonly free: number
  /** Wrong passwords with those that are being checked. */
  readonly atOnce: number
}

/** For one user at one address: of many different passwords all but one are wrong. */
const PAIR: Bound = { free: 5, atOnce: 5 }

/** For one address: many users may begin their work behind it at once. */
const ADDRESS: Bound = { free: 50, atOnce: Number.POSITIVE_INFINITY }

/** Wrong passwords for one user, from anywhere, that make his checks less urgent. */
const SUSPICIOUS = 20

/** Milliseconds: the wait after the first wrong password that is not free, which doubles each time, and its bound. */
const FIRST_WAIT = 1_000
const LONGEST_WAIT = 60_000

/** Milliseconds after the last wrong password until all are forgotten. */
const FORGOTTEN = 15 * 60_000

/** Entries of each table; the one that was used longest ago makes place. */
const MOST_ENTRIES = 10_000

type Entry = { wrong: number; last: number; pending: number }

/** An attempt that may be made. */
type Attempt = {
  /** How urgent it is: 1, or 2 where many wrong passwords were sent for this user. */
  readonly rank: number
  /** Must be called once; undefined where nobody knows, as it was not checked. */
  end(wasRight: boolean | undefined): void
}

/** Decides who may try a password now. */
export type Guessing = {
  /** Throws 429 with the time to wait, which says nothing of whether there is such a user. */
  begin(user: string, address: string): Attempt
}

/** Creates an empty one. `now` is in milliseconds, of any clock that does not go back. */
export function createGuessing(now: () => number): Guessing {
  const pairs = createTable(now)
  const addresses = createTable(now)
  const users = createTable(now)
  return {
    begin(user, address) {
      const network = networkOf(address)
      const pairKey = JSON.stringify([user, network])
      const wait = Math.max(waitOf(pairs.peek(pairKey), PAIR, now()), waitOf(addresses.peek(network), ADDRESS, now()))
      if (wait > 0)
        throw new HttpError(429, 'too many wrong passwords: wait before the next one', {
          retryAfter: Math.ceil(wait / 1000),
        })
      const entries = [pairs.use(pairKey), addresses.use(network), users.use(user)] as const
      for (const entry of entries) entry.pending += 1
      const [pair, , ofUser] = entries
      return {
        rank: ofUser.wrong < SUSPICIOUS ? 1 : 2,
        end(wasRight) {
          for (const entry of entries) {
            entry.pending -= 1
            if (wasRight === false) {
              entry.wrong += 1
              entry.last = now()
            }
          }
          // An address stays suspicious: its guesser may have an account of his own.
          if (wasRight === true) pair.wrong = 0
        },
      }
    },
  }
}

/** Milliseconds to wait. Where nothing is free any more, attempts are made one after the other. */
function waitOf(entry: Entry | undefined, { free, atOnce }: Bound, now: number): number {
  if (!entry) return 0
  const { wrong, pending, last } = entry
  if (pending > 0 && (wrong >= free || wrong + pending >= atOnce)) return FIRST_WAIT
  if (wrong < free) return 0
  return last + Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** (wrong - free)) - now
}

/** A table that forgets. */
function createTable(now: () => number) {
  const entries = new Map<string, Entry>()
  const peek = (key: string): Entry | undefined => {
    const entry = entries.get(key)
    if (entry && entry.pending === 0 && now() - entry.last >= FORGOTTEN) {
      entries.delete(key)
      return undefined
    }
    return entry
  }
  return {
    peek,
    use(key: string): Entry {
      const entry = peek(key) ?? { wrong: 0, last: now(), pending: 0 }
      entries.delete(key)
      entries.set(key, entry)
      const [oldest = key] = entries.keys()
      if (entries.size > MOST_ENTRIES) entries.delete(oldest)
      return entry
    },
  }
}

/** The address; of IPv6 the first 64 bits, as one client has all addresses of such a network. */
function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const [plain = ''] = address.split('%')
  if (!isIPv6(plain)) return address
  const [head = '', tail] = plain.toLowerCase().split('::')
  const groups = head === '' ? [] : head.split(':')
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length)
  const all = [...groups, ...Array.from({ length: missing }, () => '0'), ...(tail ? tail.split(':') : [])]
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
