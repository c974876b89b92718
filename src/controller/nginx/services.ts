/** The addresses of Services, as nginx gets them: cluster IPs, so that no name has to be resolved while it loads. */
import type { Clock } from '../../cluster/client/clock.ts'
import type { WatchedKind } from '../../cluster/client/kinds.ts'
import type { KubeConfig } from '../../cluster/client/library.ts'
import { watchKind } from '../../cluster/watch/kind-watch.ts'
import type { Addresses } from '../../gateway/render/actions.ts'
import { asObject, asString, type JsonObject, member } from '../../json/member.ts'
import { readIdentity, readMetadata } from '../../kubernetes/metadata.ts'

/** Services as they are watched. */
const SERVICE: WatchedKind = {
  kind: 'Service',
  group: '',
  resource: { version: 'v1', plural: 'services', namespaced: true, optional: false },
  read: (object, namespace) => ({ object, identity: readIdentity('Service', readMetadata(object), namespace) }),
}

export type Services = Addresses & { isSynced(): boolean; stop(): void }

/**
 * Watches the Services of a cluster. The address of one that is not there, or has no cluster IP, is `absent`, where nothing
 * listens, so that nginx answers with 502.
 */
export function watchServices(
  kubeconfig: KubeConfig,
  { clock, changed, absent }: { readonly clock: Clock; changed(): void; readonly absent: string },
): Services {
  const watch = watchKind(SERVICE, { kubeconfig, clock, changed, keep: keptService })
  return {
    isSynced: () => watch.state() === 'synced',
    /** By `NAMESPACE/SERVICE:PORT`. */
    get(backend) {
      const [, namespace, name = '', port] = /^([^/]*)\/(.*):(\d+)$/.exec(backend) ?? []
      const service = watch.objects().index().get('Service', namespace, name)
      const address = service.state === 'found' ? clusterIp(service.value.object) : undefined
      return address === undefined ? absent : `${address}:${port}`
    },
    stop: watch.stop,
  }
}

/** In brackets for IPv6; undefined for `None` and where none is assigned. */
function clusterIp(service: JsonObject): string | undefined {
  const ip = member(member(service, '', 'spec', asObject).value, '', 'clusterIP', asString).value ?? ''
  if (/^[\d.]+$/.test(ip)) return ip
  return /^[0-9a-f:.]+$/i.test(ip) ? `[${ip}]` : undefined
}

function keptService({ metadata, spec }: JsonObject): JsonObject {
  const { name, namespace, resourceVersion } = asObject(metadata ?? null) ?? {}
  const { clusterIP } = asObject(spec ?? null) ?? {}
  return { metadata: { name, namespace, resourceVersion }, spec: { clusterIP } }
}
