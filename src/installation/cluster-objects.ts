/** The objects besides the Deployment: namespace, settings, Service, and the policies of its Pods. */
import type { JsonObject } from '../json/member.ts'
import { apiNames } from '../kubernetes/api-groups.ts'
import { type Choices, type KubeObject, LABELS, NAMES, PORTS, SELECTOR, within } from './object.ts'

/** The namespace of sluice, which accepts Pods only at the security level `restricted`. */
export const namespaceObject = ({ namespace }: Choices): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: namespace, labels: { ...LABELS, 'pod-security.kubernetes.io/enforce': 'restricted' } },
})

/** The default settings: every rule has its own severity. */
export const DEFAULT_CONFIG = `# Settings of sluice: docs/settings.md lists them all. Changes are read without a restart.
{}
`

/** The default settings, with the API groups where they have other names. */
function configText({ apiGroups }: Choices): string {
  if (!apiGroups || JSON.stringify(apiNames(apiGroups)) === JSON.stringify(apiNames())) return DEFAULT_CONFIG
  const { vendor, platform } = apiGroups
  const groups = `apiGroups: { vendor: ${JSON.stringify(vendor)}, platform: ${JSON.stringify(platform)} }`
  return DEFAULT_CONFIG.replace('{}\n', `${groups}\n`)
}

/** The settings. */
export const config = (choices: Choices): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: within(choices, NAMES.config),
  data: { [NAMES.configKey]: configText(choices) },
})

/** The address of the replicas for the API server and for Prometheus. */
export const service = (choices: Choices): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { ...within(choices), labels: { ...LABELS, ...SELECTOR } },
  spec: {
    internalTrafficPolicy: 'Cluster',
    ports: [
      { name: 'webhook', port: 443, protocol: 'TCP', targetPort: 'webhook' },
      { name: 'metrics', port: PORTS.health, protocol: 'TCP', targetPort: 'health' },
    ],
    selector: SELECTOR,
    sessionAffinity: 'None',
    type: 'ClusterIP',
  },
})

/** Pods, and the metadata of an object about them. */
type Selected = { readonly metadata: KubeObject['metadata']; readonly selector: JsonObject }

/** Drains wait for the other replica; a broken one never blocks them. */
export const disruptionBudget = ({ metadata, selector }: Selected): KubeObject => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata,
  spec: { maxUnavailable: 1, selector: { matchLabels: selector }, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
})

/** The only connections that Pods may have. */
export const networkPolicyOf = (
  { metadata, selector }: Selected,
  { egress, ingress }: { readonly egress: readonly JsonObject[]; readonly ingress: readonly JsonObject[] },
): KubeObject => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata,
  spec: { egress, ingress, podSelector: { matchLabels: selector }, policyTypes: ['Ingress', 'Egress'] },
})

/** Outgoing connections of a NetworkPolicy: the API server, which almost everywhere has one of these ports. */
export const TO_API_SERVER = { ports: [443, 6443].map((port) => ({ port, protocol: 'TCP' })) } as const

/** Incoming connections of a NetworkPolicy, to a port. */
export const fromAnywhere = (port: number) => ({ ports: [{ port, protocol: 'TCP' }] })
export const fromCluster = (port: number) => ({ from: [{ namespaceSelector: {} }], ...fromAnywhere(port) })

/**
 * Reviews from the API servers where their addresses are known, else from anywhere; metrics from inside the cluster.
 * Outgoing traffic only to the API server.
 */
export const networkPolicy = (choices: Choices): KubeObject =>
  networkPolicyOf(
    { metadata: within(choices), selector: SELECTOR },
    {
      egress: [TO_API_SERVER],
      ingress: [
        { ...fromApiServers(choices), ports: [{ port: PORTS.webhook, protocol: 'TCP' }] },
        fromCluster(PORTS.health),
      ],
    },
  )

const fromApiServers = ({ apiServers = [] }: Choices) =>
  apiServers.length === 0 ? {} : { from: apiServers.map((cidr) => ({ ipBlock: { cidr } })) }

/** For the Prometheus operator. */
export const serviceMonitor = (choices: Choices): KubeObject => ({
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'ServiceMonitor',
  metadata: within(choices),
  spec: { endpoints: [{ path: '/metrics', port: 'metrics' }], selector: { matchLabels: SELECTOR } },
})
