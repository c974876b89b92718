/** A mesh in a cluster: its configuration in a ConfigMap, and what runs in it, from watches. */
import type { Clock } from '../../cluster/client/clock.ts'
import type { KubeConfig } from '../../cluster/client/library.ts'
import type { MeshWatch } from '../../cluster/watch/watch-mesh.ts'
import { HttpError } from '../../http/http-error.ts'
import type { Log } from '../../http/log.ts'
import { createQueue } from '../../http/turn.ts'
import { isObject, type JsonObject } from '../../json/member.ts'
import { isSameValue } from '../../json/same.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { initialConfig } from '../../mesh/config.ts'
import { readStoredConfig, STORED_CONFIG, withStoredConfig } from '../../mesh/stored-config.ts'
import { type AuditedChange, describeChange } from '../../servers/mesh/audit.ts'
import { type ConfigStore, type KeptConfig, type MeshState, readCleared } from '../../servers/mesh/state.ts'

/** The mesh of a cluster, while the server runs. */
export type ClusterMesh = {
  readonly config: ConfigStore
  readonly state: MeshState
  onChange(change: AuditedChange): void
  /** Why it is not known; undefined where it is. */
  notReady(): string | undefined
  /** The watches, for the metrics. */
  watched(): ReturnType<MeshWatch['state']>
  stop(): void
}

type ClusterMeshOptions = {
  readonly names: ApiNames
  readonly log: Log
  readonly clock: Clock
  readonly namespace: string
}

/** Who writes Events. */
const COMPONENT = 'sluice-mesh-api'

/** Starts to watch. */
export async function openClusterMesh(kubeconfig: KubeConfig, options: ClusterMeshOptions): Promise<ClusterMesh> {
  const { names, log, clock, namespace } = options
  const { tellOfConfigMap } = await import('../../cluster/client/events.ts')
  const stored = await openStoredConfig(kubeconfig, options)
  const { watchMesh } = await import('../../cluster/watch/watch-mesh.ts')
  const watch = watchMesh(kubeconfig, { names, clock })
  return {
    config: stored.config,
    state: meshState(watch, stored.current),
    onChange(change) {
      const event = { namespace, name: STORED_CONFIG.name, reason: 'ConfigChanged', at: new Date(clock.now()) }
      tellOfConfigMap(kubeconfig, { ...event, message: describeChange(change) }, COMPONENT).catch((error: unknown) =>
        log.warn({ error }, 'no Event was written of a change of the configuration'),
      )
    },
    notReady() {
      const late = watch.notSynced().join(', ')
      return stored.notReady() ?? (late === '' ? undefined : `not read from the cluster: ${late}`)
    },
    watched: watch.state,
    stop() {
      stored.stop()
      watch.stop()
    },
  }
}

/** A stored configuration with its version. */
type Stored = KeptConfig & { readonly version: bigint }

async function openStoredConfig(kubeconfig: KubeConfig, { names, log, clock, namespace }: ClusterMeshOptions) {
  const { changeConfigMap, watchConfigMap } = await import('../../cluster/watch/config-map.ts')
  const only = { namespace, name: STORED_CONFIG.name }
  const initial = initialConfig(names)
  let current: Stored | undefined
  let problem: string | undefined
  const use = (configMap: JsonObject) => {
    const version = versionOf(configMap)
    // What this server has written is newer than what the watch still tells.
    if (current && version < current.version) return
    const config = readStoredConfig(configMap, names)
    if ('reason' in config) {
      problem = `ConfigMap ${namespace}/${STORED_CONFIG.name}: ${config.reason}`
      log.error({ reason: problem }, 'the stored configuration cannot be used')
      return
    }
    problem = undefined
    current = { ...config, cleared: clearedOf(configMap), version }
  }
  const changed = () => {
    const found = watch.object()
    if (found.state === 'found') use(found.value)
    else if (found.state === 'absent') {
      current = undefined
      problem = undefined
    }
  }
  const watch = watchConfigMap(kubeconfig, { only, clock, changed })
  const read = (): JsonObject => {
    if (watch.state() === 'starting') throw new HttpError(503, 'the configuration is not read yet', { retryAfter: 1 })
    if (problem !== undefined) throw new HttpError(500, `the stored configuration cannot be used: ${problem}`)
    return current?.config ?? initial
  }
  const inQueue = createQueue()
  const config: ConfigStore = {
    read: async () => read(),
    readKept: async () => ({ config: read(), cleared: current?.cleared }),
    change: (change) =>
      inQueue(async () => {
        let before = initial
        let after = initial
        const written = await changeConfigMap(kubeconfig, { only, clock }, (configMap) => {
          const known = configMap ? readStoredConfig(configMap, names) : { config: initial }
          if ('reason' in known) throw new HttpError(500, `the stored configuration cannot be used: ${known.reason}`)
          before = known.config
          const changed = change({ ...known, cleared: clearedOf(configMap) })
          after = changed.config
          return isSameValue(before, after)
            ? undefined
            : withCleared(withStoredConfig(configMap ?? {}, after), changed.cleared)
        }).catch((error: unknown) => {
          if (error instanceof HttpError) throw error
          log.error({ error }, 'the configuration cannot be stored')
          throw new HttpError(500, 'the API server does not store the configuration, which stays as it was')
        })
        if (!written) throw new HttpError(409, 'others keep changing the configuration: send the change again')
        if (written.metadata !== undefined) use(written)
        return { before, after }
      }),
  }
  return {
    config,
    current: () => current?.config ?? initial,
    notReady: () =>
      watch.state() === 'synced' ? undefined : `the configuration: ${watch.problem() ?? 'not read yet'}`,
    stop: watch.stop,
  }
}

/** The key of the ConfigMap with what was before a `clear`, while it can be taken back. */
const CLEARED_KEY = 'mesh-config.cleared.json'

function clearedOf({ data }: JsonObject = {}): KeptConfig['cleared'] {
  const text = isObject(data) ? data[CLEARED_KEY] : undefined
  return readCleared(typeof text === 'string' ? text : undefined)
}

function withCleared(configMap: JsonObject, cleared: KeptConfig['cleared']): JsonObject {
  const { [CLEARED_KEY]: _, ...others } = isObject(configMap.data) ? configMap.data : {}
  if (cleared) return { ...configMap, data: { ...others, [CLEARED_KEY]: JSON.stringify(cleared) } }
  return isObject(configMap.data) ? { ...configMap, data: others } : configMap
}

/** Versions of one object grow: Kubernetes, "Resource versions". */
function versionOf({ metadata }: JsonObject): bigint {
  const { resourceVersion } = isObject(metadata) ? metadata : {}
  return typeof resourceVersion === 'string' && /^\d+$/.test(resourceVersion) ? BigInt(resourceVersion) : 0n
}

/** What runs in the mesh; 503 until it is known. */
function meshState(watch: MeshWatch, config: () => JsonObject): MeshState {
  const known = (): MeshWatch => {
    // What was known before the API server went away is better than nothing.
    const starting = watch.state().filter(({ state }) => state === 'starting' || state === 'missing')
    if (starting.length === 0) return watch
    const kinds = starting.map(({ kind }) => kind).join(', ')
    throw new HttpError(503, `not read from the cluster yet: ${kinds}`, { retryAfter: 1 })
  }
  return {
    services: () => known().services(),
    resources: () => known().resources(),
    versions: () => known().versions(config()),
  }
}
