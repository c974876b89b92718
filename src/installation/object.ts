/** Names and labels that all objects of an installation share. */

import type { Json, JsonObject } from '../json/member.ts'
import type { NameParts } from '../kubernetes/api-groups.ts'

/** An object for the API server. */
export type KubeObject = {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly labels: JsonObject
    readonly annotations?: JsonObject
  }
  readonly [member: string]: Json | undefined
}

/** The choices for an installation. */
export type Choices = {
  readonly namespace: string
  /** The container image, with its tag. */
  readonly image: string
  readonly components: ReadonlySet<ComponentName>
  /** The only addresses (CIDR) from which reviews are accepted; default: all. */
  readonly apiServers?: readonly string[]
  /** True where the webhook also adds the sidecar of the service mesh to new Pods. */
  readonly mesh?: boolean
  /** What a distribution calls its API groups; default: the names of NGINX Gateway Fabric. */
  readonly apiGroups?: NameParts
}

/** Changes to the base; they can be combined. */
export const COMPONENTS = {
  'cert-manager': 'certificates from cert-manager instead of our own',
  'fail-closed': 'policies are denied while no replica responds',
  'mutate-everywhere': 'safe fixes are written in every namespace, labelled or not',
  'single-node': 'one replica, for clusters of one node',
  'service-monitor': 'a ServiceMonitor for the Prometheus operator',
  'client-ca': 'reviews only from API servers with a certificate',
} as const

/** The name of a component, as `sluice manifests --overlay` takes it. */
export type ComponentName = keyof typeof COMPONENTS

/** Names that users, alerts and scripts rely on. */
export const NAMES = {
  namespace: 'sluice-system',
  /** Service, Deployment, ServiceAccount, and what belongs to them. */
  admission: 'sluice-admission',
  config: 'sluice-config',
  configKey: 'sluice.config.yaml',
  /** The Secret with the serving certificate, written by sluice or by cert-manager. */
  tls: 'sluice-admission-tls',
  /** The ConfigMap with the authorities of the certificates of API servers, written by users. */
  clientCa: 'sluice-client-ca',
  clientCaKey: 'ca.crt',
  validating: 'sluice-validating',
  mutating: 'sluice-mutating',
  /** The webhook that adds the sidecar of the service mesh, and the ClusterRole that it needs. */
  meshInjection: 'sluice-mesh-injection',
  /** The ValidatingAdmissionPolicies with the errors and with the warnings, and their bindings. */
  errorPolicy: 'sluice-errors',
  warningPolicy: 'sluice-warnings',
  /** Namespaces opt out of enforcement with `off`. */
  enforceLabel: 'sluice.policy/enforce',
  /** Namespaces opt in to mutation with `enabled`. */
  mutateLabel: 'sluice.policy/mutate',
} as const

/** TCP ports of the container. */
export const PORTS = { webhook: 9443, health: 9090 } as const

/** On every object, so that one `kubectl delete -l` finds all of them. */
export const LABELS = { 'app.kubernetes.io/name': 'sluice', 'app.kubernetes.io/part-of': 'sluice' } as const
