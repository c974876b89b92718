/** The service account of the server, and the fewest permissions that it needs. */

import type { JsonObject } from '../json/member.ts'
import { apiNames } from '../kubernetes/api-groups.ts'
import { STORED_CONFIG } from '../mesh/stored-config.ts'
import { type Choices, type KubeObject, LABELS, NAMES, within } from './object.ts'
import { watchedResources } from './reviewed.ts'

export const RBAC = { apiVersion: 'rbac.authorization.k8s.io/v1' } as const
export const RBAC_GROUP = 'rbac.authorization.k8s.io'

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
      roleRef: { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name: NAMES.admission },
      subjects,
    },
    ...(choices.mesh ? meshAccess(choices, subjects) : []),
    { ...RBAC, kind: 'Role', metadata: within(choices), rules: namespaceRules(choices) },
    {
      ...RBAC,
      kind: 'RoleBinding',
      metadata: within(choices),
      roleRef: { apiGroup: RBAC_GROUP, kind: 'Role', name: NAMES.admission },
      subjects,
    },
  ]
}

/**
 * Reads the configuration of the mesh, whose namespace may be made later, and writes the `caBundle` of the webhook that
 * injects its sidecar.
 */
function meshAccess({ components }: Choices, subjects: readonly JsonObject[]): readonly KubeObject[] {
  const metadata = { name: NAMES.meshInjection, labels: LABELS }
  const rules = [
    {
      apiGroups: [''],
      resourceNames: [STORED_CONFIG.name],
      resources: ['configmaps'],
      verbs: ['get', 'list', 'watch'],
    },
    ...(components.has('cert-manager') ? [] : [configuration('mutatingwebhookconfigurations', NAMES.meshInjection)]),
  ]
  const roleRef = { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name: NAMES.meshInjection }
  return [
    { ...RBAC, kind: 'ClusterRole', metadata, rules },
    { ...RBAC, kind: 'ClusterRoleBinding', metadata, roleRef, subjects },
  ]
}

/** What it takes to write the `caBundle` of a webhook configuration. */
const configuration = (resource: string, name: string) => ({
  apiGroups: ['admissionregistration.k8s.io'],
  resourceNames: [name],
  resources: [resource],
  verbs: ['get', 'patch'],
})

/** Reads the kinds that rules look up; writes the `caBundle` of its own two configurations. */
function clusterRules({ components, apiGroups }: Choices) {
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
