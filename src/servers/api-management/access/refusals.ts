/** Sign-ins that are refused: counted, and from time to time one entry of the audit log for all, so that nobody fills it. */
import type { RefusedSignIns, Store } from '../../../store/store.ts'

/** What was refused. */
type Refused = 'password' | 'token' | 'oidc'

/** Counts them. */
export type Refusals = {
  add(what: Refused, address: string): void
  /** How many since the start. */
  totals(): Readonly<Record<Refused, number>>
  /** Writes what is not written yet. */
  flush(): Promise<void>
  stop(): Promise<void>
}

/** Milliseconds from the first of some refusals until they become an entry. */
const WINDOW = 15 * 60_000

/** Addresses in one entry. */
const MOST_ADDRESSES = 20

type Options = {
  readonly store: Pick<Store, 'commit'>
  /** Milliseconds since 1970. */
  wallClock(): number
}

const none = (): Record<Refused, number> => ({ password: 0, token: 0, oidc: 0 })

/** Creates a count. */
export function createRefusals({ store, wallClock }: Options): Refusals {
  const totals = none()
  let counts = none()
  let addresses = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  const flush = async () => {
    clearTimeout(timer)
    timer = undefined
    const met = Object.entries(counts).filter(([, count]) => count > 0)
    if (met.length === 0) return
    const value: RefusedSignIns = { at: wallClock(), counts: Object.fromEntries(met), addresses: [...addresses] }
    counts = none()
    addresses = new Set()
    await store.commit([{ put: 'refused-sign-ins', value }])
  }
  return {
    add(what, address) {
      totals[what] += 1
      counts[what] += 1
      if (addresses.size < MOST_ADDRESSES) addresses.add(address)
      // Where it cannot be written, the metric has it.
      timer ??= setTimeout(() => void flush().catch(() => {}), WINDOW).unref()
    },
    totals: () => totals,
    flush,
    stop: () => flush().catch(() => {}),
  }
}
