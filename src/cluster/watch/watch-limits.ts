/** The LimitRanges and ResourceQuotas of all namespaces, watched. */
import { isObject, type JsonObject } from '../../json/member.ts'
import { readIdentity, readMetadata } from '../../kubernetes/metadata.ts'
import { limitsByNamespace } from '../../mesh/inject/around.ts'
import type { NamespaceLimits } from '../../mesh/inject/room.ts'
import type { Clock } from '../client/clock.ts'
import { isForbidden } from '../client/failure.ts'
import type { WatchedKind } from '../client/kinds.ts'
import type { KubeConfig } from '../client/library.ts'
import { type KindWatch, watchKind } from './kind-watch.ts'

/** What is known now. */
export type LimitsWatch = {
  /** The limits of a namespace; undefined while they are not known. Those that may not be read count as none. */
  of(namespace: string): NamespaceLimits | undefined
  stop(): void
}

/** Starts to watch. Never throws and needs no API server. Needs the rights `list` and `watch` on both kinds. */
export function watchLimits(
  kubeconfig: KubeConfig,
  { clock, onForbidden }: { readonly clock: Clock; onForbidden(kind: string): void },
): LimitsWatch {
  const said = new Set<string>()
  const watches = [kindOf('LimitRange', 'limitranges'), kindOf('ResourceQuota', 'resourcequotas')].map((kind) =>
    watchKind(kind, { kubeconfig, clock, changed: () => undefined, keep: kept }),
  )
  /** A right that is missing stays so until somebody grants it; it is said once. */
  const mayNotRead = (watch: KindWatch): boolean => {
    const { kind } = watch.kind
    const isSo = watch.state() !== 'synced' && isForbidden(watch.problem())
    if (isSo && !said.has(kind)) onForbidden(kind)
    if (isSo) said.add(kind)
    else said.delete(kind)
    return isSo
  }
  let made: { readonly from: readonly unknown[]; readonly of: (namespace: string) => NamespaceLimits } | undefined
  return {
    of(namespace) {
      if (watches.some((watch) => watch.state() !== 'synced' && !mayNotRead(watch))) return undefined
      const from = watches.filter((watch) => watch.state() === 'synced').map((watch) => watch.objects())
      if (made?.from.length !== from.length || from.some((one, index) => made?.from[index] !== one))
        made = { from, of: limitsByNamespace(from.flatMap((one) => one.all().map(({ object }) => object))) }
      return made.of(namespace)
    },
    stop() {
      for (const one of watches) one.stop()
    },
  }
}

const kindOf = (kind: string, plural: string): WatchedKind => ({
  kind,
  group: '',
  resource: { version: 'v1', plural, namespaced: true, optional: false },
  read: (object) => ({ object, identity: readIdentity(kind, readMetadata(object)) }),
})

/** What decides about room: bounds and defaults, and what is used. */
function kept({ metadata, spec, status }: JsonObject, { kind }: WatchedKind): JsonObject {
  const { name, namespace, uid, resourceVersion } = isObject(metadata) ? metadata : {}
  return { apiVersion: 'v1', kind, metadata: { name, namespace, uid, resourceVersion }, spec, status }
}
