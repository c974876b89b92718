/** The watch of one kind: an informer that is started again, with backoff, whenever it is lost. */
import { type KubeConfig, type KubernetesObject, ListWatch, Watch } from '@kubernetes/client-node'
import { isObject, type JsonObject } from '../../json/member.ts'
import type { Clock } from '../client/clock.ts'
import { isTimeout, reasonOf, statusOf } from '../client/failure.ts'
import { pathOf, type WatchedKind } from '../client/kinds.ts'
import { listKind } from '../client/list-kind.ts'
import { stripManagedFields } from '../client/strip-managed-fields.ts'

/**
 * What is known of a kind: nothing yet, everything, nothing any longer (the watch is lost), or that the API server does
 * not serve it.
 */
export type WatchState = 'starting' | 'synced' | 'lost' | 'missing'

/** The watch of one kind. */
export type KindWatch = {
  readonly kind: WatchedKind
  state(): WatchState
  /** Why it is not synced. */
  problem(): string | undefined
  /** The objects as last received; meaningful where the state is `synced`. */
  objects(): readonly JsonObject[]
  stop(): void
}

export type KindWatchOptions = {
  readonly kubeconfig: KubeConfig
  readonly clock: Clock
  /** Called after every change of an object or of the state. */
  changed(): void
}

/** Milliseconds before the first retry, and the most between two. */
const FIRST_DELAY = 250
const LONGEST_DELAY = 30_000
/** Attempts to resume a lost watch before all objects are listed again. */
const RESUMES = 10

/** Starts to watch a kind. Never throws: errors are part of the state. */
export function watchKind(kind: WatchedKind, options: KindWatchOptions): KindWatch {
  const status = createStatus(options.changed)
  const { objects, stop } = keepInforming(kind, options, status)
  return { kind, state: status.state, problem: status.problem, objects, stop }
}

/** The state of a watch; it stays after the watch has stopped. */
type Status = Pick<KindWatch, 'state' | 'problem'> & { become(next: WatchState, reason?: string): void }

function createStatus(changed: () => void): Status {
  let state: WatchState = 'starting'
  let problem: string | undefined
  return {
    state: () => state,
    problem: () => problem,
    become(next, reason) {
      const isNew = state !== next
      state = next
      problem = reason
      if (isNew) changed()
    },
  }
}

/** Runs an informer until it is stopped. */
function keepInforming(kind: WatchedKind, { kubeconfig, clock, changed }: KindWatchOptions, status: Status) {
  let failures = 0
  let isStopped = false
  let cancel = (): void => undefined
  const open = (previous?: Informer): Informer => {
    void previous?.stop()
    const opened = createInformer(kind, kubeconfig)
    opened.on('change', () => informer === opened && changed())
    opened.on('error', (error: unknown) => informer === opened && lost(error))
    return opened
  }
  const lost = (error: unknown): void => {
    if (isStopped) return
    failures += 1
    const isMissing = statusOf(error) === 404
    status.become(isMissing ? 'missing' : status.state() === 'starting' ? 'starting' : 'lost', reasonOf(error))
    cancel()
    cancel = clock.after(delayOf(failures, clock.random()), () => {
      if (isMissing || failures % RESUMES === 0) informer = open(informer)
      void run()
    })
  }
  const run = async (): Promise<void> => {
    const before = failures
    await informer.start().catch(lost)
    if (isStopped) return void informer.stop()
    if (failures !== before) return
    failures = 0
    status.become('synced')
  }
  let informer = open()
  void run()
  const stop = (): void => {
    isStopped = true
    cancel()
    void informer.stop()
  }
  return { objects: () => informer.list().filter(isObject), stop }
}

type Informer = ListWatch<KubernetesObject>

/** Doubles with every failure; up to half of it is random, so that replicas do not retry at the same time. */
const delayOf = (failures: number, random: number): number =>
  Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** Math.min(failures - 1, 10)) * (1 - random / 2)

function createInformer(kind: WatchedKind, kubeconfig: KubeConfig): Informer {
  const list = () => listKind(kind, kubeconfig)
  return new ListWatch<KubernetesObject>(pathOf(kind), new CarefulWatch(kubeconfig), list, false)
}

/**
 * The informer treats every timeout as an idle connection and continues. A connection that was never established is an
 * error: the watch is lost.
 */
class CarefulWatch extends Watch {
  override watch(...[path, query, callback, done]: Parameters<Watch['watch']>): ReturnType<Watch['watch']> {
    let isConnected = false
    const connection = super.watch(
      path,
      query,
      (phase, object, event) => callback(phase, stripManagedFields(object), event),
      (error) => done(!isConnected && isTimeout(error) ? new Error(reasonOf(error), { cause: error }) : error),
    )
    return connection.finally(() => {
      isConnected = true
    })
  }
}
