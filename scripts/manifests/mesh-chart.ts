/**
 * `webhook-config/mesh-chart`: the API of the service mesh as a chart. Before it is deleted, a Job makes every sidecar
 * transparent.
 */
import { boundTo, RBAC } from '../../src/installation/component.ts'
import { type MeshChoices, meshInstallation, meshNames } from '../../src/installation/mesh.ts'
import { type KubeObject, LABELS, NAMES } from '../../src/installation/object.ts'
import {
  CONFIG_FOLDER,
  CONTAINER_SECURITY,
  GROUP_READABLE,
  POD_DEFAULTS,
  POD_SECURITY,
  RESOURCES,
} from '../../src/installation/pod-defaults.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { REASON_ANNOTATION } from '../../src/mesh/objects/access.ts'
import { writeDocuments } from '../../src/yaml/documents.ts'
import type { Page } from '../docs/page.ts'
import { CHART, linesOf, substitute, TEMPLATED } from './chart.ts'
import { commonValues, valuesSchema } from './chart-values.ts'
import { fileOf, MADE } from './parts.ts'

const FOLDER = 'webhook-config/mesh-chart'

/** Every file of the chart. */
export function meshChartPages(): readonly Page[] {
  const objects = [...meshInstallation(TEMPLATED), ...meshRemoval(TEMPLATED)].filter(({ kind }) => kind !== 'Namespace')
  const files = [...new Set(objects.map(fileOf))].sort()
  const about = { name: 'sluice-mesh', description: 'Management API of NGINX Service Mesh (beta)' }
  return [
    ...files.map((file) => ({
      path: `${FOLDER}/templates/${file}`,
      text: MADE + objects.flatMap((object) => (fileOf(object) === file ? [substitute(linesOf(object))] : [])).join(''),
    })),
    { path: `${FOLDER}/Chart.yaml`, text: MADE + writeDocuments([{ ...CHART, ...about }]) },
    { path: `${FOLDER}/values.yaml`, text: `${MADE}${commonValues()}` },
    { path: `${FOLDER}/values.schema.json`, text: `${JSON.stringify(valuesSchema(), null, 2)}\n` },
  ]
}

/**
 * What Helm runs before it deletes the server: a Job that makes every sidecar transparent, so that Pods go on without the mesh.
 * Its user may do no more than what `sluice mesh remove` asks for.
 */
export function meshRemoval(choices: MeshChoices): readonly KubeObject[] {
  const { api, group } = meshNames(choices)
  const hook = (weight: string) => ({
    'helm.sh/hook': 'pre-delete',
    'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded',
    'helm.sh/hook-weight': weight,
  })
  const name = `${api}-remove`
  const early = { annotations: hook('-1'), labels: LABELS, name }
  const rules = [
    { apiGroups: [group], resources: ['clear'], verbs: ['create'] },
    { apiGroups: [group], resources: ['resources'], verbs: ['list'] },
  ]
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { ...early, namespace: choices.namespace } },
    {
      ...RBAC,
      kind: 'ClusterRole',
      metadata: { ...early, annotations: { ...hook('-1'), [REASON_ANNOTATION]: '"sluice mesh remove" needs them' } },
      rules,
    },
    {
      ...RBAC,
      kind: 'ClusterRoleBinding',
      metadata: early,
      ...boundTo({ name, namespace: choices.namespace }, 'ClusterRole', name),
    },
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { annotations: hook('0'), labels: LABELS, name, namespace: choices.namespace },
      spec: {
        activeDeadlineSeconds: 300,
        backoffLimit: 3,
        template: { metadata: { labels: LABELS }, spec: removalPod(choices, name) },
      },
    },
  ]
}

const removalPod = (choices: MeshChoices, serviceAccountName: string): JsonObject => ({
  ...POD_DEFAULTS,
  automountServiceAccountToken: true,
  containers: [
    {
      name: 'remove',
      image: choices.image,
      imagePullPolicy: 'IfNotPresent',
      args: ['mesh', 'remove', '--yes', '--config', `${CONFIG_FOLDER}/${NAMES.configKey}`],
      resources: RESOURCES,
      securityContext: CONTAINER_SECURITY,
      volumeMounts: [{ mountPath: CONFIG_FOLDER, name: 'config', readOnly: true }],
    },
  ],
  restartPolicy: 'Never',
  securityContext: POD_SECURITY,
  serviceAccountName,
  volumes: [{ configMap: { defaultMode: GROUP_READABLE, name: NAMES.config }, name: 'config' }],
})
