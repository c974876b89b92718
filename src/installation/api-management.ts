/** The objects of an installation of the management API: its address, its state on a volume, and nginx in its Pod. */
import {
  CLUSTER,
  type ComponentChoices,
  component,
  NGINX_FOLDER,
  secretVolume,
  servicePort,
  serviceSpec,
  type WorkloadParts,
} from './component.ts'
import { type KubeObject, LABELS, PORTS } from './object.ts'

/** The name of its objects. */
export const API_MANAGEMENT = 'sluice-api-management'

const LABEL = 'api-management'

const POD_SERVICE = `${API_MANAGEMENT}-pods`

/** The choices for the management API. */
export type ApiManagementChoices = ComponentChoices & {
  /** The port to serve traffic on, by nginx in the same image; undefined where proxies are only stored. */
  readonly nginxPort?: number | undefined
  /** A Secret of type `kubernetes.io/tls`; undefined for a certificate that the server makes. */
  readonly tlsSecret?: string | undefined
}

/** TCP ports of the container, which nginx cannot have. */
export const API_MANAGEMENT_PORTS = { api: 8443, health: PORTS.health } as const

const API_PORT = { name: 'api', container: API_MANAGEMENT_PORTS.api, service: API_MANAGEMENT_PORTS.api } as const

const FOLDERS = { state: '/var/lib/sluice', admin: '/etc/sluice-admin', tls: '/etc/sluice-tls' } as const

/** The Secret with the first password of `admin`, which users write: without it the Pod does not start. */
export const ADMIN_SECRET = { name: 'sluice-api-management-admin', key: 'password' } as const

/** All objects, in the order in which they are applied. nginx may reach any backend, and its traffic comes from anywhere. */
export function apiManagementInstallation(choices: ApiManagementChoices): readonly KubeObject[] {
  const { nginxPort, tlsSecret } = choices
  return component(
    {
      name: API_MANAGEMENT,
      label: LABEL,
      args: [
        'api-management',
        ...['--state', `${FOLDERS.state}/state.db`],
        ...['--admin-password-file', `${FOLDERS.admin}/${ADMIN_SECRET.key}`],
        ...(tlsSecret === undefined ? [] : ['--cert', `${FOLDERS.tls}/tls.crt`, '--key', `${FOLDERS.tls}/tls.key`]),
        ...(nginxPort === undefined ? [] : ['--nginx-dir', NGINX_FOLDER, '--nginx-port', String(nginxPort)]),
      ],
      port: { ...API_PORT, from: CLUSTER },
      nginxPorts: nginxPort === undefined ? undefined : [nginxPort],
      connectsAnywhere: true,
      folders: [
        { name: 'state', path: FOLDERS.state },
        { name: 'admin', path: FOLDERS.admin, readOnly: true, from: secretVolume(ADMIN_SECRET.name) },
        ...(tlsSecret === undefined
          ? []
          : [{ name: 'tls', path: FOLDERS.tls, readOnly: true, from: secretVolume(tlsSecret) } as const]),
      ],
      replicas: 1,
      workload: statefulSet,
      behind: { Service: [podService(choices)] },
    },
    choices,
  )
}

/** Gives the Pod of a StatefulSet a name in DNS. */
const podService = ({ namespace }: ApiManagementChoices): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: POD_SERVICE, namespace, labels: LABELS },
  spec: { clusterIP: 'None', ...serviceSpec({ label: LABEL }, [servicePort(API_PORT)]) },
})

/** One replica: its state is a file that one process writes. */
const statefulSet = ({ metadata, replicas, revisionHistoryLimit, selector, template }: WorkloadParts): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata,
  spec: {
    persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
    podManagementPolicy: 'OrderedReady',
    replicas,
    revisionHistoryLimit,
    selector,
    serviceName: POD_SERVICE,
    template,
    updateStrategy: { rollingUpdate: { partition: 0 }, type: 'RollingUpdate' },
    volumeClaimTemplates: [
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'state' },
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '1Gi' } },
          volumeMode: 'Filesystem',
        },
      },
    ],
  },
})
