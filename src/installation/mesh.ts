/**
 * The objects of an installation of the API of the mesh: the server, its registration at the aggregation layer, and roles for
 * those who use it. Source: specification of the mesh management API, "Authentication", and Kubernetes, "Set up an Extension
 * API Server".
 */
import type { JsonObject } from '../json/member.ts'
import { apiNames } from '../kubernetes/api-groups.ts'
import { REASON_ANNOTATION } from '../mesh/objects/access.ts'
import { STORED_CONFIG } from '../mesh/stored-config.ts'
import { componentLabel } from '../mesh/versions.ts'
import { RBAC, RBAC_GROUP } from './access.ts'
import {
  config,
  disruptionBudget,
  fromAnywhere,
  fromCluster,
  namespaceObject,
  networkPolicyOf,
  TO_API_SERVER,
} from './cluster-objects.ts'
import { type Choices, type KubeObject, LABELS, NAMES } from './object.ts'
import {
  apart,
  CONFIG_FOLDER,
  CONTAINER_DEFAULTS,
  GROUP_READABLE,
  POD_DEFAULTS,
  POD_SECURITY,
  spread,
} from './workload.ts'

/** The choices for the API of the mesh. Its namespace is that of the mesh. */
export type MeshChoices = Pick<Choices, 'namespace' | 'image' | 'apiGroups'>

const PORTS = { api: 8443, health: 9090 } as const

const SELECTOR = { 'app.kubernetes.io/name': 'sluice', 'app.kubernetes.io/component': 'mesh-api' } as const

/** The version that the API has. */
const VERSION = 'v1alpha1'

/** Names of its objects, which follow those of the mesh. */
export const meshNames = ({ apiGroups }: Pick<MeshChoices, 'apiGroups'>) => {
  const { meshName, meshGroup } = apiNames(apiGroups)
  const api = `${meshName}-api`
  return { namespace: meshName, group: meshGroup, api, tls: `${api}-tls`, apiService: `${VERSION}.${meshGroup}` }
}

/** All objects, in the order in which they are applied: the server comes before its registration. */
export function meshInstallation(choices: MeshChoices): readonly KubeObject[] {
  const all: Choices = { ...choices, components: new Set() }
  return [
    namespaceObject(all),
    ...access(choices),
    ...roles(choices),
    config(all),
    service(choices),
    networkPolicyOf(selected(choices), {
      egress: [TO_API_SERVER],
      // The API server, whose addresses nobody knows here, calls it; others need a certificate or a token.
      ingress: [fromAnywhere(PORTS.api), fromCluster(PORTS.health)],
    }),
    disruptionBudget(selected(choices)),
    deployment(choices),
    registration(choices),
  ]
}

const within = (choices: MeshChoices) => ({
  name: meshNames(choices).api,
  namespace: choices.namespace,
  labels: LABELS,
})

const selected = (choices: MeshChoices) => ({ metadata: within(choices), selector: SELECTOR })

/** Account, roles and their bindings of the server itself. */
function access(choices: MeshChoices): readonly KubeObject[] {
  const { api } = meshNames(choices)
  const subjects = [{ kind: 'ServiceAccount', name: api, namespace: choices.namespace }]
  const clusterWide = { name: api, labels: LABELS }
  const bound = (kind: string, name: string) => ({ roleRef: { apiGroup: RBAC_GROUP, kind, name }, subjects })
  const delegator = { name: `${api}-auth-delegator`, labels: LABELS }
  // Where the ConfigMap is that says whom an extension API server may trust.
  const reader = { name: `${api}-authentication-reader`, namespace: 'kube-system', labels: LABELS }
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: within(choices), automountServiceAccountToken: false },
    { ...RBAC, kind: 'ClusterRole', metadata: clusterWide, rules: clusterRules(choices) },
    { ...RBAC, kind: 'ClusterRoleBinding', metadata: clusterWide, ...bound('ClusterRole', api) },
    { ...RBAC, kind: 'ClusterRoleBinding', metadata: delegator, ...bound('ClusterRole', 'system:auth-delegator') },
    { ...RBAC, kind: 'RoleBinding', metadata: reader, ...bound('Role', 'extension-apiserver-authentication-reader') },
    { ...RBAC, kind: 'Role', metadata: within(choices), rules: namespaceRules(choices) },
    { ...RBAC, kind: 'RoleBinding', metadata: within(choices), ...bound('Role', api) },
  ]
}

/** Reads what the mesh consists of, and writes the `caBundle` of its registration. */
function clusterRules(choices: MeshChoices): readonly JsonObject[] {
  return [
    { apiGroups: [''], resources: ['pods', 'services'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'list', 'watch'] },
    {
      apiGroups: ['apiregistration.k8s.io'],
      resourceNames: [meshNames(choices).apiService],
      resources: ['apiservices'],
      verbs: ['get', 'patch'],
    },
  ]
}

/** Stores the configuration, writes Events about its changes, and keeps its certificates. RBAC cannot narrow `create` by name. */
function namespaceRules(choices: MeshChoices): readonly JsonObject[] {
  const { tls } = meshNames(choices)
  return [
    { apiGroups: [''], resources: ['configmaps', 'events', 'secrets'], verbs: ['create'] },
    {
      apiGroups: [''],
      resourceNames: [STORED_CONFIG.name],
      resources: ['configmaps'],
      verbs: ['get', 'list', 'watch', 'update'],
    },
    { apiGroups: [''], resourceNames: [tls], resources: ['secrets'], verbs: ['get', 'update'] },
  ]
}

/** For people: everything as the specification has it, everything that changes nothing, and what the commands need beside. */
function roles(choices: MeshChoices): readonly KubeObject[] {
  const { api, group } = meshNames(choices)
  const rule = (verb: string, ...resources: readonly string[]) => ({ apiGroups: [group], resources, verbs: [verb] })
  const all = [rule('list', 'config', 'services'), rule('patch', 'config'), rule('create', 'inject')]
  const table: Readonly<Record<string, readonly JsonObject[]>> = {
    admin: all,
    operator: [...all, rule('list', 'resources', 'version'), rule('create', 'clear')],
    reader: [rule('list', 'config', 'services')],
  }
  return Object.entries(table).map(([role, rules]) => ({
    ...RBAC,
    kind: 'ClusterRole',
    metadata: {
      name: `${api}-${role}`,
      labels: LABELS,
      ...(role === 'operator'
        ? { annotations: { [REASON_ANNOTATION]: '"sluice mesh version" and "remove" need them' } }
        : {}),
    },
    rules,
  }))
}

const service = (choices: MeshChoices): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { ...within(choices), labels: { ...LABELS, ...SELECTOR } },
  spec: {
    internalTrafficPolicy: 'Cluster',
    ports: [
      { name: 'api', port: 443, protocol: 'TCP', targetPort: 'api' },
      { name: 'metrics', port: PORTS.health, protocol: 'TCP', targetPort: 'health' },
    ],
    selector: SELECTOR,
    sessionAffinity: 'None',
    type: 'ClusterIP',
  },
})

/** Among the Deployments whose versions the API tells, by their label. */
const deployment = (choices: MeshChoices): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    ...within(choices),
    labels: { ...LABELS, ...Object.fromEntries([componentLabel(apiNames(choices.apiGroups))]) },
  },
  spec: {
    progressDeadlineSeconds: 600,
    replicas: 2,
    revisionHistoryLimit: 10,
    selector: { matchLabels: SELECTOR },
    strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 }, type: 'RollingUpdate' },
    template: { metadata: { labels: SELECTOR }, spec: pod(choices) },
  },
})

function pod(choices: MeshChoices): JsonObject {
  return {
    affinity: apart(SELECTOR),
    automountServiceAccountToken: true,
    containers: [
      {
        name: 'mesh-api',
        image: choices.image,
        imagePullPolicy: 'IfNotPresent',
        args: ['serve', 'mesh', '--config', `${CONFIG_FOLDER}/${NAMES.configKey}`],
        ports: [
          { containerPort: PORTS.api, name: 'api', protocol: 'TCP' },
          { containerPort: PORTS.health, name: 'health', protocol: 'TCP' },
        ],
        ...CONTAINER_DEFAULTS,
        volumeMounts: [{ mountPath: CONFIG_FOLDER, name: 'config', readOnly: true }],
      },
    ],
    ...POD_DEFAULTS,
    securityContext: POD_SECURITY,
    serviceAccountName: meshNames(choices).api,
    terminationGracePeriodSeconds: 30,
    topologySpreadConstraints: spread(SELECTOR),
    volumes: [{ configMap: { defaultMode: GROUP_READABLE, name: NAMES.config }, name: 'config' }],
  }
}

/** At the aggregation layer. `caBundle` is not written: the server owns it. */
function registration(choices: MeshChoices): KubeObject {
  const { api, apiService, group } = meshNames(choices)
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: apiService, labels: LABELS },
    spec: {
      group,
      groupPriorityMinimum: 1000,
      service: { name: api, namespace: choices.namespace, port: 443 },
      version: VERSION,
      versionPriority: 15,
    },
  }
}
