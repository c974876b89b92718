/**
 * The objects of an installation of the API of the mesh: the server, its registration at the aggregation layer, and roles for
 * those who use it. Source: specification of the mesh management API, "Authentication", and Kubernetes, "Set up an Extension
 * API Server".
 */
import type { JsonObject } from '../json/member.ts'
import { apiNames } from '../kubernetes/api-groups.ts'
import { REASON_ANNOTATION } from '../mesh/objects/access.ts'
import { STORED_CONFIG } from '../mesh/stored-config.ts'
import { componentLabel } from '../mesh/versions.ts'
import { boundTo, type ComponentChoices, component, RBAC } from './component.ts'
import { type KubeObject, LABELS } from './object.ts'

/** The choices for the API of the mesh. Its namespace is that of the mesh. */
export type MeshChoices = ComponentChoices

/** The version that the API has. */
export const REGISTERED_VERSION = 'v1alpha1'

/** Names of its objects, which follow those of the mesh. */
export const meshNames = ({ apiGroups }: Pick<MeshChoices, 'apiGroups'>) => {
  const { meshName, meshGroup } = apiNames(apiGroups)
  const api = `${meshName}-api`
  return {
    namespace: meshName,
    group: meshGroup,
    api,
    tls: `${api}-tls`,
    apiService: `${REGISTERED_VERSION}.${meshGroup}`,
  }
}

/** All objects, in the order in which they are applied: the server comes before its registration. */
export function meshInstallation(choices: MeshChoices): readonly KubeObject[] {
  const { api } = meshNames(choices)
  return component(
    {
      name: api,
      label: 'mesh-api',
      args: ['mesh'],
      rights: { cluster: clusterRules(choices), namespace: namespaceRules(choices) },
      // The API server, whose addresses nobody knows here, calls it; others need a certificate or a token.
      port: { name: 'api', container: 8443, service: 443 },
      replicas: 2,
      // Among the Deployments whose versions the API tells, by their label.
      partOf: Object.fromEntries([componentLabel(apiNames(choices.apiGroups))]),
      revisionHistoryLimit: 10,
      behind: {
        ClusterRoleBinding: delegation({ name: api, namespace: choices.namespace }),
        RoleBinding: roles(choices),
        Deployment: [registration(choices)],
      },
    },
    choices,
  )
}

/** What an extension API server may do: ask who a user is and what he may do, and read whom it may trust. */
function delegation(account: { readonly name: string; readonly namespace: string }): readonly KubeObject[] {
  const delegator = { name: `${account.name}-auth-delegator`, labels: LABELS }
  // Where the ConfigMap is that says whom an extension API server may trust.
  const reader = { name: `${account.name}-authentication-reader`, namespace: 'kube-system', labels: LABELS }
  return [
    {
      ...{ ...RBAC, kind: 'ClusterRoleBinding', metadata: delegator },
      ...boundTo(account, 'ClusterRole', 'system:auth-delegator'),
    },
    {
      ...{ ...RBAC, kind: 'RoleBinding', metadata: reader },
      ...boundTo(account, 'Role', 'extension-apiserver-authentication-reader'),
    },
  ]
}

/** Reads what the mesh consists of, and writes the `caBundle` of its registration. */
function clusterRules(choices: MeshChoices): readonly JsonObject[] {
  return [
    { apiGroups: [''], resources: ['pods', 'services'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'list', 'watch'] },
    {
      apiGroups: ['apiregistration.k8s.io'],
      resourceNames: [meshNames(choices).apiService],
      resources: ['apiservices'],
      verbs: ['get', 'patch'],
    },
  ]
}

/** Stores the configuration, writes Events about its changes, and keeps its certificates. RBAC cannot narrow `create` by name. */
function namespaceRules(choices: MeshChoices): readonly JsonObject[] {
  const { tls } = meshNames(choices)
  return [
    { apiGroups: [''], resources: ['configmaps', 'events', 'secrets'], verbs: ['create'] },
    {
      apiGroups: [''],
      resourceNames: [STORED_CONFIG.name],
      resources: ['configmaps'],
      verbs: ['get', 'list', 'watch', 'update'],
    },
    { apiGroups: [''], resourceNames: [tls], resources: ['secrets'], verbs: ['get', 'update'] },
  ]
}

/** For people: everything as the specification has it, everything that changes nothing, and what the commands need beside. */
function roles(choices: MeshChoices): readonly KubeObject[] {
  const { api, group } = meshNames(choices)
  const rule = (verb: string, ...resources: readonly string[]) => ({ apiGroups: [group], resources, verbs: [verb] })
  const all = [rule('list', 'config', 'services'), rule('patch', 'config'), rule('create', 'inject')]
  const table: Readonly<Record<string, readonly JsonObject[]>> = {
    admin: all,
    operator: [...all, rule('list', 'resources', 'version'), rule('create', 'clear')],
    reader: [rule('list', 'config', 'services')],
  }
  return Object.entries(table).map(([role, rules]) => ({
    ...RBAC,
    kind: 'ClusterRole',
    metadata: {
      name: `${api}-${role}`,
      labels: LABELS,
      ...(role === 'operator'
        ? { annotations: { [REASON_ANNOTATION]: '"sluice mesh version" and "remove" need them' } }
        : {}),
    },
    rules,
  }))
}

/** At the aggregation layer. `caBundle` is not written: the server owns it. */
function registration(choices: MeshChoices): KubeObject {
  const { api, apiService, group } = meshNames(choices)
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: apiService, labels: LABELS },
    spec: {
      group,
      groupPriorityMinimum: 1000,
      service: { name: api, namespace: choices.namespace, port: 443 },
      version: REGISTERED_VERSION,
      versionPriority: 15,
    },
  }
}
