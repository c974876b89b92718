/** What the sidecar adds to a Pod. Source: the output of `nginx-meshctl inject` of NGINX Service Mesh 1.7. */
import type { Json, JsonObject } from '../../json/member.ts'
import type { PodView } from './pod.ts'
import { type InjectSettings, SOCKETS, socketVolume } from './settings.ts'

/** Probes that the sidecar takes in place of a container: the request that was written, by the path that it gets. */
export type HealthRedirects = ReadonlyMap<string, JsonObject>

/** The init container, which redirects the traffic of the Pod to the sidecar. */
export function initContainer(
  { mesh }: InjectSettings,
  { ignoreIncoming, ignoreOutgoing }: PodView,
  redirects: HealthRedirects,
): Json {
  const ofProbes = redirects.size > 0 ? [mesh.ports.health, mesh.ports.healthTls] : []
  const incoming = new Set([mesh.ports.metrics, ...ignoreIncoming, ...ofProbes])
  return {
    name: mesh.init.name,
    image: mesh.init.image,
    args: [
      ...(mesh.isUdpEnabled ? ['--enable-udp'] : []),
      ...[...incoming].flatMap((port) => ['--ignore-incoming-ports', `${port}`]),
      ...ignoreOutgoing.flatMap((port) => ['--ignore-outgoing-ports', `${port}`]),
    ],
    securityContext: {
      runAsUser: 0,
      // A Pod may demand otherwise of its containers, and the kubelet would not start this one.
      runAsNonRoot: false,
      privileged: false,
      capabilities: { add: ['NET_ADMIN', 'NET_RAW', 'SYS_RESOURCE', 'SYS_ADMIN'] },
    },
  }
}

/** The sidecar. */
export function sidecarContainer(
  { mesh, keys, choices }: InjectSettings,
  { kind, view }: { kind: string; view: PodView },
  redirects: HealthRedirects,
): JsonObject {
  const field = (name: string, fieldPath: string): Json => ({ name, valueFrom: { fieldRef: { fieldPath } } })
  return {
    name: mesh.sidecar.name,
    image: mesh.sidecar.image,
    args: [
      ...view.ports.flatMap((port) => ['-s', `${port}`]),
      ...['-n', view.name, '--namespace', mesh.namespace, '-d', mesh.trustDomain],
      ...['--mtls-annotation', view.mtlsMode, '--client-max-body-size', view.clientMaxBodySize],
      ...(redirects.size > 0 ? ['--health-redirects', JSON.stringify(Object.fromEntries(redirects))] : []),
    ],
    env: [
      field('MY_DEPLOY_NAME', `metadata.labels['${keys.owner(kind)}']`),
      field('MY_NAMESPACE', 'metadata.namespace'),
      field('MY_POD_NAME', 'metadata.name'),
      field('MY_POD_IP', 'status.podIP'),
      field('MY_SERVICE_ACCOUNT', 'spec.serviceAccountName'),
    ],
    ports: [{ containerPort: mesh.ports.metrics }],
    // What the Pod Security level "restricted" demands of a container.
    securityContext: {
      runAsUser: 2102,
      runAsNonRoot: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      seccompProfile: { type: 'RuntimeDefault' },
    },
    volumeMounts: [{ name: socketVolume(choices).name, mountPath: SOCKETS, readOnly: true }],
  }
}
