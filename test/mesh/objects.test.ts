/** What is read of objects of the mesh, and written into its ConfigMap. */
import { describe, expect, it, test } from 'vitest'
import type { JsonObject } from '../../src/json/member.ts'
import { apiNames } from '../../src/kubernetes/api-groups.ts'
import { configFaults, initialConfig } from '../../src/mesh/config.ts'
import { decideInjection } from '../../src/mesh/decide-injection.ts'
import { listItems } from '../../src/mesh/inject/workload.ts'
import { readRole } from '../../src/mesh/objects/access.ts'
import { isApiServiceOfMesh, readApiService } from '../../src/mesh/objects/api-service.ts'
import { readConfigMap } from '../../src/mesh/objects/stored.ts'
import { readPodOwner } from '../../src/mesh/objects/workloads.ts'
import { podReader } from '../../src/mesh/pods.ts'
import { readStoredConfig, storedConfigText, withStoredConfig } from '../../src/mesh/stored-config.ts'
import { casesOf } from '../support/cases.ts'
import { INJECTION_TABLE } from './injection-table.ts'

const { cases, each } = casesOf(import.meta.url)

const names = apiNames()
const KEY = 'mesh-config.json'
const named = (rest: JsonObject, name = 'mesh-config'): JsonObject => ({
  metadata: { name, namespace: 'mesh' },
  ...rest,
})

each<[configMap: JsonObject, text: string | undefined, pointer: string | undefined, config: unknown]>(
  'the configuration in %j',
  (parts, text, pointer, config) => {
    expect(storedConfigText(parts)).toBe(text)
    const { stored } = readConfigMap(named(parts))
    expect(stored).toEqual(pointer === undefined ? undefined : { pointer, config })
    expect(readConfigMap(named(parts, 'other')).stored).toBeUndefined()
  },
)

it('texts of a ConfigMap have their places', () =>
  expect(readConfigMap(named({ data: { 'a/b': 'x', c: 1, d: 'y' } }, 'other'))).toMatchObject(
    cases<object>('texts of a ConfigMap have their places'),
  ))

each<[before: JsonObject, at: 'data' | 'binaryData', others: JsonObject]>(
  'another configuration in %j',
  (before, at, others) => {
    const after = withStoredConfig({ kind: 'ConfigMap', ...before }, { a: 'ü' })
    expect(storedConfigText(after)).toBe('{\n  "a": "ü"\n}\n')
    expect(after).toEqual({ kind: 'ConfigMap', ...before, [at]: { ...others, [KEY]: expect.any(String) } })
  },
)

describe('a Pod', () => {
  const read = podReader(names.meshGroup)

  each<[object: JsonObject, pod: object]>('is read: %j', (object, pod) => expect(read(object)).toMatchObject(pod))

  each<[owners: JsonObject['ownerReferences'], labels: JsonObject, kind: string, name: string]>(
    'is of %j with %j: %s %s',
    (ownerReferences, labels, kind, name) =>
      expect(read({ metadata: { name: 'p', labels, ownerReferences } }).parent).toEqual({ kind, name }),
  )
})

each<[object: JsonObject, isOurs: boolean]>('an APIService of the mesh, or not: %j', (object, isOurs) =>
  expect(isApiServiceOfMesh(object, names)).toBe(isOurs),
)

it('an APIService is read with its places', () => {
  const spec = cases<JsonObject>('spec')
  const view = readApiService({ spec })
  const { serviceName, serviceNamespace, port, skipsVerification } = view
  expect([serviceName, serviceNamespace, port, skipsVerification]).toMatchObject(
    cases<object>('an APIService is read with its places'),
  )
})

each<[object: JsonObject, labels: string, identity: object]>('the owner of Pods %j', (object, pointer, identity) =>
  expect(readPodOwner(object, 'shop')).toMatchObject({
    identity: { ...identity, namespace: 'shop' },
    labels: { pointer },
  }),
)

test.each<[configMap: JsonObject, isPart: boolean, read: object]>([
  [{}, false, { reason: `${KEY} has no JSON object` }],
  [{ data: { [KEY]: '{' } }, true, { reason: `${KEY} has no JSON object` }],
  [{ data: { [KEY]: '[]' } }, true, { reason: `${KEY} has no JSON object` }],
  [{ data: { [KEY]: '{"isUDPEnabled": true}' } }, true, { config: { isUDPEnabled: true } }],
  [{ data: { [KEY]: '{"isUDPEnabled": 1}' } }, true, { reason: 'isUDPEnabled expected true or false, got 1' }],
  [withStoredConfig({}, initialConfig(names)), false, { config: initialConfig(names) }],
])('the stored configuration %j, isPart %s', (configMap, isPart, read) =>
  expect(readStoredConfig(configMap, names, { isPart })).toEqual(read),
)

test.each(['isAutoInjectEnabled', 'enabledNamespaces'])('the copy %s may be missing, but not differ', (copy) => {
  const { [copy]: value, ...rest } = initialConfig(names)
  expect([configFaults(rest, names), configFaults({ ...rest, [copy]: value ?? null }, names)]).toEqual([[], []])
  const other = Array.isArray(value) ? ['shop'] : value !== true
  expect(configFaults({ ...rest, [copy]: other }, names)).toMatchObject([
    { field: copy, reason: `differs from injection.${copy}, of which it is a copy` },
  ])
})

each<[string, string]>('a %s is in the namespace %j', (kind, namespace) =>
  expect(readRole({ kind, metadata: { name: 'r' } }, 'shop', names).identity).toMatchObject({ kind, namespace }),
)

each<[object: JsonObject, items: unknown]>('the items of %j', (object, items) =>
  expect(listItems(object)).toEqual(items),
)

each<[JsonObject, JsonObject]>('%j decides, and it is said what decided', (injection, decision) => {
  const asked = { config: { injection }, namespace: 'shop', namespaceLabel: undefined, podLabel: undefined }
  expect(decideInjection(asked)).toEqual(decision)
})

/** Which Pods get the sidecar by themselves. */

const rows = INJECTION_TABLE.trim()
  .split('\n')
  .map((line) => {
    const [auto, enabled, disabled, none, label, labelOff, annotated] = line.replaceAll('|', ' ').trim().split(/\s+/)
    return { auto, enabled, disabled, answers: [none, label, labelOff], annotated }
  })

const LABELS = [undefined, 'enabled', 'disabled']

describe.each(rows)('automatic injection $auto, enabled: $enabled, disabled: $disabled', (row) => {
  const config = {
    injection: {
      isAutoInjectEnabled: row.auto === 'on',
      enabledNamespaces: row.enabled === 'enabled' ? ['x', 'shop'] : ['x'],
      disabledNamespaces: row.disabled === 'disabled' ? ['shop'] : [],
    },
  }

  it.each(LABELS.map((label, index) => [label ?? 'no label', label, row.answers[index]] as const))(
    '%s, on the namespace or on the Pod',
    (_, label, answer) => {
      const asked = { config, namespace: 'shop' }
      expect(decideInjection({ ...asked, podLabel: label }).inject).toBe(answer === 'yes')
      expect(decideInjection({ ...asked, namespaceLabel: label }).inject).toBe(answer === 'yes')
      expect(decideInjection({ ...asked, podLabel: label, isInjected: true }).inject).toBe(row.annotated === 'yes')
    },
  )

  it('the label of the Pod counts more than that of its namespace', () => {
    const asked = { config, namespace: 'shop' }
    for (const podLabel of ['enabled', 'disabled'])
      for (const namespaceLabel of LABELS)
        expect(decideInjection({ ...asked, podLabel, namespaceLabel })).toEqual({
          inject: podLabel === 'enabled',
          by: 'pod-label',
        })
  })

  it('kube-system never', () => {
    for (const label of LABELS)
      expect(decideInjection({ config, namespace: 'kube-system', podLabel: label, namespaceLabel: label })).toEqual(
        cases('kube-system never'),
      )
  })

  it('a label with another value counts as none', () => {
    const asked = { config, namespace: 'shop' }
    expect(decideInjection({ ...asked, podLabel: 'true', namespaceLabel: 'yes' })).toEqual(decideInjection(asked))
  })
})

it('the table has every combination once', () =>
  expect(new Set(rows.map(({ auto, enabled, disabled }) => `${auto} ${enabled} ${disabled}`)).size).toBe(8))
