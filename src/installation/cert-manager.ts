/** Certificates from cert-manager: an authority that is valid for long, and a serving certificate that is not. */
import { type Choices, type KubeObject, NAMES, within } from './object.ts'

const API = { apiVersion: 'cert-manager.io/v1' } as const
const AUTHORITY = 'sluice-ca'
const ROOT = 'sluice-self-signed'
const PRIVATE_KEY = { algorithm: 'ECDSA', rotationPolicy: 'Always', size: 256 } as const

/** Two issuers and two certificates. */
export const certificates = (choices: Choices): readonly KubeObject[] => [
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
