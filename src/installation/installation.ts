/** All objects of an installation. The manifests, the chart and `sluice manifests` are generated from them. */
import { access } from './access.ts'
import { config, disruptionBudget, namespaceObject, networkPolicy, service, serviceMonitor } from './cluster-objects.ts'
import { type Choices, type KubeObject, NAMES, SELECTOR, within } from './object.ts'
import { webhookConfigurations } from './webhooks.ts'
import { deployment } from './workload.ts'

/** All objects, in the order in which they are applied: the server comes before the configurations that name it. */
export function installation(choices: Choices): readonly KubeObject[] {
  const { components } = choices
  return [
    namespaceObject(choices),
    ...access(choices),
    config(choices),
    ...(components.has('cert-manager') ? certificates(choices) : []),
    service(choices),
    networkPolicy(choices),
    ...(components.has('single-node') ? [] : [disruptionBudget({ metadata: within(choices), selector: SELECTOR })]),
    deployment(choices),
    ...(components.has('service-monitor') ? [serviceMonitor(choices)] : []),
    ...webhookConfigurations(choices),
  ]
}

const API = { apiVersion: 'cert-manager.io/v1' } as const
const AUTHORITY = 'sluice-ca'
const ROOT = 'sluice-self-signed'
const PRIVATE_KEY = { algorithm: 'ECDSA', rotationPolicy: 'Always', size: 256 } as const

/** Two issuers and two certificates. */
const certificates = (choices: Choices): readonly KubeObject[] => [
  { ...API, kind: 'Issuer', metadata: within(choices, ROOT), spec: { selfSigned: {} } },
  {
    ...API,
    kind: 'Certificate',
    metadata: within(choices, AUTHORITY),
    spec: {
      commonName: AUTHORITY,
      duration: '87600h',
      isCA: true,
      issuerRef: { group: 'cert-manager.io', kind: 'Issuer', name: ROOT },
      privateKey: PRIVATE_KEY,
      secretName: AUTHORITY,
    },
  },
  { ...API, kind: 'Issuer', metadata: within(choices, AUTHORITY), spec: { ca: { secretName: AUTHORITY } } },
  {
    ...API,
    kind: 'Certificate',
    metadata: within(choices),
    spec: {
      dnsNames: [
        `${NAMES.admission}.${choices.namespace}.svc`,
        `${NAMES.admission}.${choices.namespace}.svc.cluster.local`,
      ],
      duration: '2160h',
      issuerRef: { group: 'cert-manager.io', kind: 'Issuer', name: AUTHORITY },
      privateKey: PRIVATE_KEY,
      renewBefore: '720h',
      secretName: NAMES.tls,
    },
  },
]
