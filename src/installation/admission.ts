/** All objects of an installation of the webhook. The manifests, the chart and `sluice manifests` are generated from them. */
import type { JsonObject } from '../json/member.ts'
import { apiNames } from '../kubernetes/api-groups.ts'
import { STORED_CONFIG } from '../mesh/stored-config.ts'
import { boundTo, component, configMapVolume, RBAC, secretVolume, selectorOf } from './component.ts'
import { type Choices, type KubeObject, LABELS, NAMES, PORTS } from './object.ts'
import { watchedResources } from './reviewed.ts'
import { webhookConfigurations } from './webhooks.ts'

const LABEL = 'admission'
const TLS_FOLDER = '/etc/sluice-tls'
const CLIENT_CA_FOLDER = '/etc/sluice-client-ca'

/** All objects, in the order in which they are applied: the server comes before the configurations that name it. */
export function admissionInstallation(choices: Choices): readonly KubeObject[] {
  const { components, apiServers = [] } = choices
  const [hasFiles, hasClientCa] = [components.has('cert-manager'), components.has('client-ca')]
  const isSingle = components.has('single-node')
  const metadata = { name: NAMES.admission, namespace: choices.namespace, labels: LABELS }
  return component(
    {
      name: NAMES.admission,
      label: LABEL,
      args: [
        'admission',
        ...(hasFiles ? ['--cert', `${TLS_FOLDER}/tls.crt`, '--key', `${TLS_FOLDER}/tls.key`] : []),
        ...(hasClientCa ? ['--client-ca', `${CLIENT_CA_FOLDER}/${NAMES.clientCaKey}`] : []),
        ...(choices.mesh ? ['--mesh'] : []),
      ],
      rights: { cluster: clusterRules(choices), namespace: namespaceRules(choices) },
      port: {
        ...{ name: 'webhook', container: PORTS.webhook, service: 443 },
        from: apiServers.length === 0 ? undefined : apiServers.map((cidr) => ({ ipBlock: { cidr } })),
      },
      folders: [
        ...(hasFiles
          ? [{ name: 'tls', path: TLS_FOLDER, readOnly: true, from: secretVolume(NAMES.tls) } as const]
          : []),
        ...(hasClientCa
          ? [
              {
                name: 'client-ca',
                path: CLIENT_CA_FOLDER,
                readOnly: true,
                from: configMapVolume(NAMES.clientCa),
              } as const,
            ]
          : []),
      ],
      replicas: isSingle ? 1 : 2,
      hasDisruptionBudget: !isSingle,
      behind: {
        ClusterRoleBinding: choices.mesh ? meshAccess(choices, metadata) : [],
        ConfigMap: hasFiles ? certificates(choices, metadata) : [],
        Deployment: [
          ...(components.has('service-monitor') ? [serviceMonitor(metadata)] : []),
          ...webhookConfigurations(choices),
        ],
      },
    },
    choices,
  )
}

type Metadata = KubeObject['metadata']

/**
 * Reads the configuration of the mesh, whose namespace may be made later, and the limits of namespaces; writes Events about
 * Pods that are left without its sidecar, and the `caBundle` of the webhook that injects it.
 */
function meshAccess({ components }: Choices, account: Metadata): readonly KubeObject[] {
  const metadata = { name: NAMES.meshInjection, labels: LABELS }
  const rules = [
    {
      apiGroups: [''],
      resourceNames: [STORED_CONFIG.name],
      resources: ['configmaps'],
      verbs: ['get', 'list', 'watch'],
    },
    { apiGroups: [''], resources: ['limitranges', 'resourcequotas'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: [''], resources: ['events'], verbs: ['create', 'get', 'patch'] },
    ...(components.has('cert-manager') ? [] : [configuration('mutatingwebhookconfigurations', NAMES.meshInjection)]),
  ]
  return [
    { ...RBAC, kind: 'ClusterRole', metadata, rules },
    { ...RBAC, kind: 'ClusterRoleBinding', metadata, ...boundTo(account, 'ClusterRole', NAMES.meshInjection) },
  ]
}

/** What it takes to write the `caBundle` of a webhook configuration, also as soon as another writer has changed it. */
const configuration = (resource: string, name: string) => ({
  apiGroups: ['admissionregistration.k8s.io'],
  resourceNames: [name],
  resources: [resource],
  verbs: ['get', 'list', 'watch', 'patch'],
})

/** Reads the kinds that rules look up; writes the `caBundle` of its own two configurations. */
function clusterRules({ components, apiGroups }: Choices): readonly JsonObject[] {
  const reading = watchedResources(undefined, apiNames(apiGroups)).map(({ group, resources }) => ({
    apiGroups: [group],
    resources,
    verbs: ['get', 'list', 'watch'],
  }))
  if (components.has('cert-manager')) return reading
  return [
    ...reading,
    configuration('validatingwebhookconfigurations', NAMES.validating),
    configuration('mutatingwebhookconfigurations', NAMES.mutating),
  ]
}

/**
 * Writes an Event when its settings cannot be read, for which it reads the uid of the ConfigMap, and keeps its
 * certificates. RBAC cannot narrow `create` by name.
 */
function namespaceRules({ components }: Choices): readonly JsonObject[] {
  const events = [
    { apiGroups: [''], resources: ['events'], verbs: ['create'] },
    { apiGroups: [''], resourceNames: [NAMES.config], resources: ['configmaps'], verbs: ['get'] },
  ]
  if (components.has('cert-manager')) return events
  return [
    ...events,
    { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
    { apiGroups: [''], resourceNames: [NAMES.tls], resources: ['secrets'], verbs: ['get', 'update'] },
  ]
}

/** For the Prometheus operator. */
const serviceMonitor = (metadata: Metadata): KubeObject => ({
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'ServiceMonitor',
  metadata,
  spec: {
    endpoints: [{ path: '/metrics', port: 'metrics' }],
    selector: { matchLabels: selectorOf({ label: LABEL }) },
  },
})

const API = { apiVersion: 'cert-manager.io/v1' } as const
const AUTHORITY = 'sluice-ca'
const ROOT = 'sluice-self-signed'
const PRIVATE_KEY = { algorithm: 'ECDSA', rotationPolicy: 'Always', size: 256 } as const

/** Two issuers and two certificates. */
function certificates({ namespace }: Choices, metadata: Metadata): readonly KubeObject[] {
  const issuerRef = (name: string) => ({ group: 'cert-manager.io', kind: 'Issuer', name })
  const service = `${NAMES.admission}.${namespace}.svc`
  return [
    { ...API, kind: 'Issuer', metadata: { ...metadata, name: ROOT }, spec: { selfSigned: {} } },
    {
      ...API,
      kind: 'Certificate',
      metadata: { ...metadata, name: AUTHORITY },
      spec: {
        commonName: AUTHORITY,
        duration: '87600h',
        isCA: true,
        issuerRef: issuerRef(ROOT),
        privateKey: PRIVATE_KEY,
        secretName: AUTHORITY,
      },
    },
    { ...API, kind: 'Issuer', metadata: { ...metadata, name: AUTHORITY }, spec: { ca: { secretName: AUTHORITY } } },
    {
      ...API,
      kind: 'Certificate',
      metadata,
      spec: {
        dnsNames: [service, `${service}.cluster.local`],
        duration: '2160h',
        issuerRef: issuerRef(AUTHORITY),
        privateKey: PRIVATE_KEY,
        renewBefore: '720h',
        secretName: NAMES.tls,
      },
    },
  ]
}
