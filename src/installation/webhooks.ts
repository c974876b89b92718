/**
 * The webhook configurations. Every member that the API server would fill in is written, because tools that compare the
 * applied objects with the stored ones show others as drift. `caBundle` is not written: the server owns it.
 */
import type { JsonObject } from '../json/member.ts'
import { apiNames } from '../kubernetes/api-groups.ts'
import { autoInjectLabel, statusAnnotation } from '../mesh/pods.ts'
import { type Choices, type KubeObject, LABELS, NAMES } from './object.ts'
import { observedObjects, type Reviewed, reviewedObjects } from './reviewed.ts'

/** CEL that is true where a member differs from the old object's, or where there is no old object. */
const differs = (...members: readonly string[]): string =>
  ['oldObject == null', ...members.map((member) => `object.${member} != oldObject.${member}`)].join(' || ')

/** Deletions, and changes of nothing that rules judge, are not reviewed. */
export const POLICY_CONDITIONS = [
  { name: 'is-not-being-deleted', expression: '!has(object.metadata.deletionTimestamp)' },
  {
    name: 'changes-what-is-judged',
    expression: differs('?spec', 'metadata.?annotations', 'metadata.?labels'),
  },
]

/** Controllers write the status of routes and Gateways all the time; only their specification matters here. */
const TARGET_CONDITIONS = [{ name: 'changes-what-is-judged', expression: `object == null || ${differs('?spec')}` }]

type Webhook = {
  readonly name: string
  readonly path: string
  readonly reviewed: readonly Reviewed[]
  readonly failurePolicy: 'Ignore' | 'Fail'
  readonly conditions: readonly JsonObject[]
  /** Additional to those of every webhook. */
  readonly onlyNamespaces?: readonly JsonObject[]
}

function webhook(choices: Choices, { name, path, reviewed, failurePolicy, conditions, onlyNamespaces = [] }: Webhook) {
  return {
    name,
    admissionReviewVersions: ['v1'],
    clientConfig: { service: { name: NAMES.admission, namespace: choices.namespace, path, port: 443 } },
    failurePolicy,
    matchConditions: conditions,
    matchPolicy: 'Equivalent',
    namespaceSelector: {
      matchExpressions: [
        { key: NAMESPACE_NAME, operator: 'NotIn', values: ['kube-system', choices.namespace] },
        { key: NAMES.enforceLabel, operator: 'NotIn', values: ['off'] },
        ...onlyNamespaces,
      ],
    },
    objectSelector: {},
    rules: reviewed.map(({ group, versions, resources, operations }) => ({
      apiGroups: [group],
      apiVersions: versions,
      operations,
      resources,
      scope: 'Namespaced',
    })),
    sideEffects: 'None',
    timeoutSeconds: 5,
  }
}

/** Denies and warns. Changes of routes and Gateways only cause warnings, so their webhook never fails closed. */
function validating(choices: Choices): KubeObject {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: metadata(choices, NAMES.validating),
    webhooks: [
      webhook(choices, {
        name: 'validate.ratelimitpolicies.sluice.policy',
        path: '/validate',
        reviewed: reviewedObjects(undefined, undefined, apiNames(choices.apiGroups)),
        failurePolicy: choices.components.has('fail-closed') ? 'Fail' : 'Ignore',
        conditions: POLICY_CONDITIONS,
      }),
      webhook(choices, {
        name: 'observe.gateways.sluice.policy',
        path: '/observe',
        reviewed: observedObjects(undefined, apiNames(choices.apiGroups)),
        failurePolicy: 'Ignore',
        conditions: TARGET_CONDITIONS,
      }),
    ],
  }
}

/** Writes the safe fixes in namespaces that opt in. It may fail: the validating webhook denies what was not fixed. */
function mutating(choices: Choices): KubeObject {
  const optedIn = { key: NAMES.mutateLabel, operator: 'In', values: ['enabled'] }
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: metadata(choices, NAMES.mutating),
    webhooks: [
      {
        ...webhook(choices, {
          name: 'mutate.ratelimitpolicies.sluice.policy',
          path: '/mutate',
          reviewed: reviewedObjects(undefined, undefined, apiNames(choices.apiGroups)),
          failurePolicy: 'Ignore',
          conditions: POLICY_CONDITIONS,
          onlyNamespaces: choices.components.has('mutate-everywhere') ? [] : [optedIn],
        }),
        reinvocationPolicy: 'IfNeeded',
      },
    ],
  }
}

/** Adds the sidecar of the service mesh to new Pods. Never in the way of a Pod, and least of all of those that it needs itself. */
function meshInjection(choices: Choices): KubeObject {
  const names = apiNames(choices.apiGroups)
  const status = statusAnnotation(names.meshGroup)
  const pods = { group: '', versions: ['v1'], resources: ['pods'], operations: ['CREATE'] } as const
  const { objectSelector: _, ...mutatePods } = webhook(choices, {
    name: 'inject.pods.mesh.sluice.policy',
    path: '/mutate-mesh-pods',
    reviewed: [pods],
    failurePolicy: 'Ignore',
    conditions: [
      {
        name: 'has-no-sidecar',
        expression: `!has(object.metadata.annotations) || !('${status}' in object.metadata.annotations)`,
      },
    ],
  })
  const elsewhere = {
    key: NAMESPACE_NAME,
    operator: 'NotIn',
    values: ['kube-system', choices.namespace, names.meshName],
  }
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: metadata(choices, NAMES.meshInjection),
    webhooks: [
      {
        ...mutatePods,
        namespaceSelector: { matchExpressions: [elsewhere] },
        objectSelector: {
          matchExpressions: [{ key: autoInjectLabel(names.meshGroup), operator: 'NotIn', values: ['disabled'] }],
        },
        reinvocationPolicy: 'IfNeeded',
      },
    ],
  }
}

const NAMESPACE_NAME = 'kubernetes.io/metadata.name'

/** The certificate authority comes from cert-manager where that is chosen, else from the server itself. */
function metadata({ namespace, components }: Choices, name: string): KubeObject['metadata'] {
  if (!components.has('cert-manager')) return { name, labels: LABELS }
  const annotations = { 'cert-manager.io/inject-ca-from': `${namespace}/${NAMES.admission}` }
  return { name, annotations, labels: LABELS }
}

/** Both configurations, and that of the mesh. */
export const webhookConfigurations = (choices: Choices): readonly KubeObject[] => [
  validating(choices),
  mutating(choices),
  ...(choices.mesh ? [meshInjection(choices)] : []),
]
