/** The objects of an installation of the management API: its address, its state on a volume, and nginx in its Pod. */
import type { JsonObject } from '../json/member.ts'
import {
  config,
  disruptionBudget,
  fromAnywhere,
  fromCluster,
  namespaceObject,
  networkPolicyOf,
} from './cluster-objects.ts'
import { type Choices, type KubeObject, LABELS, NAMES } from './object.ts'
import {
  CONFIG_FOLDER,
  CONTAINER_DEFAULTS,
  GROUP_READABLE,
  LOW_PORTS,
  POD_DEFAULTS,
  POD_SECURITY,
  servedTraffic,
  trafficPorts,
} from './workload.ts'

/** The name of its objects. */
const API_MANAGEMENT = 'sluice-api-management'

const POD_SERVICE = `${API_MANAGEMENT}-pods`

const SELECTOR = { 'app.kubernetes.io/name': 'sluice', 'app.kubernetes.io/component': 'api-management' } as const

/** The choices for the management API. */
export type ApiManagementChoices = Pick<Choices, 'namespace' | 'image' | 'apiGroups'> & {
  /** The port to serve traffic on, by nginx in the same image; undefined where proxies are only stored. */
  readonly nginxPort?: number | undefined
  /** A Secret of type `kubernetes.io/tls`; undefined for a certificate that the server makes. */
  readonly tlsSecret?: string | undefined
}

/** TCP ports of the container, which nginx cannot have. */
export const API_MANAGEMENT_PORTS = { api: 8443, health: 9090 } as const
const PORTS = API_MANAGEMENT_PORTS

const FOLDERS = {
  state: '/var/lib/sluice',
  nginx: '/var/run/sluice-nginx',
  admin: '/etc/sluice-admin',
  tls: '/etc/sluice-tls',
} as const

/** The Secret with the first password of `admin`, which users write: without it the Pod does not start. */
export const ADMIN_SECRET = { name: 'sluice-api-management-admin', key: 'password' } as const

/** All objects, in the order in which they are applied. */
export function apiManagementInstallation(choices: ApiManagementChoices): readonly KubeObject[] {
  const all: Choices = { ...choices, components: new Set() }
  return [
    namespaceObject(all),
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: within(choices), automountServiceAccountToken: false },
    config(all),
    service(choices),
    podService(choices),
    networkPolicy(choices),
    disruptionBudget(selected(choices)),
    statefulSet(choices),
  ]
}

const within = ({ namespace }: ApiManagementChoices) => ({ name: API_MANAGEMENT, namespace, labels: LABELS })

const selected = (choices: ApiManagementChoices) => ({ metadata: within(choices), selector: SELECTOR })

const nginxPorts = ({ nginxPort }: ApiManagementChoices): readonly number[] =>
  nginxPort === undefined ? [] : [nginxPort]

/** Gives the Pod of a StatefulSet a name in DNS. */
const podService = (choices: ApiManagementChoices): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { ...within(choices), name: POD_SERVICE },
  spec: {
    clusterIP: 'None',
    internalTrafficPolicy: 'Cluster',
    ports: [{ name: 'api', port: PORTS.api, protocol: 'TCP', targetPort: 'api' }],
    selector: SELECTOR,
    sessionAffinity: 'None',
    type: 'ClusterIP',
  },
})

const service = (choices: ApiManagementChoices): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { ...within(choices), labels: { ...LABELS, ...SELECTOR } },
  spec: {
    internalTrafficPolicy: 'Cluster',
    ports: [
      ...servedTraffic(nginxPorts(choices)),
      { name: 'api', port: PORTS.api, protocol: 'TCP', targetPort: 'api' },
      { name: 'metrics', port: PORTS.health, protocol: 'TCP', targetPort: 'health' },
    ],
    selector: SELECTOR,
    sessionAffinity: 'None',
    type: 'ClusterIP',
  },
})

/** The API and metrics from inside the cluster, traffic from anywhere; nginx may reach any backend. */
const networkPolicy = (choices: ApiManagementChoices): KubeObject =>
  networkPolicyOf(selected(choices), {
    egress: [{}],
    ingress: [...nginxPorts(choices).map(fromAnywhere), ...[PORTS.api, PORTS.health].map(fromCluster)],
  })

/** One replica: its state is a file that one process writes. */
const statefulSet = (choices: ApiManagementChoices): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: within(choices),
  spec: {
    persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
    podManagementPolicy: 'OrderedReady',
    replicas: 1,
    revisionHistoryLimit: 3,
    selector: { matchLabels: SELECTOR },
    serviceName: POD_SERVICE,
    template: { metadata: { labels: { ...LABELS, ...SELECTOR } }, spec: pod(choices) },
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

function pod(choices: ApiManagementChoices): JsonObject {
  const { nginxPort, tlsSecret } = choices
  const secret = (name: string, secretName: string) => ({ name, secret: { defaultMode: GROUP_READABLE, secretName } })
  return {
    automountServiceAccountToken: false,
    containers: [container(choices)],
    ...POD_DEFAULTS,
    securityContext: nginxPort === undefined ? POD_SECURITY : { ...POD_SECURITY, sysctls: [LOW_PORTS] },
    serviceAccountName: API_MANAGEMENT,
    terminationGracePeriodSeconds: 30,
    volumes: [
      { configMap: { defaultMode: GROUP_READABLE, name: NAMES.config }, name: 'config' },
      secret('admin', ADMIN_SECRET.name),
      ...(tlsSecret === undefined ? [] : [secret('tls', tlsSecret)]),
      ...(nginxPort === undefined ? [] : [{ emptyDir: {}, name: 'nginx' }]),
    ],
  }
}

function container({ image, nginxPort, tlsSecret }: ApiManagementChoices): JsonObject {
  const tls = ['--cert', `${FOLDERS.tls}/tls.crt`, '--key', `${FOLDERS.tls}/tls.key`]
  return {
    name: 'api-management',
    image,
    imagePullPolicy: 'IfNotPresent',
    args: [
      ...['serve', 'api-management', '--config', `${CONFIG_FOLDER}/${NAMES.configKey}`],
      ...['--state', `${FOLDERS.state}/state.db`],
      ...['--admin-password-file', `${FOLDERS.admin}/${ADMIN_SECRET.key}`],
      ...(tlsSecret === undefined ? [] : tls),
      ...(nginxPort === undefined ? [] : ['--nginx-dir', FOLDERS.nginx, '--nginx-port', String(nginxPort)]),
    ],
    ports: [
      { containerPort: PORTS.api, name: 'api', protocol: 'TCP' },
      ...trafficPorts(nginxPort === undefined ? [] : [nginxPort]),
      { containerPort: PORTS.health, name: 'health', protocol: 'TCP' },
    ],
    ...CONTAINER_DEFAULTS,
    volumeMounts: [
      { mountPath: CONFIG_FOLDER, name: 'config', readOnly: true },
      { mountPath: FOLDERS.state, name: 'state' },
      { mountPath: FOLDERS.admin, name: 'admin', readOnly: true },
      ...(tlsSecret === undefined ? [] : [{ mountPath: FOLDERS.tls, name: 'tls', readOnly: true }]),
      ...(nginxPort === undefined ? [] : [{ mountPath: FOLDERS.nginx, name: 'nginx' }]),
    ],
  }
}
