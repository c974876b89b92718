/** The Deployment of the server. */
import type { JsonObject } from '../json/member.ts'
import { type Choices, type KubeObject, LABELS, NAMES, PORTS, SELECTOR, within } from './object.ts'

/** Where the settings are mounted. */
export const CONFIG_FOLDER = '/etc/sluice'
const TLS_FOLDER = '/etc/sluice-tls'
const CLIENT_CA_FOLDER = '/etc/sluice-client-ca'

/** The user that the image runs as; no user of the node has this number. */
const USER = 65532

/** Readable only by owner and group: mode 0440, in decimal as the API writes it. */
export const GROUP_READABLE = 0o440

/**
 * Measured, in docs/benchmarks.md: about 160 MB with ten thousand policies, and 130 to 190 µs of processor time for a review
 * in a cluster, of which 100 millicores are about 600 a second. The limit protects the node from the unexpected.
 */
export const RESOURCES = { limits: { memory: '512Mi' }, requests: { cpu: '100m', memory: '256Mi' } } as const

/** The Deployment. Members that the API server would fill in are written. */
export function deployment(choices: Choices): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: within(choices),
    spec: {
      progressDeadlineSeconds: 600,
      replicas: choices.components.has('single-node') ? 1 : 2,
      revisionHistoryLimit: 3,
      selector: { matchLabels: SELECTOR },
      strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 }, type: 'RollingUpdate' },
      template: { metadata: { labels: { ...LABELS, ...SELECTOR } }, spec: pod(choices) },
    },
  }
}

function pod(choices: Choices): JsonObject {
  const isSingle = choices.components.has('single-node')
  return {
    ...(isSingle ? {} : { affinity: apart(SELECTOR) }),
    automountServiceAccountToken: true,
    containers: [container(choices)],
    ...POD_DEFAULTS,
    securityContext: POD_SECURITY,
    serviceAccountName: NAMES.admission,
    terminationGracePeriodSeconds: 30,
    ...(isSingle ? {} : { topologySpreadConstraints: spread(SELECTOR) }),
    volumes: volumes(choices),
  }
}

/** What the security level `restricted` asks of a Pod and of a container, and more. */
export const POD_SECURITY = {
  fsGroup: USER,
  runAsGroup: USER,
  runAsNonRoot: true,
  runAsUser: USER,
  seccompProfile: { type: 'RuntimeDefault' },
} as const
/** What a container may do: nothing but run. */
export const CONTAINER_SECURITY = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  readOnlyRootFilesystem: true,
} as const

/** A probe of the port for probes and metrics. */
const probe = (path: string, failureThreshold: number) => ({
  failureThreshold,
  httpGet: { path, port: 'health', scheme: 'HTTP' },
  periodSeconds: 10,
  successThreshold: 1,
  timeoutSeconds: 2,
})

/** What every container of ours has beside its program, its ports and its volumes. */
export const CONTAINER_DEFAULTS = {
  livenessProbe: probe('/healthz', 3),
  readinessProbe: probe('/readyz', 2),
  startupProbe: { ...probe('/healthz', 30), periodSeconds: 1 },
  resources: RESOURCES,
  securityContext: CONTAINER_SECURITY,
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'FallbackToLogsOnError',
} as const

/** What every Pod of ours has: members that the API server would fill in. */
export const POD_DEFAULTS = {
  dnsPolicy: 'ClusterFirst',
  enableServiceLinks: false,
  restartPolicy: 'Always',
  schedulerName: 'default-scheduler',
} as const

/** A process that is not root may listen on any port of its Pod: a safe sysctl, which level `restricted` allows. */
export const LOW_PORTS = { name: 'net.ipv4.ip_unprivileged_port_start', value: '0' } as const

const portName = (port: number): string => `traffic-${port}`

/** The ports of nginx in a container. */
export const trafficPorts = (ports: readonly number[]) =>
  ports.map((port) => ({ containerPort: port, name: portName(port), protocol: 'TCP' }))

/** The same, in a Service. */
export const servedTraffic = (ports: readonly number[]) =>
  ports.map((port) => ({ name: portName(port), port, protocol: 'TCP', targetPort: port }))

/** Replicas on different nodes and zones where possible; a lack of nodes never prevents a start. */
export const spread = (selector: JsonObject) =>
  ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'].map((topologyKey) => ({
    labelSelector: { matchLabels: selector },
    matchLabelKeys: ['pod-template-hash'],
    maxSkew: 1,
    topologyKey,
    whenUnsatisfiable: 'ScheduleAnyway',
  }))

/** The same for schedulers and linters that know no spread. */
export const apart = (selector: JsonObject) => ({
  podAntiAffinity: {
    preferredDuringSchedulingIgnoredDuringExecution: [
      {
        podAffinityTerm: { labelSelector: { matchLabels: selector }, topologyKey: 'kubernetes.io/hostname' },
        weight: 100,
      },
    ],
  },
})

function container(choices: Choices): JsonObject {
  const hasFiles = choices.components.has('cert-manager')
  const hasClientCa = choices.components.has('client-ca')
  const files = hasFiles ? ['--cert', `${TLS_FOLDER}/tls.crt`, '--key', `${TLS_FOLDER}/tls.key`] : []
  const clients = hasClientCa ? ['--client-ca', `${CLIENT_CA_FOLDER}/${NAMES.clientCaKey}`] : []
  const mesh = choices.mesh ? ['--mesh'] : []
  return {
    name: 'admission',
    image: choices.image,
    imagePullPolicy: 'IfNotPresent',
    args: ['serve', 'admission', '--config', `${CONFIG_FOLDER}/${NAMES.configKey}`, ...files, ...clients, ...mesh],
    ports: [
      { containerPort: PORTS.webhook, name: 'webhook', protocol: 'TCP' },
      { containerPort: PORTS.health, name: 'health', protocol: 'TCP' },
    ],
    ...CONTAINER_DEFAULTS,
    volumeMounts: [
      { mountPath: CONFIG_FOLDER, name: 'config', readOnly: true },
      ...(hasFiles ? [{ mountPath: TLS_FOLDER, name: 'tls', readOnly: true }] : []),
      ...(hasClientCa ? [{ mountPath: CLIENT_CA_FOLDER, name: 'client-ca', readOnly: true }] : []),
    ],
  }
}

/** Whole folders, not single files: those would never see a new version. */
function volumes({ components }: Choices): readonly JsonObject[] {
  const fromConfigMap = (name: string) => ({ configMap: { defaultMode: GROUP_READABLE, name } })
  const tls = { name: 'tls', secret: { defaultMode: GROUP_READABLE, secretName: NAMES.tls } }
  return [
    { ...fromConfigMap(NAMES.config), name: 'config' },
    ...(components.has('cert-manager') ? [tls] : []),
    ...(components.has('client-ca') ? [{ ...fromConfigMap(NAMES.clientCa), name: 'client-ca' }] : []),
  ]
}
