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

/** Milliseconds before the first retry, and the most between two. */
const FIRST_DELAY = 250
const LONGEST_DELAY = 30_000
/** Attempts to resume a lost watch before all objects are listed again. */
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
  let failures = 0
  /** Connections that ended early, one after another. */
  let earlyEnds = 0
  let isStopped = false
  let cancel = (): void => undefined
  let abort = (): void => undefined

  const runAfter = (milliseconds: number): void => {
    cancel()
    cancel = clock.after(milliseconds, () => void run().catch(lost))
  }
  const lost = (error: unknown): void => {
    if (isStopped) return
    failures += 1
    const isMissing = statusOf(error) === 404
    status.become(isMissing ? 'missing' : status.state() === 'starting' ? 'starting' : 'lost', reasonOf(error))
    if (isMissing || failures % RESUMES === 0) version = undefined
    runAfter(delayOf(failures, clock.random()))
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
    const begun = clock.now()
    const ended = (end: End): void => {
      if (isStopped) return
      if (end.how === 'failed') {
        lost(end.error)
        return
      }
      if (end.how === 'forgotten') version = undefined
      earlyEnds = clock.now() - begun >= USUAL_DURATION ? 0 : earlyEnds + 1
      runAfter(earlyEnds === 0 ? 0 : delayOf(earlyEnds, clock.random()))
    }
    const options = { kubeconfig, resourceVersion: version, only, receive, ended }
    const isConnected = await connect(kind, options, (controller) => {
      abort = () => controller.abort()
      if (isStopped) abort()
    })
    if (!isConnected) return
    failures = 0
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

/** Doubles with every failure; up to half of it is random, so that replicas do not retry at the same time. */
const delayOf = (failures: number, random: number): number =>
  Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** Math.min(failures - 1, 10)) * (1 - random / 2)

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
