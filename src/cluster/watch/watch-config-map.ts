/** One ConfigMap, watched: as a lookup that returns at once. */

import type { JsonObject } from '../../json/member.ts'
import { readIdentity, readMetadata } from '../../kubernetes/metadata.ts'
import { ABSENT, found, type Lookup, UNKNOWN } from '../../world/lookup.ts'
import type { Clock } from '../client/clock.ts'
import type { WatchedKind } from '../client/kinds.ts'
import type { KubeConfig } from '../client/library.ts'
import { type WatchState, watchKind } from './kind-watch.ts'

const CONFIG_MAP: WatchedKind = {
  kind: 'ConfigMap',
  group: '',
  resource: { version: 'v1', plural: 'configmaps', namespaced: true, optional: false },
  read: (object) => ({ object, identity: readIdentity('ConfigMap', readMetadata(object)) }),
}

/** A watched ConfigMap. */
export type ConfigMapWatch = {
  /** The ConfigMap, absent, or unknown while the watch is not synced. */
  object(): Lookup<JsonObject>
  state(): WatchState
  /** Why it is not synced. */
  problem(): string | undefined
  stop(): void
}

/** Starts to watch. Never throws and needs no API server. Needs the rights `list` and `watch` on this one ConfigMap. */
export function watchConfigMap(
  kubeconfig: KubeConfig,
  {
    only,
    clock,
    changed,
  }: { readonly only: { readonly namespace: string; readonly name: string }; readonly clock: Clock; changed(): void },
): ConfigMapWatch {
  // With its resourceVersion, for whoever changes it.
  const keep = (object: JsonObject) => object
  const watch = watchKind(CONFIG_MAP, { kubeconfig, clock, only, keep, changed })
  return {
    object() {
      if (watch.state() !== 'synced') return UNKNOWN
      const [view] = watch.objects().all()
      return view ? found(view.object) : ABSENT
    },
    state: watch.state,
    problem: watch.problem,
    stop: watch.stop,
  }
}
