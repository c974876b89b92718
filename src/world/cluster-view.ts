/** What a cluster's watches know at one moment. */
import type { World } from './world.ts'

/** A world, and how much of the cluster it stands for. */
export type ClusterView = {
  /** The same object for as long as nothing has changed. */
  readonly world: World
  /** True where every watch has seen everything there is. */
  readonly synced: boolean
  /** The kinds of which something may be missing: look-ups of them answer unknown. */
  readonly notSynced: readonly string[]
}
