/** The mesh in a cluster, watched: its Services, the workloads with the sidecar, and its versions. */
import { isObject, type Json, type JsonObject } from '../../json/member.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { readIdentity, readMetadata } from '../../kubernetes/metadata.ts'
import { SPIFFE_LABEL } from '../../mesh/inject/plan.ts'
import { meshValues } from '../../mesh/inject/settings.ts'
import { type MeshPod, type MeshResources, meshResources, podReader } from '../../mesh/pods.ts'
import { type MeshService, meshServices, readService } from '../../mesh/services.ts'
import { componentLabel, type MeshVersions, meshVersions, readComponent } from '../../mesh/versions.ts'
import type { KindObjects, ObjectView } from '../../world/objects.ts'
import type { Clock } from '../client/clock.ts'
import type { Only, WatchedKind } from '../client/kinds.ts'
import type { KubeConfig } from '../client/library.ts'
import type { Keep } from '../client/list-kind.ts'
import { compacted } from './compacted.ts'
import { type KindWatch, type WatchState, watchKind } from './kind-watch.ts'

/** What is in the mesh now; meaningful while {@link MeshWatch.notSynced} is empty. */
export type MeshWatch = {
  /** The kinds that are not known, as their watches are not synced. */
  notSynced(): readonly string[]
  services(): readonly MeshService[]
  resources(): MeshResources
  /** The versions of the components, and of the sidecars that there are and that a configuration injects. */
  versions(config: JsonObject): MeshVersions
  /** For the metrics. */
  state(): readonly { readonly kind: string; readonly state: WatchState; readonly objects: number }[]
  stop(): void
}

/** Starts to watch. Never throws and needs no API server. Needs the rights `list` and `watch` on the three kinds. */
export function watchMesh(
  kubeconfig: KubeConfig,
  { names, clock }: { readonly names: ApiNames; readonly clock: Clock },
): MeshWatch {
  const toPod = podReader(names.meshGroup)
  const watch = (kind: WatchedKind, own: { readonly keep?: Keep; readonly only?: Only } = {}): KindWatch =>
    watchKind(kind, { kubeconfig, clock, ...own, changed: () => undefined })
  const pods = watch(kindOf('Pod', '', 'pods'), { keep: keptPod, only: { label: `${SPIFFE_LABEL}=true` } })
  const services = watch(kindOf('Service', '', 'services'))
  const deployments = watch(kindOf('Deployment', 'apps', 'deployments'), {
    only: { label: componentLabel(names).join('=') },
  })
  const all = [pods, services, deployments]
  const podsNow = onChange(pods, (objects): readonly MeshPod[] => objects.map(toPod))
  const servicesNow = onChange(services, (objects) => objects.map(readService))
  const componentsNow = onChange(deployments, (objects) => objects.flatMap((one) => readComponent(one, names) ?? []))
  return {
    notSynced: () => all.filter(({ state }) => state() !== 'synced').map(({ kind }) => kind.kind),
    services: () => meshServices(servicesNow(), podsNow()),
    resources: () => meshResources(podsNow()),
    versions(config) {
      const { sidecar, init } = meshValues(config, names)
      return meshVersions(componentsNow(), podsNow(), [sidecar, init])
    },
    state: () => all.map((one) => ({ kind: one.kind.kind, state: one.state(), objects: one.count() })),
    stop() {
      for (const one of all) one.stop()
    },
  }
}

const kindOf = (kind: string, group: string, plural: string): WatchedKind => ({
  kind,
  group,
  resource: { version: 'v1', plural, namespaced: true, optional: false },
  read: (object): ObjectView => ({ object, identity: readIdentity(kind, readMetadata(object)) }),
})

/** What is made of the objects of a watch, made again only after one of them has changed. */
function onChange<Made>(watch: KindWatch, make: (objects: readonly JsonObject[]) => Made): () => Made {
  let made: { readonly from: KindObjects; readonly value: Made } | undefined
  return () => {
    const from = watch.objects()
    if (made?.from !== from) made = { from, value: make(from.all().map(({ object }) => object)) }
    return made.value
  }
}

/** A Pod with what {@link podReader} reads: of its containers the names and images. */
function keptPod(object: JsonObject, kind: WatchedKind): JsonObject {
  const { metadata, spec, status } = object
  const { ownerReferences, deletionTimestamp } = isObject(metadata) ? metadata : {}
  const { containers, initContainers } = isObject(spec) ? spec : {}
  const { phase, podIP, podIPs } = isObject(status) ? status : {}
  const kept = compacted(
    { ...object, spec: { containers: named(containers), initContainers: named(initContainers) } },
    kind,
  )
  const own = isObject(kept.metadata) ? kept.metadata : {}
  return { ...kept, metadata: { ...own, ownerReferences, deletionTimestamp }, status: { phase, podIP, podIPs } }
}

const named = (containers: Json | undefined): Json =>
  (Array.isArray(containers) ? containers : []).map((one: Json) => {
    const { name, image } = isObject(one) ? one : {}
    return { name, image }
  })
