/** The objects besides the Deployment: namespace, settings, Service, and the policies of its Pods. */
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

/** Drains wait for the other replica; a broken one never blocks them. */
export const disruptionBudget = (choices: Choices): KubeObject => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: within(choices),
  spec: { maxUnavailable: 1, selector: { matchLabels: SELECTOR }, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
})

/**
 * Reviews from anywhere, because an API server may have any address; metrics from inside the cluster.
 * Outgoing traffic only to the API server, which almost everywhere has one of these ports.
 */
export const networkPolicy = (choices: Choices): KubeObject => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: within(choices),
  spec: {
    egress: [
      {
        ports: [
          { port: 443, protocol: 'TCP' },
          { port: 6443, protocol: 'TCP' },
        ],
      },
    ],
    ingress: [
      { ports: [{ port: PORTS.webhook, protocol: 'TCP' }] },
      { from: [{ namespaceSelector: {} }], ports: [{ port: PORTS.health, protocol: 'TCP' }] },
    ],
    podSelector: { matchLabels: SELECTOR },
    policyTypes: ['Ingress', 'Egress'],
  },
})

/** For the Prometheus operator. */
export const serviceMonitor = (choices: Choices): KubeObject => ({
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'ServiceMonitor',
  metadata: within(choices),
  spec: { endpoints: [{ path: '/metrics', port: 'metrics' }], selector: { matchLabels: SELECTOR } },
})
