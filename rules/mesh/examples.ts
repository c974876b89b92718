/** Manifests for the examples of rules: each rule writes only the part that matters to it. */

import type { Json } from '../../src/json/member.ts'
import { apiNames } from '../../src/kubernetes/api-groups.ts'
import { initialConfig, withValue } from '../../src/mesh/config.ts'
import { STORED } from '../../src/mesh/objects/stored.ts'

type RoleParts = {
  readonly kind?: string
  /** Lines of `metadata`. */
  readonly metadata?: readonly string[]
  /** Flow mappings. */
  readonly rules: readonly string[]
}

/** A role of the mesh. */
export const meshRole = ({
  kind = 'ClusterRole',
  metadata = [],
  rules,
}: RoleParts): string => `apiVersion: rbac.authorization.k8s.io/v1
kind: ${kind}
metadata:
  name: mesh-reader
${[...metadata, ...(kind === 'Role' ? ['namespace: shop'] : [])].map((line) => `  ${line}\n`).join('')}rules:
${rules.map((one) => `- ${one}\n`).join('')}`

/** A rule that grants what readers need. */
export const READS = '{ apiGroups: [nsm.nginx.com], resources: [config], verbs: [list] }'

/** The stored configuration of a new mesh with other values at some pointers. */
export function meshConfigMap(changes: Readonly<Record<string, Json>> = {}): string {
  const config = Object.entries(changes).reduce(
    (changed, [pointer, value]) => withValue(changed, pointer, value),
    initialConfig(apiNames()),
  )
  const text = JSON.stringify(config, null, 2).replaceAll('\n', '\n    ')
  return `apiVersion: v1
kind: ConfigMap
metadata:
  name: ${STORED.name}
  namespace: nginx-mesh
data:
  ${STORED.key}: |
    ${text}
`
}

/** A Deployment whose Pod has annotations, and a container with ports. */
export const meshDeployment = ({
  annotations = [],
  spec = [],
  ports = ['{ containerPort: 8080 }'],
}: {
  readonly annotations?: readonly string[]
  /** Lines of the specification of the Pod. */
  readonly spec?: readonly string[]
  readonly ports?: readonly string[]
}): string => `apiVersion: apps/v1
kind: Deployment
metadata: { name: coffee, namespace: shop }
spec:
  selector: { matchLabels: { app: coffee } }
  template:
    metadata:
      labels: { app: coffee, injector.nsm.nginx.com/auto-inject: enabled }
${annotations.length > 0 ? `      annotations:\n${annotations.map((one) => `        ${one}\n`).join('')}` : ''}    spec:
${spec.map((line) => `      ${line}\n`).join('')}      containers:
      - name: coffee
        image: registry.example/coffee:1.0
        ports: [${ports.join(', ')}]
`
