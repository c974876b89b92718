/** What all Pods of an installation have alike. */
import type { JsonObject } from '../json/member.ts'

/** Where the settings are mounted. */
export const CONFIG_FOLDER = '/etc/sluice'

/** The user that the image runs as; no user of the node has this number. */
const USER = 65532

/** Readable only by owner and group: mode 0440, in decimal as the API writes it. */
export const GROUP_READABLE = 0o440

/**
 * Measured, in docs/benchmarks.md: about 160 MB with ten thousand policies, and 130 to 190 µs of processor time for a review
 * in a cluster, of which 100 millicores are about 600 a second. The limit protects the node from the unexpected.
 */
export const RESOURCES = { limits: { memory: '512Mi' }, requests: { cpu: '100m', memory: '256Mi' } } as const

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
