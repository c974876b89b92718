/** The service account of the server, and the fewest permissions that it needs. */

import { apiNames } from '../kubernetes/api-groups.ts'
import { type Choices, type KubeObject, LABELS, NAMES, within } from './object.ts'
import { watchedResources } from './reviewed.ts'

const RBAC = { apiVersion: 'rbac.authorization.k8s.io/v1' } as const
const GROUP = 'rbac.authorization.k8s.io'

/** Account, roles and their bindings. */
export function access(choices: Choices): readonly KubeObject[] {
  const subjects = [{ kind: 'ServiceAccount', name: NAMES.admission, namespace: choices.namespace }]
  const clusterWide = { name: NAMES.admission, labels: LABELS }
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: within(choices), automountServiceAccountToken: false },
    { ...RBAC, kind: 'ClusterRole', metadata: clusterWide, rules: clusterRules(choices) },
    {
      ...RBAC,
      kind: 'ClusterRoleBinding',
      metadata: clusterWide,
      roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: NAMES.admission },
      subjects,
    },
    { ...RBAC, kind: 'Role', metadata: within(choices), rules: namespaceRules(choices) },
    {
      ...RBAC,
      kind: 'RoleBinding',
      metadata: within(choices),
      roleRef: { apiGroup: GROUP, kind: 'Role', name: NAMES.admission },
      subjects,
    },
  ]
}

/** Reads the kinds that rules look up; writes the `caBundle` of its own two configurations. */
function clusterRules({ components, apiGroups }: Choices) {
  const reading = watchedResources(undefined, apiNames(apiGroups)).map(({ group, resources }) => ({
    apiGroups: [group],
    resources,
    verbs: ['get', 'list', 'watch'],
  }))
  if (components.has('cert-manager')) return reading
  const configuration = (resource: string, name: string) => ({
    apiGroups: ['admissionregistration.k8s.io'],
    resourceNames: [name],
    resources: [resource],
    verbs: ['get', 'patch'],
  })
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
function namespaceRules({ components }: Choices) {
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
