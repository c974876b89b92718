/** Checks passwords: no load attack, no help for whoever guesses, and no hindrance for whoever has the right one. */
import { hash, randomBytes } from 'node:crypto'
import { HttpError } from '../../../http/http-error.ts'
import type { User, UserReader } from '../../../store/store.ts'
import { createGuessing } from './guessing.ts'
import { type Cost, DEFAULT_COST, hashPassword, unmatchedHash, verifyPassword } from './passwords.ts'
import type { Refusals } from './refusals.ts'

/** What passwords are checked with. */
export type PasswordCheckOptions = {
  readonly store: UserReader
  /** Milliseconds of a clock that does not go back. */
  now(): number
  readonly cost?: Cost
  /** Counts wrong passwords. */
  readonly refusals?: Pick<Refusals, 'add'>
}

/** Checks and hashes passwords. */
export type PasswordCheck = {
  /**
   * The user who has this password; undefined where there is none. `address` is where it comes from. Throws `HttpError`: 429
   * for whoever has sent too many wrong ones, 503 where too many are being checked.
   */
  check(sent: { readonly user: string; readonly password: string; readonly address: string }): Promise<User | undefined>
  /** Hashes a new password of a user, who may use it at once. Throws 503 where too many are being checked. */
  hash(user: string, password: string): Promise<string>
}

/** Milliseconds for which a result is used without another look at the hash. */
const FRESH = 5 * 60_000

/** Entries that are kept of right and of wrong credentials. */
const MOST_KEPT = 10_000

/** Hashes at once: half of the threads that Node has for such work. */
const PARALLEL = 2
const MOST_WAITING = 256

const URGENT = 0

/** Longer than any name of a user and any password: to hash more would be work for nothing. */
const LONGEST = 4096

/**
 * Creates a check.
 *
 * Credentials are remembered by a digest with a key of this process. Those that were right are never told to wait, whatever
 * others send from whatever address, until the password is changed. Those that were wrong are wrong again at no cost, so that
 * a client that repeats an old password hinders nobody.
 */
export function createPasswordCheck(options: PasswordCheckOptions): PasswordCheck {
  const { store, now, cost = DEFAULT_COST, refusals } = options
  const key = randomBytes(32).toString('base64')
  const queue = createWorkQueue({ parallel: PARALLEL, mostWaiting: MOST_WAITING, random: Math.random })
  const guessing = createGuessing(now)
  /** By user: the credentials that were right, for which hash, and when. */
  const right = new Map<string, { readonly print: string; readonly hash: string; readonly at: number }>()
  /** By credentials: for which hash they were wrong. */
  const wrong = new Map<string, string>()
  /** By credentials, hash and address: the checks in progress. */
  const inProgress = new Map<string, Promise<boolean>>()
  const nobody = unmatchedHash(cost)
  const hashOf = (user: User | undefined) => user?.passwordHash || nobody

  // A prefix is enough of a key here: nobody sees a print, so that nobody can add to what one is of.
  const printOf = (user: string, password: string) =>
    hash('sha256', key + JSON.stringify([user, password.normalize('NFC')]), 'base64')

  const matches = async (sent: Sent, hash: string, print: string): Promise<boolean> => {
    if (wrong.get(print) === hash) return false
    const known = right.get(sent.user)
    const wasRight = known?.print === print && known.hash === hash
    if (known && wasRight && now() - known.at < FRESH) return true
    const attempt = wasRight ? undefined : guessing.begin(sent.user, sent.address)
    let isRight: boolean | undefined
    try {
      isRight = await queue(attempt?.rank ?? URGENT, () => verifyPassword(sent.password, hash))
    } finally {
      attempt?.end(isRight)
    }
    if (isRight) keep(right, sent.user, { print, hash, at: now() })
    else keep(wrong, print, hash)
    return isRight
  }

  return {
    async check(sent) {
      if (sent.user.length + sent.password.length > LONGEST) return undefined
      const hash = hashOf(await store.user(sent.user))
      const print = printOf(sent.user, sent.password)
      // Equal requests that arrive together are checked once.
      const equal = JSON.stringify([print, hash, sent.address])
      const checked = inProgress.get(equal) ?? matches(sent, hash, print)
      inProgress.set(equal, checked)
      try {
        if (!(await checked)) {
          refusals?.add('password', sent.address)
          return undefined
        }
      } finally {
        inProgress.delete(equal)
      }
      // As it is now, after the wait.
      const user = await store.user(sent.user)
      return user?.passwordHash === hash ? user : undefined
    },
    async hash(user, password) {
      const hash = await queue(URGENT, () => hashPassword(password, cost))
      keep(right, user, { print: printOf(user, password), hash, at: now() })
      return hash
    },
  }
}

type Sent = Parameters<PasswordCheck['check']>[0]

/** Keeps a value, and drops the one that was kept first where there are too many. */
function keep<Value>(kept: Map<string, Value>, key: string, value: Value): void {
  kept.delete(key)
  kept.set(key, value)
  const [oldest = key] = kept.keys()
  if (kept.size > MOST_KEPT) kept.delete(oldest)
}

/** How a queue is bounded. */
export type WorkQueueOptions = {
  readonly parallel: number
  readonly mostWaiting: number
  /** A number from 0 up to, but not including, 1. */
  random(): number
}

type Waiting = { readonly rank: number; start(): void; refuse(error: HttpError): void }

/**
 * Creates a queue. Work of a lower rank is done first, and in the order of its arrival. Where too much waits, one piece of the
 * highest rank is refused with 503, chosen by chance, also among those that wait already: whoever sends a lot pushes out
 * mostly what he has sent himself, and nobody is kept out by always being late.
 */
export function createWorkQueue({ parallel, mostWaiting, random }: WorkQueueOptions) {
  const waiting: Waiting[] = []
  let running = 0
  const next = () => {
    if (running >= parallel) return
    const first = waiting.shift()
    if (!first) return
    running += 1
    first.start()
  }
  const add = (one: Waiting) => {
    const place = waiting.findIndex(({ rank }) => rank > one.rank)
    waiting.splice(place < 0 ? waiting.length : place, 0, one)
    if (waiting.length <= mostWaiting) return
    const start = waiting.findIndex(({ rank }) => rank === waiting.at(-1)?.rank)
    const [dropped] = waiting.splice(start + Math.floor(random() * (waiting.length - start)), 1)
    dropped?.refuse(new HttpError(503, 'too many logins at once: nothing was changed', { retryAfter: 2 }))
  }
  return <Value>(rank: number, work: () => Promise<Value>): Promise<Value> =>
    new Promise((resolve, reject) => {
      const start = () => {
        work()
          .then(resolve, reject)
          .finally(() => {
            running -= 1
            next()
          })
      }
      add({ rank, start, refuse: reject })
      next()
    })
}
