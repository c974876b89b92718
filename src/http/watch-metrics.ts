/** The metrics of watches, the same for every server. Dashboards and alerts rely on their names. */
import { Gauge } from '@prometheus-io/client'
import type { Metrics } from './metrics.ts'

const WATCH_STATES = ['starting', 'synced', 'lost', 'missing'] as const

/** The watch of one kind: its state, and how many objects it knows. */
export type Watched = {
  readonly kind: string
  readonly state: (typeof WATCH_STATES)[number]
  readonly objects: number
}

/** Registers the metrics of watches; `read` is called on every scrape. */
export function registerWatches(metrics: Metrics, read: () => readonly Watched[]): void {
  const registers = [metrics]
  new Gauge({
    name: 'sluice_watch_state',
    help: 'State of the watch of each kind: 1 for the current state, 0 for the others.',
    labelNames: ['kind', 'state'],
    aggregator: 'max',
    registers,
    collect() {
      for (const watch of read())
        for (const state of WATCH_STATES) this.set({ kind: watch.kind, state }, Number(watch.state === state))
    },
  })
  new Gauge({
    name: 'sluice_watch_objects',
    help: 'Objects known from the watch of each kind.',
    labelNames: ['kind'],
    aggregator: 'max',
    registers,
    collect() {
      for (const { kind, objects } of read()) this.set({ kind }, objects)
    },
  })
}

/** Registers the metric that says whether all watches are synced; `isSynced` is called on every scrape. */
export function registerSynced(metrics: Metrics, isSynced: () => boolean): void {
  new Gauge({
    name: 'sluice_watches_synced',
    help: '1 while every watch is synced, 0 otherwise.',
    aggregator: 'min',
    registers: [metrics],
    collect() {
      this.set(Number(isSynced()))
    },
  })
}
