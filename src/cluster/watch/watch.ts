/** A cluster, watched: its objects as a world that answers at once. */
import type { KubeConfig } from '@kubernetes/client-node'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import type { ClusterView } from '../../world/cluster-view.ts'
import type { Clock } from '../client/clock.ts'
import { watchedKinds } from '../client/kinds.ts'
import { createWorldMaker } from './cluster-world.ts'
import { type KindWatch, type WatchState, watchKind } from './kind-watch.ts'
import type { Stock } from './snapshot.ts'

/** How the watch of a kind stands. */
export type KindState = {
  readonly kind: string
  readonly state: WatchState
  /** Why it is not synced. */
  readonly problem: string | undefined
  /** Objects of the kind, as far as known. */
  readonly objects: number
}

/** A watched cluster. */
export type ClusterWatch = {
  /** The same view as long as nothing changes. */
  view(): ClusterView
  state(): readonly KindState[]
  stop(): void
}

export type ClusterWatchOptions = { readonly names: ApiNames; readonly clock: Clock }

/** Starts to watch a cluster. Never throws and needs no API server: until one answers, everything is unknown. */
export function watchCluster(kubeconfig: KubeConfig, { names, clock }: ClusterWatchOptions): ClusterWatch {
  const makeWorld = createWorldMaker()
  const stocks = new Map<string, Stock>()
  let view: ClusterView | undefined
  const watches = new Map<string, KindWatch>(
    watchedKinds(names).map((kind) => {
      const changed = (): void => {
        stocks.delete(kind.kind)
        view = undefined
      }
      return [kind.kind, watchKind(kind, { kubeconfig, clock, changed })]
    }),
  )
  const stockOf = (kind: string): Stock => {
    const stock = stocks.get(kind) ?? takeStock(watches.get(kind))
    stocks.set(kind, stock)
    return stock
  }
  const look = (): ClusterView => {
    const notSynced = [...watches.values()].filter((watch) => !isKnown(watch)).map(({ kind }) => kind.kind)
    return { world: makeWorld(stockOf), synced: notSynced.length === 0, notSynced }
  }
  return {
    view() {
      view ??= look()
      return view
    },
    state: () =>
      [...watches.values()].map((watch) => ({
        kind: watch.kind.kind,
        state: watch.state(),
        problem: watch.problem(),
        objects: stockOf(watch.kind.kind).objects.length,
      })),
    stop() {
      for (const watch of watches.values()) watch.stop()
    },
  }
}

const isKnown = ({ kind, state }: KindWatch): boolean =>
  state() === 'synced' || (kind.optional && state() === 'missing')

function takeStock(watch: KindWatch | undefined): Stock {
  if (!watch || !isKnown(watch)) return { objects: [], known: false }
  return { objects: watch.state() === 'synced' ? watch.objects() : [], known: true }
}
