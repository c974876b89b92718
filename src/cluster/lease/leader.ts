/**
 * Which of several replicas acts: the one that holds a Lease, as with client-go. @kubernetes/client-node has no such thing.
 */
import type { JsonObject } from '../../json/member.ts'
import { callApi, callUnless } from '../client/api.ts'
import type { Clock } from '../client/clock.ts'
import { reasonOf } from '../client/failure.ts'
import type { KubeConfig } from '../client/library.ts'
import { holderOf, isFree, LEASE_TIMES, type LeasePlace, released, taken, versionOf } from './lease.ts'

export type LeaderOptions = {
  readonly kubeconfig: KubeConfig
  /** `now` must go on steadily, whatever happens to the clock of the machine; it need not be the time of day. */
  readonly clock: Clock
  /** Milliseconds since 1970, for people who read the Lease. */
  wallClock(): number
  readonly place: LeasePlace
  /** Another one for each replica. */
  readonly identity: string
  /** Called when this replica begins or ends to lead. */
  changed(): void
  /** Called with what went wrong, in one line; the next attempt follows. */
  failed(reason: string): void
}

export type Leader = {
  /** True where this replica holds the Lease, and no other one can have taken it. */
  isLeader(): boolean
  /** Gives the Lease back, where this replica holds it. Never rejects. */
  stop(): Promise<void>
}

/** Takes part in the election until stopped. Never throws and needs no API server at the start. */
export function electLeader(options: LeaderOptions): Leader {
  const { clock, failed } = options
  let isStopped = false
  let wasLeader = false
  let cancel = (): void => undefined
  let cancelDeadline = (): void => undefined
  const lease = createLeaseClient(options, (sentAt) => {
    cancelDeadline()
    cancelDeadline = clock.after(sentAt + LEASE_TIMES.deadline - clock.now(), notice)
  })
  const isLeader = () => !isStopped && lease.isHeld()
  function notice(): void {
    if (isLeader() === wasLeader) return
    wasLeader = !wasLeader
    options.changed()
  }
  const attempt = async (): Promise<void> => {
    await lease.attempt(() => isStopped).catch((error: unknown) => isStopped || failed(reasonOf(error)))
    if (isStopped) return
    notice()
    const delay = lease.isFresh() ? LEASE_TIMES.renewal : LEASE_TIMES.retry * (1 - clock.random() / 4)
    cancel = clock.after(delay, repeat)
  }
  let current = attempt()
  function repeat(): void {
    current = attempt()
  }
  return {
    isLeader,
    async stop() {
      isStopped = true
      cancel()
      cancelDeadline()
      await current
      await lease.release().catch((error: unknown) => failed(reasonOf(error)))
    },
  }
}

/** The Lease as this replica last saw it. `renewed` is called with the time at which the request was sent that did it. */
function createLeaseClient(
  { kubeconfig, clock, wallClock, place, identity }: LeaderOptions,
  renewed: (sentAt: number) => void,
) {
  const collection = `/apis/coordination.k8s.io/v1/namespaces/${place.namespace}/leases`
  const path = `${collection}/${place.name}`
  /** The latest version; undefined where it has to be read. */
  let latest: JsonObject | undefined
  let seen = { version: '', at: clock.now() }
  let renewedAt: number | undefined

  const see = (lease: JsonObject): void => {
    latest = lease
    if (versionOf(lease) !== seen.version) seen = { version: versionOf(lease), at: clock.now() }
  }
  const isHeld = () => renewedAt !== undefined && clock.now() - renewedAt < LEASE_TIMES.deadline
  const take = async (known: JsonObject | undefined): Promise<void> => {
    const body = taken(known, { place, identity, time: wallClock() })
    const sentAt = clock.now()
    const write = known
      ? ({ method: 'PUT', path, body } as const)
      : ({ method: 'POST', path: collection, body } as const)
    // With the version that was read, the API server takes only the first write.
    const written = await callUnless(409, kubeconfig, write)
    if (written) {
      see(written)
      renewedAt = sentAt
      renewed(sentAt)
    } else {
      latest = undefined
      renewedAt = undefined
    }
  }
  return {
    isHeld,
    /** True where this replica holds the Lease and knows its latest version. */
    isFresh: () => latest !== undefined && isHeld(),
    /** Renews the Lease, takes it where it is free, or looks who holds it. */
    async attempt(isStopped: () => boolean): Promise<void> {
      const renews = latest !== undefined && isHeld()
      const known = renews ? latest : await callUnless(404, kubeconfig, { path })
      // Until the answer is there, it is not known what is stored.
      latest = undefined
      if (known && !renews) see(known)
      if (isStopped()) latest = known
      else if (!known || isFree(known, identity, clock.now() - seen.at)) await take(known)
      else renewedAt = undefined
    },
    async release(): Promise<void> {
      if (!latest || renewedAt === undefined || holderOf(latest) !== identity) return
      await callApi(kubeconfig, { method: 'PUT', path, body: released(latest, wallClock()) })
    },
  }
}
