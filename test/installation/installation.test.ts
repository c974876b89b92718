/** What holds of the manifests, whichever components are chosen. */
import { describe, expect, it } from 'vitest'
import { RULES } from '../../rules/index.ts'
import { watchedKinds } from '../../src/cluster/client/kinds.ts'
import { LABELS } from '../../src/installation/object.ts'
import { reviewedObjects, watchedResources } from '../../src/installation/reviewed.ts'
import { isObject, type JsonObject } from '../../src/json/member.ts'
import { apiNames } from '../../src/kubernetes/api-groups.ts'
import { SYSTEMS } from '../../src/registry.ts'
import { kindTable } from '../../src/world/kinds.ts'
import { allCombinations, byIdentity, expected } from './expected.ts'

const combinations = allCombinations()

type Installed = ReturnType<typeof expected>

const members = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])
const within = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), value)

const webhooksOf = (objects: Installed) => objects.flatMap(({ webhooks }) => members(webhooks))
const find = (objects: Installed, kind: string) => objects.find((object) => object.kind === kind)

describe.each(combinations)('with $title', ({ names }) => {
  const objects = expected(names)

  it('labels every object, so that one line removes them', () =>
    expect(
      objects.filter(
        ({ metadata }) => !Object.entries(LABELS).every(([name, value]) => metadata.labels[name] === value),
      ),
    ).toEqual([]))

  it('fails closed only where that is chosen, and never for routes and Gateways', () => {
    const policies = Object.fromEntries(webhooksOf(objects).map(({ name, failurePolicy }) => [name, failurePolicy]))
    expect(policies).toEqual({
      'validate.ratelimitpolicies.sluice.policy': names.includes('fail-closed') ? 'Fail' : 'Ignore',
      'observe.gateways.sluice.policy': 'Ignore',
      'mutate.ratelimitpolicies.sluice.policy': 'Ignore',
    })
  })

  it('keeps every webhook out of kube-system, its own namespace and where enforcement is off', () => {
    for (const webhook of webhooksOf(objects)) {
      expect(within(webhook, 'namespaceSelector', 'matchExpressions')).toEqual(
        expect.arrayContaining([
          { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system', 'sluice-system'] },
          { key: 'sluice.policy/enforce', operator: 'NotIn', values: ['off'] },
        ]),
      )
      expect(webhook).toMatchObject({ timeoutSeconds: 5, sideEffects: 'None', matchPolicy: 'Equivalent' })
      expect(within(webhook, 'clientConfig', 'caBundle')).toBeUndefined()
    }
  })

  it('mutates where a label asks for it, unless it is chosen everywhere', () => {
    const [webhook] = members(find(objects, 'MutatingWebhookConfiguration')?.webhooks)
    const asked = { key: 'sluice.policy/mutate', operator: 'In', values: ['enabled'] }
    const expressions = members(within(webhook, 'namespaceSelector', 'matchExpressions'))
    expect(expressions.some((one) => one.key === asked.key)).toBe(!names.includes('mutate-everywhere'))
    expect(webhook?.reinvocationPolicy).toBe('IfNeeded')
  })

  it('grants no wildcard, and secrets by name except for their creation', () => {
    const rules = objects.flatMap(({ rules: granted }) => members(granted))
    expect(JSON.stringify(rules)).not.toContain('"*"')
    const secrets = rules.filter(({ resources }) => JSON.stringify(resources) === '["secrets"]')
    const unnamed = secrets.filter(({ resourceNames }) => resourceNames === undefined)
    expect(unnamed.map(({ verbs }) => verbs)).toEqual(names.includes('cert-manager') ? [] : [['create']])
  })

  it('writes no Secret and no configuration where cert-manager does', () => {
    const text = JSON.stringify(objects.filter(({ kind }) => /Role$/.test(kind)))
    expect(text.includes('secrets')).toBe(!names.includes('cert-manager'))
    expect(text.includes('admissionregistration')).toBe(!names.includes('cert-manager'))
  })

  it('runs without rights, with a root that cannot be written', () => {
    const pod = within(find(objects, 'Deployment'), 'spec', 'template', 'spec')
    const [container] = members(within(pod, 'containers'))
    expect(within(pod, 'securityContext')).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    })
    expect(container?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: true,
    })
  })

  it('names each object once', () => expect(Object.keys(byIdentity(objects))).toHaveLength(objects.length))
})

describe('what is derived from the rules', () => {
  it('reviews a kind that some rule judges, in every version while a rule reports unknown ones', () => {
    expect(reviewedObjects()[0]).toMatchObject({ group: 'gateway.nginx.org', versions: ['*'] })
    const known = RULES.filter(({ judges }) => ![judges].flat().includes('UnknownVersion'))
    expect(reviewedObjects(known)[0]).toMatchObject({ versions: ['v1alpha1'] })
    expect(() => reviewedObjects([])).toThrow('no rule judges')
  })

  it('lets the server read exactly what it watches', () => {
    const granted = watchedResources().flatMap(({ group, resources }) =>
      resources.map((resource) => `${group}/${resource}`),
    )
    const needed = watchedKinds(kindTable(SYSTEMS, apiNames())).map(
      ({ group, resource }) => `${group}/${resource.plural}`,
    )
    expect(granted.sort()).toEqual(needed.sort())
  })
})
