/** One connection of a watch: changes of a kind's objects from a version of the cluster on, until it ends. */

import { isObject, type JsonObject } from '../../json/member.ts'
import { isTimeout, statusOf } from '../client/failure.ts'
import { namespaceOf, type Only, pathOf, queryOf, type WatchedKind } from '../client/kinds.ts'
import { type KubeConfig, Watch } from '../client/library.ts'

/** What the API server sends. */
export type WatchEvent = {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'
  /** Of a bookmark only its version. */
  readonly object: JsonObject
}

/**
 * How a connection ends: as every connection does after some minutes; because the version is forgotten, so that all
 * objects have to be listed again; or with an error.
 */
export type End = { readonly how: 'closed' | 'forgotten' } | { readonly how: 'failed'; readonly error: unknown }

type ConnectOptions = {
  readonly kubeconfig: KubeConfig
  readonly resourceVersion: string
  readonly only?: Only | undefined
  receive(event: WatchEvent): void
  /** Called once; nothing is received after it. */
  ended(end: End): void
}

/** Connects. Never rejects; resolves to true once the connection is there, and to false where it has ended already. */
export async function connect(
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
