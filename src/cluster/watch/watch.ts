/** A cluster, watched: its objects as a world that returns at once. */

import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { kindTable } from '../../world/kinds.ts'
import { type KindObjects, noObjects, type ObjectsByKind, objectsByKind } from '../../world/objects.ts'
import type { Lookups, System } from '../../world/system.ts'
import { type ClusterView, createWorldMaker } from '../../world/world.ts'
import type { Clock } from '../client/clock.ts'
import { watchedKinds } from '../client/kinds.ts'
import type { KubeConfig } from '../client/library.ts'
import type { Keep } from '../client/list-kind.ts'
import { type KindWatch, type WatchState, watchKind } from './kind-watch.ts'
import { createStore } from './store.ts'

/** The state of the watch of a kind. */
type KindState = {
  readonly kind: string
  readonly state: WatchState
  /** Why it is not synced. */
  readonly problem: string | undefined
  /** How many objects of the kind are known. */
  readonly objects: number
}

/** A watched cluster. */
export type ClusterWatch<Own extends object = Lookups> = {
  /** The same view for as long as nothing changes. */
  view(): ClusterView<Own>
  /** The objects of each kind, as lookups get them. */
  readonly objects: ObjectsByKind
  state(): readonly KindState[]
  stop(): void
}

export type ClusterWatchOptions<Own extends object = Lookups> = {
  readonly names: ApiNames
  readonly systems: readonly System<Own>[]
  readonly clock: Clock
  /** What is kept of each object; default: what rules read. */
  readonly keep?: Keep
  /** Called after every change of an object or of the state of a watch. */
  readonly changed?: () => void
}

/** Starts to watch a cluster. Never throws and needs no API server: until one responds, everything is unknown. */
export function watchCluster<Own extends object = Lookups>(
  kubeconfig: KubeConfig,
  { names, systems, clock, keep, changed: onChange }: ClusterWatchOptions<Own>,
): ClusterWatch<Own> {
  const makeWorld = createWorldMaker(systems)
  let view: ClusterView<Own> | undefined
  const watches = new Map(
    watchedKinds(kindTable(systems, names)).map((kind): [string, Watched] => {
      const changed = (): void => {
        view = undefined
        onChange?.()
      }
      const watch = watchKind(kind, { kubeconfig, clock, keep, changed })
      return [kind.kind, { watch, none: createStore(kind).objects() }]
    }),
  )
  const objects = objectsByKind((kind) => objectsOf(watches.get(kind)))
  const createView = (): ClusterView<Own> => {
    const notSynced = [...watches].filter(([, { watch }]) => !isKnown(watch)).map(([kind]) => kind)
    return { world: makeWorld(objects), synced: notSynced.length === 0, notSynced }
  }
  return {
    view() {
      view ??= createView()
      return view
    },
    objects,
    state: () =>
      [...watches].map(([kind, { watch }]) => ({
        kind,
        state: watch.state(),
        problem: watch.problem(),
        objects: isSynced(watch) ? watch.count() : 0,
      })),
    stop() {
      for (const { watch } of watches.values()) watch.stop()
    },
  }
}

/** The watch of a kind, and the objects of a kind that the API server does not serve. */
type Watched = { readonly watch: KindWatch; readonly none: KindObjects }

/** A kind that is not watched, or of which objects may be missing: nothing is known of it. */
const NOT_KNOWN = noObjects(false)

function objectsOf(watched: Watched | undefined): KindObjects {
  if (!watched || !isKnown(watched.watch)) return NOT_KNOWN
  return isSynced(watched.watch) ? watched.watch.objects() : watched.none
}

const isKnown = (watch: KindWatch): boolean =>
  isSynced(watch) || (watch.kind.resource.optional && watch.state() === 'missing')

const isSynced = ({ state }: KindWatch): boolean => state() === 'synced'
