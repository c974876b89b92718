/** The objects of an installation of the controller: account and rights, settings, Service, Deployment. */
import type { JsonObject } from '../json/member.ts'
import { apiNames } from '../kubernetes/api-groups.ts'
import { fingerprint } from '../text/fingerprint.ts'
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
import { type Choices, type KubeObject, LABELS, NAMES, PORTS } from './object.ts'
import { type Resources, watchedResources, writtenStatuses } from './reviewed.ts'
import {
  apart,
  CONFIG_FOLDER,
  CONTAINER_DEFAULTS,
  GROUP_READABLE,
  LOW_PORTS,
  POD_DEFAULTS,
  POD_SECURITY,
  servedTraffic,
  spread,
  trafficPorts,
} from './workload.ts'

/** The name of its objects. */
const CONTROLLER = 'sluice-controller'

const SELECTOR = { 'app.kubernetes.io/name': 'sluice', 'app.kubernetes.io/component': 'controller' } as const

/** The choices for the controller. */
export type ControllerChoices = Pick<Choices, 'namespace' | 'image' | 'apiGroups'> & {
  /** Ports to serve traffic on, by nginx in the same image; undefined where only statuses are written. */
  readonly nginxPorts?: readonly number[] | undefined
}

/** Where nginx runs in the container. */
const NGINX_FOLDER = '/var/run/sluice-nginx'

/** One Lease for each pair of names, so that controllers of other names work side by side. */
export const leaseName = (controllerName: string, gatewayController: string): string =>
  `${CONTROLLER}-${fingerprint(`${controllerName} ${gatewayController}`)}`

/** All objects, in the order in which they are applied. */
export function controllerInstallation(choices: ControllerChoices): readonly KubeObject[] {
  const all: Choices = { ...choices, components: new Set() }
  return [
    namespaceObject(all),
    ...access(choices),
    config(all),
    service(choices),
    networkPolicy(choices),
    disruptionBudget(selected(choices)),
    deployment(choices),
  ]
}

const within = ({ namespace }: ControllerChoices) => ({ name: CONTROLLER, namespace, labels: LABELS })

const selected = (choices: ControllerChoices) => ({ metadata: within(choices), selector: SELECTOR })

function access(choices: ControllerChoices): readonly KubeObject[] {
  const subjects = [{ kind: 'ServiceAccount', name: CONTROLLER, namespace: choices.namespace }]
  const clusterWide = { name: CONTROLLER, labels: LABELS }
  const bound = (kind: string) => ({ roleRef: { apiGroup: RBAC_GROUP, kind, name: CONTROLLER }, subjects })
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: within(choices), automountServiceAccountToken: false },
    { ...RBAC, kind: 'ClusterRole', metadata: clusterWide, rules: clusterRules(choices) },
    { ...RBAC, kind: 'ClusterRoleBinding', metadata: clusterWide, ...bound('ClusterRole') },
    { ...RBAC, kind: 'Role', metadata: within(choices), rules: namespaceRules(choices) },
    { ...RBAC, kind: 'RoleBinding', metadata: within(choices), ...bound('Role') },
  ]
}

/** Reads what decides about statuses, writes statuses and nothing else of an object, and Events about them. */
function clusterRules({ apiGroups, nginxPorts }: ControllerChoices): readonly JsonObject[] {
  const names = apiNames(apiGroups)
  const services: readonly Resources[] = nginxPorts ? [{ group: '', versions: ['v1'], resources: ['services'] }] : []
  const rule =
    (verbs: readonly string[]) =>
    ({ group, resources }: Resources) => ({ apiGroups: [group], resources, verbs })
  return [
    ...[...watchedResources(undefined, names), ...services].map(rule(['get', 'list', 'watch'])),
    ...writtenStatuses(undefined, names).map(rule(['patch'])),
    { apiGroups: [''], resources: ['events'], verbs: ['create', 'get', 'patch'] },
  ]
}

/**
 * RBAC cannot narrow `create` by name, nor Leases by which replicas say what their nginx refuses: each has another name. The
 * ConfigMap is read for its uid, when its settings are wrong.
 */
function namespaceRules({ apiGroups, nginxPorts }: ControllerChoices): readonly JsonObject[] {
  const { controllerName } = apiNames(apiGroups)
  const group = 'coordination.k8s.io'
  const own = [leaseName(controllerName, controllerName)]
  return [
    { apiGroups: [group], resources: ['leases'], verbs: ['create'] },
    { apiGroups: [group], resourceNames: own, resources: ['leases'], verbs: ['get', 'update'] },
    ...(nginxPorts ? [{ apiGroups: [group], resources: ['leases'], verbs: ['delete', 'list', 'patch'] }] : []),
    { apiGroups: [''], resourceNames: [NAMES.config], resources: ['configmaps'], verbs: ['get'] },
  ]
}

/** The ports of nginx for traffic, and that of metrics. */
function service(choices: ControllerChoices): KubeObject {
  const traffic = servedTraffic(choices.nginxPorts ?? [])
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { ...within(choices), labels: { ...LABELS, ...SELECTOR } },
    spec: {
      internalTrafficPolicy: 'Cluster',
      ports: [...traffic, { name: 'metrics', port: PORTS.health, protocol: 'TCP', targetPort: 'health' }],
      selector: SELECTOR,
      sessionAffinity: 'None',
      type: 'ClusterIP',
    },
  }
}

/** Metrics from inside the cluster, traffic from anywhere. Without nginx only the API server is called; nginx may reach any backend. */
function networkPolicy(choices: ControllerChoices): KubeObject {
  const nginxPorts = choices.nginxPorts ?? []
  return networkPolicyOf(selected(choices), {
    egress: nginxPorts.length > 0 ? [{}] : [TO_API_SERVER],
    ingress: [...nginxPorts.map(fromAnywhere), fromCluster(PORTS.health)],
  })
}

const deployment = (choices: ControllerChoices): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: within(choices),
  spec: {
    progressDeadlineSeconds: 600,
    replicas: 2,
    revisionHistoryLimit: 3,
    selector: { matchLabels: SELECTOR },
    strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 }, type: 'RollingUpdate' },
    template: { metadata: { labels: { ...LABELS, ...SELECTOR } }, spec: pod(choices) },
  },
})

function pod(choices: ControllerChoices): JsonObject {
  const runsNginx = choices.nginxPorts !== undefined
  return {
    affinity: apart(SELECTOR),
    automountServiceAccountToken: true,
    containers: [container(choices)],
    ...POD_DEFAULTS,
    securityContext: runsNginx ? { ...POD_SECURITY, sysctls: [LOW_PORTS] } : POD_SECURITY,
    serviceAccountName: CONTROLLER,
    // Time for Services to forget the Pod, and for the requests in progress.
    terminationGracePeriodSeconds: 30,
    topologySpreadConstraints: spread(SELECTOR),
    volumes: [
      { configMap: { defaultMode: GROUP_READABLE, name: NAMES.config }, name: 'config' },
      ...(runsNginx ? [{ emptyDir: {}, name: 'nginx' }] : []),
    ],
  }
}

function container({ image, nginxPorts }: ControllerChoices): JsonObject {
  return {
    name: 'controller',
    image,
    imagePullPolicy: 'IfNotPresent',
    args: [
      ...['serve', 'controller', '--config', `${CONFIG_FOLDER}/${NAMES.configKey}`],
      ...(nginxPorts ? ['--nginx-dir', NGINX_FOLDER] : []),
    ],
    ports: [...trafficPorts(nginxPorts ?? []), { containerPort: PORTS.health, name: 'health', protocol: 'TCP' }],
    ...CONTAINER_DEFAULTS,
    volumeMounts: [
      { mountPath: CONFIG_FOLDER, name: 'config', readOnly: true },
      ...(nginxPorts ? [{ mountPath: NGINX_FOLDER, name: 'nginx' }] : []),
    ],
  }
}
