/** The service mesh of the webhook: its configuration, as the cluster stores it. */
import type { Log } from '../../http/log.ts'
import type { JsonObject } from '../../json/member.ts'
import { type ApiNames, apiNames } from '../../kubernetes/api-groups.ts'
import { configFaults, initialConfig } from '../../mesh/config.ts'
import { STORED_CONFIG, storedConfig } from '../../mesh/stored-config.ts'
import type { MeshView } from '../../servers/admission/inject-pod.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Lookup } from '../../world/lookup.ts'
import type { ServeFlags } from './flags.ts'
import type { ServedCluster } from './world.ts'

/** The mesh, while the webhook runs. */
export type ServedMeshConfig = { view(): MeshView; stop(): void }

/** Watches the configuration with `--mesh`; without that flag there is none. Outside of a cluster it is that of a new mesh. */
export async function watchMeshConfig(
  args: ServeFlags,
  { cluster }: ServedCluster,
  { settings, log }: { readonly settings: Settings; readonly log: Log },
): Promise<ServedMeshConfig | undefined> {
  if (!args.has('mesh')) return undefined
  const names = apiNames(settings.apiGroups)
  if (!cluster) {
    const view = { names, config: initialConfig(names) }
    return { view: () => view, stop: () => {} }
  }
  const { watchConfigMap } = await import('../../cluster/watch/watch-config-map.ts')
  const { systemClock } = await import('../../cluster/client/clock.ts')
  const only = { namespace: args.value('mesh-namespace') ?? names.meshName, name: STORED_CONFIG.name }
  let view: MeshView = { names, config: undefined }
  const watch = watchConfigMap(cluster, {
    only,
    clock: systemClock,
    changed() {
      if (watch.state() === 'starting') return
      const stored = watch.object()
      view = { names, config: configOf(stored, names) }
      report(log, `${only.namespace}/${only.name}`, {
        isStored: stored.state === 'found',
        isKnown: view.config !== undefined,
      })
    },
  })
  return { view: () => view, stop: watch.stop }
}

/** That of a new mesh where none is stored. One that is wrong in one place may be meant otherwise in others: it is not known. */
function configOf(stored: Lookup<JsonObject>, names: ApiNames): JsonObject | undefined {
  if (stored.state !== 'found') return stored.state === 'absent' ? initialConfig(names) : undefined
  const config = storedConfig(stored.value)
  return config && configFaults(config, names, { isPart: true }).length === 0 ? config : undefined
}

function report(log: Log, configMap: string, { isStored, isKnown }: { isStored: boolean; isKnown: boolean }): void {
  if (!isKnown) log.warn({ configMap }, 'the configuration of the mesh cannot be read: no Pod gets a sidecar')
  else if (isStored) log.info({ configMap }, 'the configuration of the mesh is in use')
  else log.info({ configMap }, 'no configuration of the mesh is stored: that of a new one is in use')
}
