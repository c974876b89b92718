/** The world of the webhook: the objects that its watches have read, or none. */
import { resolve } from 'node:path'
import type { Reviewer } from '../../admission/reviewer.ts'
import type { Log } from '../../http/log.ts'
import { type Metrics, registerWatches } from '../../http/metrics.ts'
import { apiNames } from '../../kubernetes/api-groups.ts'
import { SYSTEMS } from '../../registry.ts'
import { startAudit } from '../../servers/admission/audit.ts'
import type { Settings } from '../../settings/settings.ts'
import { type ClusterView, emptyWorld } from '../../world/world.ts'
import type { Args } from '../core/flags.ts'
import { InputError, type Io } from '../core/io.ts'

type KubeConfig = NonNullable<ReturnType<typeof import('../../cluster/client/kubeconfig.ts')['ownCluster']>>

/** The cluster that is watched, or none. */
export type ServedCluster = {
  /** For the log. */
  readonly description: string
  readonly cluster: KubeConfig | undefined
  /** The cluster in which this runs; undefined elsewhere. */
  readonly ownCluster: KubeConfig | undefined
}

/** A watched cluster, or an empty world. */
export type ServedWorld = { view(): ClusterView; stop(): void }

/** Finds the cluster, where there is one. Throws {@link InputError} for a kubeconfig that cannot be used. */
export async function openCluster(io: Io, args: Args<'kubeconfig'>, isStandalone = false): Promise<ServedCluster> {
  const file = args.value('kubeconfig')
  if (isStandalone) {
    if (file !== undefined) throw new InputError('use either --standalone or --kubeconfig, not both')
    return none('standalone')
  }
  if (file === undefined && !io.env.KUBERNETES_SERVICE_HOST) return none('no cluster here')
  const { clusterOfFile, ownCluster } = await import('../../cluster/client/kubeconfig.ts')
  const own = file === undefined ? ownCluster(io.env) : undefined
  const cluster = file === undefined ? own : opened(file, () => clusterOfFile(resolve(io.cwd, file)))
  if (!cluster) return none('no cluster here')
  return { description: cluster.getCurrentCluster()?.server ?? 'a cluster', cluster, ownCluster: own }
}

const none = (description: string): ServedCluster => ({ description, cluster: undefined, ownCluster: undefined })

type WatchOptions = {
  readonly settings: Settings
  readonly metrics: Metrics
  readonly log: Log
  /** By whose rules the stored objects are judged. */
  reviewer(): Reviewer
}

/** Starts to watch the cluster, and to judge what is stored in it. Without one, every lookup of another object returns unknown, so rules that need one report nothing. */
export async function watchWorld(
  { cluster }: ServedCluster,
  { settings, metrics, log, reviewer }: WatchOptions,
): Promise<ServedWorld> {
  if (!cluster) {
    const view: ClusterView = { world: emptyWorld(SYSTEMS), synced: true, notSynced: [] }
    return { view: () => view, stop: () => {} }
  }
  const { watchCluster } = await import('../../cluster/watch/watch.ts')
  const { systemClock } = await import('../../cluster/client/clock.ts')
  const watch = watchCluster(cluster, {
    names: apiNames(settings.apiGroups),
    systems: SYSTEMS,
    clock: systemClock,
    changed: () => audit.changed(),
  })
  const audit = startAudit({
    ...{ objects: watch.objects, view: watch.view, reviewer, metrics, wallClock: Date.now },
    failed: (error) => log.error({ error }, 'a fault in sluice: stored objects could not be judged'),
  })
  registerWatches(metrics, watch.state)
  return {
    view: watch.view,
    stop() {
      audit.stop()
      watch.stop()
    },
  }
}

function opened<Value>(file: string, open: () => Value): Value {
  try {
    return open()
  } catch (error) {
    throw new InputError(`--kubeconfig ${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
