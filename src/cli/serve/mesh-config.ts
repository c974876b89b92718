/** The service mesh of the webhook: its configuration, as the cluster stores it, and the limits of namespaces. */
import type { Log } from '../../http/log.ts'
import type { JsonObject } from '../../json/member.ts'
import { type ApiNames, apiNames } from '../../kubernetes/api-groups.ts'
import { initialConfig } from '../../mesh/config.ts'
import { type ReadConfig, readStoredConfig, STORED_CONFIG } from '../../mesh/stored-config.ts'
import type { MeshView } from '../../servers/admission/inject-pod.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Lookup } from '../../world/lookup.ts'
import type { Args } from '../core/flags.ts'
import type { ServedCluster } from './world.ts'

/** The mesh, while the webhook runs. */
export type ServedMeshConfig = { view(): MeshView; stop(): void }

/** Watches the configuration with `--mesh`; without that flag there is none. Outside of a cluster it is that of a new mesh. */
export async function watchMeshConfig(
  args: Args<'mesh' | 'mesh-namespace'>,
  { cluster }: ServedCluster,
  { settings, log }: { readonly settings: Settings; readonly log: Log },
): Promise<ServedMeshConfig | undefined> {
  if (!args.has('mesh')) return undefined
  const names = apiNames(settings.apiGroups)
  if (!cluster) {
    const limits = { limitRanges: [], resourceQuotas: [] }
    const view = { names, config: initialConfig(names), limitsOf: () => limits }
    return { view: () => view, stop: () => {} }
  }
  const { watchConfigMap } = await import('../../cluster/watch/config-map.ts')
  const { watchLimits } = await import('../../cluster/watch/watch-limits.ts')
  const { systemClock } = await import('../../cluster/client/clock.ts')
  const { createTeller } = await import('./left-pods.ts')
  const only = { namespace: args.value('mesh-namespace') ?? names.meshName, name: STORED_CONFIG.name }
  const limits = watchLimits(cluster, {
    clock: systemClock,
    onForbidden: (kind) =>
      log.warn({ kind }, 'may not be read: a Pod gets its sidecar even where that has no room, and is refused then'),
  })
  const known = { names, limitsOf: limits.of, tell: createTeller(cluster, log, Date.now) }
  let view: MeshView = { ...known, config: undefined }
  const watch = watchConfigMap(cluster, {
    only,
    clock: systemClock,
    changed() {
      if (watch.state() === 'starting') return
      const stored = watch.object()
      const read = readLookup(stored, names)
      view = { ...known, config: 'config' in read ? read.config : undefined }
      report(log, { configMap: `${only.namespace}/${only.name}`, isStored: stored.state === 'found' }, read)
    },
  })
  return {
    view: () => view,
    stop() {
      watch.stop()
      limits.stop()
    },
  }
}

/** That of a new mesh where none is stored. One that is wrong in one place may be meant otherwise in others: it is not known. */
function readLookup(stored: Lookup<JsonObject>, names: ApiNames): ReadConfig {
  if (stored.state === 'found') return readStoredConfig(stored.value, names, { isPart: true })
  return stored.state === 'absent' ? { config: initialConfig(names) } : { reason: 'the cluster does not answer' }
}

function report(log: Log, { configMap, isStored }: { configMap: string; isStored: boolean }, read: ReadConfig): void {
  if ('reason' in read) {
    const { reason } = read
    log.warn({ configMap, reason }, 'the configuration of the mesh cannot be read: no Pod gets a sidecar')
  } else if (isStored) log.info({ configMap }, 'the configuration of the mesh is in use')
  else log.info({ configMap }, 'no configuration of the mesh is stored: that of a new one is in use')
}
