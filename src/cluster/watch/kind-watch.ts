/** The watch of one kind: lists its objects, follows their changes, and goes on, with backoff, whenever it is lost. */

import { isObject, type JsonObject } from '../../json/member.ts'
import type { KindObjects } from '../../world/objects.ts'
import type { Clock } from '../client/clock.ts'
import { isTimeout, reasonOf, statusOf } from '../client/failure.ts'
import { namespaceOf, type Only, pathOf, queryOf, type WatchedKind } from '../client/kinds.ts'
import { type KubeConfig, Watch } from '../client/library.ts'
import { type Keep, listKind } from '../client/list-kind.ts'
import { compacted } from './compacted.ts'
import { createStore, type Store } from './store.ts'

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
  /** The objects as last received, another value after each change; meaningful where the state is `synced`. */
  objects(): KindObjects
  /** How many objects there are. */
  count(): number
  stop(): void
}

export type KindWatchOptions = {
  readonly kubeconfig: KubeConfig
  readonly clock: Clock
  /** What is kept of each object; default: what rules read. */
  readonly keep?: Keep | undefined
  /** Which objects to watch; default: all of the kind. */
  readonly only?: Only | undefined
  /** Called after every change of an object or of the state. */
  changed(): void
}

/** Milliseconds before a watch is tried again: the least, the most, and as a share of the time since it was lost. */
const RETRY = { least: 250, most: 30_000, share: 1 / 4 }
/** Milliseconds: an outage of this length is over for a watch within a quarter of it, also where it comes back again and again. */
const SHORT_OUTAGE = 20_000
/** Refusals to resume a lost watch before all objects are listed again. */
const RESUMES = 10
/** Milliseconds after which the end of a connection is usual: the API server ends each after some minutes. */
const USUAL_DURATION = 10_000

/** Starts to watch a kind. Never throws: errors are part of the state. */
export function watchKind(kind: WatchedKind, options: KindWatchOptions): KindWatch {
  const status = createStatus(options.changed)
  const store = createStore(kind)
  const { stop } = keepWatching(kind, options, status, store)
  return { kind, state: status.state, problem: status.problem, objects: store.objects, count: store.size, stop }
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

/** Lists and watches until it is stopped. */
function keepWatching(
  kind: WatchedKind,
  { kubeconfig, clock, keep = compacted, only, changed }: KindWatchOptions,
  status: Status,
  store: Store,
): { stop(): void } {
  /** The version to continue from; undefined where all objects have to be listed. */
  let version: string | undefined
  let refusals = 0
  const trouble = createTrouble(clock)
  let isStopped = false
  let cancel = (): void => undefined
  let abort = (): void => undefined

  const runAfter = (milliseconds: number): void => {
    cancel()
    cancel = clock.after(milliseconds, () => void run().catch(lost))
  }
  const forget = (): void => {
    version = undefined
    refusals = 0
  }
  const lost = (error: unknown): void => {
    if (isStopped) return
    const code = statusOf(error)
    const isMissing = code === 404
    status.become(isMissing ? 'missing' : status.state() === 'starting' ? 'starting' : 'lost', reasonOf(error))
    // A server that does not answer has said nothing of the version.
    refusals += code === undefined ? 0 : 1
    if (isMissing || refusals === RESUMES) forget()
    runAfter(trouble.delay())
  }
  const receive = ({ type, object }: WatchEvent): void => {
    version = versionOf(object) ?? version
    if (type === 'BOOKMARK') return
    if (type === 'DELETED') store.remove(object)
    else store.put(keep(object, kind))
    changed()
  }
  const run = async (): Promise<void> => {
    version ??= await list()
    if (isStopped) return
    const ended = (end: End): void => {
      if (isStopped) return
      const isUsual = trouble.ended()
      if (end.how === 'forgotten') forget()
      if (end.how === 'failed') lost(end.error)
      else runAfter(isUsual ? 0 : trouble.delay())
    }
    const options = { kubeconfig, resourceVersion: version, only, receive, ended }
    const isConnected = await connect(kind, options, (controller) => {
      abort = () => controller.abort()
      if (isStopped) abort()
    })
    if (!isConnected) return
    trouble.connected()
    refusals = 0
    status.become('synced')
  }
  const list = async (): Promise<string> => {
    const { items, resourceVersion } = await listKind(kind, kubeconfig, { keep, only })
    store.fill(items)
    changed()
    return resourceVersion
  }
  void run().catch(lost)
  return {
    stop() {
      isStopped = true
      cancel()
      abort()
    },
  }
}

const versionOf = ({ metadata }: JsonObject): string | undefined => {
  const { resourceVersion } = isObject(metadata) ? metadata : {}
  return typeof resourceVersion === 'string' ? resourceVersion : undefined
}

/** Since when connections fail or end early. */
function createTrouble({ now, random }: Clock) {
  let since: number | undefined
  let begun = Number.POSITIVE_INFINITY
  return {
    connected(): void {
      begun = now()
      since &&= Math.max(since, begun - SHORT_OUTAGE)
    },
    /** True where a connection has lasted as connections do. */
    ended(): boolean {
      const isUsual = now() - begun >= USUAL_DURATION
      begun = Number.POSITIVE_INFINITY
      if (isUsual) since = undefined
      return isUsual
    },
    /** Milliseconds until the next attempt. */
    delay(): number {
      since ??= now()
      return retryDelay(now() - since, random())
    },
  }
}

/**
 * Milliseconds until the next attempt, where the first failure was `elapsed` milliseconds ago. Up to half is random, so that replicas do not retry at the same time.
 */
export const retryDelay = (elapsed: number, random: number): number =>
  Math.min(RETRY.most, Math.max(RETRY.least, elapsed * RETRY.share)) * (1 - random / 2)

/** What the API server sends. */
type WatchEvent = {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'
  /** Of a bookmark only its version. */
  readonly object: JsonObject
}

/**
 * How a connection ends: as every connection does after some minutes; because the version is forgotten, so that all
 * objects have to be listed again; or with an error.
 */
type End = { readonly how: 'closed' | 'forgotten' } | { readonly how: 'failed'; readonly error: unknown }

type ConnectOptions = {
  readonly kubeconfig: KubeConfig
  readonly resourceVersion: string
  readonly only?: Only | undefined
  receive(event: WatchEvent): void
  /** Called once; nothing is received after it. */
  ended(end: End): void
}

/** Connects. Never rejects; resolves to true once the connection is there, and to false where it has ended already. */
async function connect(
  kind: WatchedKind,
  { kubeconfig, resourceVersion, only, receive, ended }: ConnectOptions,
  onOpening: (controller: AbortController) => void,
): Promise<boolean> {
  let isOpen = false
  let hasEnded = false
  let isForgotten = false
  const end = (error: unknown): void => {
    if (hasEnded) return
    hasEnded = true
    // Nothing came for a while: the connection may be dead. One that never was there is an error.
    const isIdle = isOpen && isTimeout(error)
    if (isForgotten || statusOf(error) === 410) ended({ how: 'forgotten' })
    else if (error && !isIdle) ended({ how: 'failed', error })
    else ended({ how: 'closed' })
  }
  const take = (type: string, object: unknown): void => {
    if (hasEnded || !isObject(object)) return
    if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED' || type === 'BOOKMARK') receive({ type, object })
    else if (type === 'ERROR' && object.code === 410) isForgotten = true
  }
  const query = { resourceVersion, allowWatchBookmarks: 'true', ...queryOf(only) }
  onOpening(await new Watch(kubeconfig).watch(pathOf(kind, namespaceOf(only)), query, take, end))
  isOpen = true
  return !hasEnded
}
