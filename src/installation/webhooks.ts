/**
 * The webhook configurations. Every member that the API server would fill in is written, as tools that compare what
 * they applied with what is there show the rest as drift. `caBundle` is not: the server owns it.
 */
import type { JsonObject } from '../json/member.ts'
import { type Choices, type KubeObject, LABELS, NAMES } from './object.ts'
import { observedObjects, type Reviewed, reviewedObjects } from './reviewed.ts'

/** CEL that is true where a member differs from the old object's, or where there is no old object. */
const differs = (...members: readonly string[]): string =>
  ['oldObject == null', ...members.map((member) => `object.${member} != oldObject.${member}`)].join(' || ')

/** Policies that leave are let go, and what changes nothing that we judge is not looked at. */
const POLICY_CONDITIONS = [
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
  /** Beyond what all of them leave out. */
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
        { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system', choices.namespace] },
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

/** Refuses and warns. What happens to routes and Gateways is only ever warned of, so its webhook never fails closed. */
function validating(choices: Choices): KubeObject {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: metadata(choices, NAMES.validating),
    webhooks: [
      webhook(choices, {
        name: 'validate.ratelimitpolicies.sluice.policy',
        path: '/validate',
        reviewed: reviewedObjects(),
        failurePolicy: choices.components.has('fail-closed') ? 'Fail' : 'Ignore',
        conditions: POLICY_CONDITIONS,
      }),
      webhook(choices, {
        name: 'observe.gateways.sluice.policy',
        path: '/observe',
        reviewed: observedObjects(),
        failurePolicy: 'Ignore',
        conditions: TARGET_CONDITIONS,
      }),
    ],
  }
}

/** Writes the safe fixes, where it is asked to. What it did not mend, the validating one refuses: so it may fail. */
function mutating(choices: Choices): KubeObject {
  const asked = { key: NAMES.mutateLabel, operator: 'In', values: ['enabled'] }
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: metadata(choices, NAMES.mutating),
    webhooks: [
      {
        ...webhook(choices, {
          name: 'mutate.ratelimitpolicies.sluice.policy',
          path: '/mutate',
          reviewed: reviewedObjects(),
          failurePolicy: 'Ignore',
          conditions: POLICY_CONDITIONS,
          onlyNamespaces: choices.components.has('mutate-everywhere') ? [] : [asked],
        }),
        reinvocationPolicy: 'IfNeeded',
      },
    ],
  }
}

/** The certificate authority comes from cert-manager where that is chosen, else from the server itself. */
function metadata({ namespace, components }: Choices, name: string): KubeObject['metadata'] {
  if (!components.has('cert-manager')) return { name, labels: LABELS }
  const annotations = { 'cert-manager.io/inject-ca-from': `${namespace}/${NAMES.admission}` }
  return { name, annotations, labels: LABELS }
}

/** Both configurations. */
export const webhookConfigurations = (choices: Choices): readonly KubeObject[] => [
  validating(choices),
  mutating(choices),
]
