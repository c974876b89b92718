/**
 * One server of an installation: account and rights, settings, Service, the policies of its Pods, and what runs them. Members
 * that the API server would fill in are written.
 */
import type { JsonObject } from '../json/member.ts'
import { apiNames } from '../kubernetes/api-groups.ts'
import { type Choices, type KubeObject, LABELS, NAMES, PORTS } from './object.ts'
import {
  apart,
  CONFIG_FOLDER,
  CONTAINER_DEFAULTS,
  GROUP_READABLE,
  LOW_PORTS,
  POD_DEFAULTS,
  POD_SECURITY,
  spread,
} from './pod-defaults.ts'

/** The choices for any server. */
export type ComponentChoices = Pick<Choices, 'namespace' | 'image' | 'apiGroups'>

/** One server. */
export type Component = {
  /** Of what runs it, of its Service, its ServiceAccount, and what belongs to them. */
  readonly name: string
  /** The label `app.kubernetes.io/component` of its Pods, and the name of its container. */
  readonly label: string
  /** What `sluice serve` runs, and its flags beside `--config`. */
  readonly args: readonly [server: string, ...flags: readonly string[]]
  /** What it may do in the cluster and in its namespace; undefined where it does not use the API of Kubernetes. */
  readonly rights?: { readonly cluster: readonly JsonObject[]; readonly namespace: readonly JsonObject[] }
  /** The port of its API, beside that for probes and metrics. */
  readonly port?: Port
  /** The ports on which nginx takes traffic in its Pods; undefined where it runs no nginx. */
  readonly nginxPorts?: readonly number[] | undefined
  /** True where it connects to more than the API server. */
  readonly connectsAnywhere?: boolean
  /** Folders of its container, beside those of its settings and of nginx. */
  readonly folders?: readonly Folder[]
  readonly replicas: number
  /** False where a drain of the only node must not wait for it. */
  readonly hasDisruptionBudget?: boolean
  /** The label of its Deployment that says what it is part of; default: sluice, which its Pods are part of, too. */
  readonly partOf?: JsonObject
  readonly revisionHistoryLimit?: number
  /** Makes what runs its Pods; default: {@link deployment}. */
  workload?(parts: WorkloadParts): KubeObject
  /** More objects, each behind the one of a kind. */
  readonly behind?: Readonly<Record<string, readonly KubeObject[]>>
}

/** A port of a container and of its Service. */
type Port = {
  readonly name: string
  readonly container: number
  readonly service: number
  /** Peers in a NetworkPolicy that may connect; undefined: all. */
  readonly from?: readonly JsonObject[] | undefined
}

/** A folder of a container: whole folders, as a single file would never see a new version. */
type Folder = {
  readonly name: string
  readonly path: string
  readonly readOnly?: true
  /** The source of the volume; undefined for a claim of a StatefulSet. */
  readonly from?: JsonObject
}

/** What a Deployment and a StatefulSet are made of. */
export type WorkloadParts = {
  readonly metadata: KubeObject['metadata']
  readonly replicas: number
  readonly revisionHistoryLimit: number
  readonly selector: JsonObject
  readonly template: JsonObject
}

/** All objects of a server, in the order in which they are applied. */
export function component(entry: Component, choices: ComponentChoices): readonly KubeObject[] {
  const { hasDisruptionBudget = true, behind = {} } = entry
  const metadata = { name: entry.name, namespace: choices.namespace, labels: LABELS }
  const objects = [
    namespaceObject(choices),
    ...access(entry, metadata),
    config(choices),
    service(entry, metadata),
    networkPolicy(entry, metadata),
    ...(hasDisruptionBudget ? [disruptionBudget(entry, metadata)] : []),
    workload(entry, metadata, choices),
  ]
  return objects.flatMap((object) => [object, ...(behind[object.kind] ?? [])])
}

type Metadata = KubeObject['metadata']

/** What selects the Pods of a server. */
export const selectorOf = ({ label }: Pick<Component, 'label'>) => ({
  'app.kubernetes.io/name': 'sluice',
  'app.kubernetes.io/component': label,
})

/** The namespace of sluice, which accepts Pods only at the security level `restricted`. */
const namespaceObject = ({ namespace }: ComponentChoices): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: namespace, labels: { ...LABELS, 'pod-security.kubernetes.io/enforce': 'restricted' } },
})

const RBAC_GROUP = 'rbac.authorization.k8s.io'
export const RBAC = { apiVersion: `${RBAC_GROUP}/v1` } as const

/** What binds a role to a service account. */
export const boundTo = (
  account: { readonly name: string; readonly namespace?: string },
  kind: 'ClusterRole' | 'Role',
  name: string,
) => {
  const { namespace = '' } = account
  const subjects = [{ kind: 'ServiceAccount', name: account.name, namespace }]
  return { roleRef: { apiGroup: RBAC_GROUP, kind, name }, subjects }
}

/** The service account of a server, its roles and their bindings. */
function access({ name, rights }: Component, metadata: Metadata): readonly KubeObject[] {
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata, automountServiceAccountToken: false }
  if (!rights) return [account]
  const clusterWide = { name, labels: LABELS }
  return [
    account,
    { ...RBAC, kind: 'ClusterRole', metadata: clusterWide, rules: rights.cluster },
    { ...RBAC, kind: 'ClusterRoleBinding', metadata: clusterWide, ...boundTo(metadata, 'ClusterRole', name) },
    { ...RBAC, kind: 'Role', metadata, rules: rights.namespace },
    { ...RBAC, kind: 'RoleBinding', metadata, ...boundTo(metadata, 'Role', name) },
  ]
}

/** The default settings: every rule has its own severity. */
export const DEFAULT_CONFIG = `# Settings of sluice: docs/settings.md lists them all. Changes are read without a restart.
{}
`

/** The default settings, with the API groups where they have other names. */
function configText({ apiGroups }: ComponentChoices): string {
  if (!apiGroups || JSON.stringify(apiNames(apiGroups)) === JSON.stringify(apiNames())) return DEFAULT_CONFIG
  const { vendor, platform } = apiGroups
  const groups = `apiGroups: { vendor: ${JSON.stringify(vendor)}, platform: ${JSON.stringify(platform)} }`
  return DEFAULT_CONFIG.replace('{}\n', `${groups}\n`)
}

const config = (choices: ComponentChoices): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: NAMES.config, namespace: choices.namespace, labels: LABELS },
  data: { [NAMES.configKey]: configText(choices) },
})

/** The specification of a Service inside the cluster. */
export const serviceSpec = (entry: Pick<Component, 'label'>, ports: readonly JsonObject[]) => ({
  internalTrafficPolicy: 'Cluster',
  ports,
  selector: selectorOf(entry),
  sessionAffinity: 'None',
  type: 'ClusterIP',
})

/** A port of a Service; the container has the same port by its name. */
export const servicePort = ({ name, service }: Pick<Port, 'name' | 'service'>) => ({
  name,
  port: service,
  protocol: 'TCP',
  targetPort: name,
})

const trafficName = (port: number): string => `traffic-${port}`

/** One address of all replicas: for traffic, for the API, and for Prometheus. */
function service(entry: Component, metadata: Metadata): KubeObject {
  const traffic = (entry.nginxPorts ?? []).map((port) => ({
    ...{ name: trafficName(port), port, protocol: 'TCP', targetPort: port },
  }))
  const api = entry.port ? [servicePort(entry.port)] : []
  const metrics = { name: 'metrics', port: PORTS.health, protocol: 'TCP', targetPort: 'health' }
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { ...metadata, labels: { ...LABELS, ...selectorOf(entry) } },
    spec: serviceSpec(entry, [...traffic, ...api, metrics]),
  }
}

/** Peers in a NetworkPolicy: every Pod of the cluster. */
export const CLUSTER = [{ namespaceSelector: {} }] as const

/** The API server, which almost everywhere has one of these ports. */
const TO_API_SERVER = { ports: [443, 6443].map((port) => ({ port, protocol: 'TCP' })) } as const

/** The only connections that Pods may have: traffic from anywhere, metrics from inside the cluster. */
function networkPolicy({ nginxPorts = [], port, connectsAnywhere = false, label }: Component, metadata: Metadata) {
  const incoming = (to: number, from?: readonly JsonObject[]) => ({
    ...(from ? { from } : {}),
    ports: [{ port: to, protocol: 'TCP' }],
  })
  const ingress = [
    ...nginxPorts.map((to) => incoming(to)),
    ...(port ? [incoming(port.container, port.from)] : []),
    incoming(PORTS.health, CLUSTER),
  ]
  const egress = [connectsAnywhere ? {} : TO_API_SERVER]
  const podSelector = { matchLabels: selectorOf({ label }) }
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata,
    spec: { egress, ingress, podSelector, policyTypes: ['Ingress', 'Egress'] },
  }
}

/** Drains wait for the other replica; a broken one never blocks them. */
const disruptionBudget = (entry: Component, metadata: Metadata): KubeObject => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata,
  spec: { maxUnavailable: 1, selector: { matchLabels: selectorOf(entry) }, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
})

function workload(entry: Component, metadata: Metadata, choices: ComponentChoices): KubeObject {
  const { replicas, revisionHistoryLimit = 3, partOf, workload: make = deployment } = entry
  const selector = selectorOf(entry)
  return make({
    metadata: partOf ? { ...metadata, labels: { ...LABELS, ...partOf } } : metadata,
    replicas,
    revisionHistoryLimit,
    selector: { matchLabels: selector },
    template: { metadata: { labels: partOf ? selector : { ...LABELS, ...selector } }, spec: pod(entry, choices) },
  })
}

const deployment = ({ metadata, replicas, revisionHistoryLimit, selector, template }: WorkloadParts): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata,
  spec: {
    progressDeadlineSeconds: 600,
    replicas,
    revisionHistoryLimit,
    selector,
    strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 }, type: 'RollingUpdate' },
    template,
  },
})

/** Where nginx runs in a container. */
export const NGINX_FOLDER = '/var/run/sluice-nginx'

/** A ConfigMap, or a Secret, as the source of a volume. */
export const configMapVolume = (name: string) => ({ configMap: { defaultMode: GROUP_READABLE, name } })
export const secretVolume = (secretName: string) => ({ secret: { defaultMode: GROUP_READABLE, secretName } })

function pod(entry: Component, { image }: ComponentChoices): JsonObject {
  const { name, label, args, rights, port, nginxPorts, replicas } = entry
  const selector = selectorOf(entry)
  const folders: readonly Folder[] = [
    { name: 'config', path: CONFIG_FOLDER, readOnly: true, from: configMapVolume(NAMES.config) },
    ...(entry.folders ?? []),
    ...(nginxPorts ? [{ name: 'nginx', path: NGINX_FOLDER, from: { emptyDir: {} } }] : []),
  ]
  const [server, ...flags] = args
  const portOf = (containerPort: number, own: string) => ({ containerPort, name: own, protocol: 'TCP' })
  const container = {
    name: label,
    image,
    imagePullPolicy: 'IfNotPresent',
    args: ['serve', server, '--config', `${CONFIG_FOLDER}/${NAMES.configKey}`, ...flags],
    ports: [
      ...(port ? [portOf(port.container, port.name)] : []),
      ...(nginxPorts ?? []).map((one) => portOf(one, trafficName(one))),
      portOf(PORTS.health, 'health'),
    ],
    ...CONTAINER_DEFAULTS,
    volumeMounts: folders.map(({ path: mountPath, name: volume, readOnly }) => ({
      ...{ mountPath, name: volume },
      ...(readOnly ? { readOnly } : {}),
    })),
  }
  return {
    ...(replicas > 1 ? { affinity: apart(selector) } : {}),
    automountServiceAccountToken: rights !== undefined,
    containers: [container],
    ...POD_DEFAULTS,
    securityContext: nginxPorts ? { ...POD_SECURITY, sysctls: [LOW_PORTS] } : POD_SECURITY,
    serviceAccountName: name,
    // Time for Services to forget the Pod, and for the requests in progress.
    terminationGracePeriodSeconds: 30,
    ...(replicas > 1 ? { topologySpreadConstraints: spread(selector) } : {}),
    volumes: folders.flatMap(({ name: volume, from }) => (from ? [inOrder({ name: volume, ...from })] : [])),
  }
}

const inOrder = (object: JsonObject): JsonObject => Object.fromEntries(Object.entries(object).sort())
