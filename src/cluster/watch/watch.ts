/** A cluster, watched: its objects as a world that returns at once. */
import type { KubeConfig } from '@kubernetes/client-node'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { kindTable } from '../../world/kinds.ts'
import { type KindObjects, noObjects, objectsByKind } from '../../world/objects.ts'
import type { Lookups, System } from '../../world/system.ts'
import { type ClusterView, createWorldMaker } from '../../world/world.ts'
import type { Clock } from '../client/clock.ts'
import { watchedKinds } from '../client/kinds.ts'
import { type KindWatch, type WatchState, watchKind } from './kind-watch.ts'
import { createSnapshots, type WatchedObjects } from './snapshot.ts'

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
  state(): readonly KindState[]
  stop(): void
}

export type ClusterWatchOptions<Own extends object = Lookups> = {
  readonly names: ApiNames
  readonly systems: readonly System<Own>[]
  readonly clock: Clock
}

/** Starts to watch a cluster. Never throws and needs no API server: until one responds, everything is unknown. */
export function watchCluster<Own extends object = Lookups>(
  kubeconfig: KubeConfig,
  { names, systems, clock }: ClusterWatchOptions<Own>,
): ClusterWatch<Own> {
  const makeWorld = createWorldMaker(systems)
  let view: ClusterView<Own> | undefined
  const watches = new Map(
    watchedKinds(kindTable(systems, names)).map((kind): [string, SnapshotWatch] => {
      const snapshots = createSnapshots(kind)
      let last: KindObjects | undefined
      const changed = (): void => {
        last = undefined
        view = undefined
      }
      const watch = watchKind(kind, { kubeconfig, clock, changed })
      const snapshot = () => {
        last ??= snapshots(storedOf(watch))
        return last
      }
      return [kind.kind, { watch, snapshot }]
    }),
  )
  const objects = objectsByKind((kind) => watches.get(kind)?.snapshot() ?? NOT_WATCHED)
  const createView = (): ClusterView<Own> => {
    const notSynced = [...watches].filter(([, { watch }]) => !isKnown(watch)).map(([kind]) => kind)
    return { world: makeWorld(objects), synced: notSynced.length === 0, notSynced }
  }
  return {
    view() {
      view ??= createView()
      return view
    },
    state: () =>
      [...watches].map(([kind, { watch }]) => ({
        kind,
        state: watch.state(),
        problem: watch.problem(),
        objects: storedOf(watch).objects.length,
      })),
    stop() {
      for (const { watch } of watches.values()) watch.stop()
    },
  }
}

type SnapshotWatch = { readonly watch: KindWatch; snapshot(): KindObjects }

/** A kind that is not watched: nothing is known of it. */
const NOT_WATCHED = noObjects(false)

const isKnown = ({ kind, state }: KindWatch): boolean =>
  state() === 'synced' || (kind.resource.optional && state() === 'missing')

function storedOf(watch: KindWatch): WatchedObjects {
  if (!isKnown(watch)) return { objects: [], known: false }
  return { objects: watch.state() === 'synced' ? watch.objects() : [], known: true }
}
