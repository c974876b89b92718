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

const names = apiNames()
const KEY = 'mesh-config.json'
const named = (rest: JsonObject, name = 'mesh-config'): JsonObject => ({
  metadata: { name, namespace: 'mesh' },
  ...rest,
})
const binary = (bytes: readonly number[]) => ({ binaryData: { [KEY]: btoa(String.fromCharCode(...bytes)) } })
const UMLAUT = [...new TextEncoder().encode('{"a":"ü"}')]

test.each<[configMap: JsonObject, text: string | undefined, pointer: string | undefined, config: unknown]>([
  [{ data: { [KEY]: '{}' } }, '{}', `/data/${KEY}`, {}],
  [{ data: { [KEY]: '{}' }, ...binary(UMLAUT) }, '{}', `/data/${KEY}`, {}],
  [{ data: { [KEY]: 1 }, ...binary(UMLAUT) }, '{"a":"ü"}', `/binaryData/${KEY}`, { a: 'ü' }],
  [
    binary([...'{"a":"', 0xff, ...'"}'].map((one) => (typeof one === 'string' ? one.charCodeAt(0) : one))),
    undefined,
    `/binaryData/${KEY}`,
    undefined,
  ],
  [{ binaryData: { [KEY]: '%' } }, undefined, `/binaryData/${KEY}`, undefined],
  [{ binaryData: { [KEY]: 1 } }, undefined, undefined, undefined],
  [{ data: { [KEY]: '{' } }, '{', `/data/${KEY}`, undefined],
  [{ data: [KEY], binaryData: KEY }, undefined, undefined, undefined],
])('the configuration in %j', (parts, text, pointer, config) => {
  expect(storedConfigText(parts)).toBe(text)
  const { stored } = readConfigMap(named(parts))
  expect(stored).toEqual(pointer === undefined ? undefined : { pointer, config })
  expect(readConfigMap(named(parts, 'other')).stored).toBeUndefined()
})

it('texts of a ConfigMap have their places', () => {
  expect(readConfigMap(named({ data: { 'a/b': 'x', c: 1, d: 'y' } }, 'other'))).toMatchObject({
    identity: { name: 'other', namespace: 'mesh' },
    texts: [
      { pointer: '/data/a~1b', text: 'x' },
      { pointer: '/data/d', text: 'y' },
    ],
  })
})

test.each<[before: JsonObject, at: 'data' | 'binaryData', others: JsonObject]>([
  [{}, 'data', {}],
  [{ data: { other: '1' } }, 'data', { other: '1' }],
  [{ data: ['odd'], binaryData: 'odd' }, 'data', {}],
  [{ binaryData: { [KEY]: 'e30=', other: 'MQ==' } }, 'binaryData', { other: 'MQ==' }],
  [{ binaryData: { [KEY]: 'e30=' }, data: { other: '1' } }, 'binaryData', {}],
  [{ binaryData: { [KEY]: 'e30=' }, data: { [KEY]: '{}' } }, 'data', {}],
  [{ binaryData: { other: 'MQ==' } }, 'data', {}],
])('another configuration in %j', (before, at, others) => {
  const after = withStoredConfig({ kind: 'ConfigMap', ...before }, { a: 'ü' })
  expect(storedConfigText(after)).toBe('{\n  "a": "ü"\n}\n')
  expect(after).toEqual({ kind: 'ConfigMap', ...before, [at]: { ...others, [KEY]: expect.any(String) } })
})

describe('a Pod', () => {
  const read = podReader(names.meshGroup)
  const IN_MESH = { annotations: { [`injector.${names.meshGroup}/status`]: 'injected' } }
  const image = (name: string) => ({ name, image: `${name}:1` })

  it.each<[object: JsonObject, pod: object]>([
    [
      {},
      {
        name: '',
        namespace: '',
        labels: {},
        addresses: [],
        isInMesh: false,
        images: [],
        parent: { kind: 'Pod', name: '' },
      },
    ],
    [
      {
        metadata: { name: 'web', namespace: 'shop', labels: { a: 'b', c: 1 }, ...IN_MESH },
        status: { podIP: '::1', podIPs: [{ ip: '::1' }, { ip: '10.0.0.1' }, { ip: '' }, 5] },
      },
      {
        name: 'web',
        namespace: 'shop',
        labels: { a: 'b' },
        addresses: ['::1', '10.0.0.1'],
        isInMesh: true,
        parent: { kind: 'Pod', name: 'web' },
      },
    ],
    [
      {
        metadata: IN_MESH,
        spec: { initContainers: [image('a'), { name: 'b' }, { image: 'c' }, 5], containers: [image('d')] },
      },
      {
        images: [
          { container: 'a', image: 'a:1' },
          { container: 'd', image: 'd:1' },
        ],
      },
    ],
    [{ metadata: { deletionTimestamp: 'now', ...IN_MESH } }, { isInMesh: false, images: [] }],
    [{ metadata: { deletionTimestamp: null, ...IN_MESH } }, { isInMesh: true }],
    [{ metadata: IN_MESH, status: { phase: 'Succeeded' } }, { isInMesh: false }],
    [{ metadata: IN_MESH, status: { phase: 'Failed' } }, { isInMesh: false }],
    [{ metadata: { annotations: null } }, { isInMesh: false }],
  ])('is read: %j', (object, pod) => {
    expect(read(object)).toMatchObject(pod)
  })

  const controller = { kind: 'ReplicaSet', name: 'web-5f', controller: true }
  const hash = { 'pod-template-hash': '5f' }
  it.each<[owners: JsonObject['ownerReferences'], labels: JsonObject, kind: string, name: string]>([
    [[controller], hash, 'Deployment', 'web'],
    [[controller], {}, 'ReplicaSet', 'web-5f'],
    [[controller], { 'pod-template-hash': 'x' }, 'ReplicaSet', 'web-5f'],
    [[{ ...controller, name: '-5f' }], hash, 'ReplicaSet', '-5f'],
    [[controller], { [`${names.meshGroup}/deployment`]: 'web' }, 'Deployment', 'web'],
    [[controller], { [`${names.meshGroup}/deployment`]: 'we' }, 'ReplicaSet', 'web-5f'],
    [[{ ...controller, kind: 'Job' }], hash, 'Job', 'web-5f'],
    [[{ ...controller, controller: false }], hash, 'Pod', 'p'],
    [[{ ...controller, kind: 'Node' }], hash, 'Pod', 'p'],
    [[{ ...controller, kind: '1' }, { ...controller, name: '' }, 5, controller], hash, 'Deployment', 'web'],
    ['odd', hash, 'Pod', 'p'],
  ])('is of %j with %j: %s %s', (ownerReferences, labels, kind, name) => {
    expect(read({ metadata: { name: 'p', labels, ownerReferences } }).parent).toEqual({ kind, name })
  })
})

test.each<[object: JsonObject, isOurs: boolean]>([
  [{ spec: { group: names.meshGroup } }, true],
  [{ spec: {}, metadata: { name: `v1.${names.meshGroup}` } }, true],
  [{ metadata: { name: `v1.${names.meshGroup}` } }, false],
  [{ spec: { group: 'metrics.k8s.io' }, metadata: { name: 'v1.metrics.k8s.io' } }, false],
  [{ spec: {} }, false],
])('an APIService of the mesh, or not: %j', (object, isOurs) => {
  expect(isApiServiceOfMesh(object, names)).toBe(isOurs)
})

it('an APIService is read with its places', () => {
  const spec = {
    group: 'g',
    version: 'v',
    service: { name: 'n', namespace: 's', port: 1 },
    insecureSkipTLSVerify: false,
  }
  const view = readApiService({ spec })
  const { serviceName, serviceNamespace, port, skipsVerification } = view
  expect([serviceName, serviceNamespace, port, skipsVerification]).toMatchObject([
    { value: 'n', pointer: '/spec/service/name' },
    { value: 's', pointer: '/spec/service/namespace' },
    { value: 1, pointer: '/spec/service/port' },
    { value: false, pointer: '/spec/insecureSkipTLSVerify' },
  ])
})

test.each<[object: JsonObject, labels: string, identity: object]>([
  [
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', labels: { a: 'b' } }, spec: { containers: [] } },
    '/metadata/labels',
    { kind: 'Pod', name: 'p' },
  ],
  [
    { apiVersion: 'apps/v1', kind: 'Deployment', spec: { template: { metadata: {}, spec: { containers: [] } } } },
    '/spec/template/metadata/labels',
    { kind: 'Deployment' },
  ],
  [{ kind: 5 }, '/metadata/labels', { kind: '' }],
])('the owner of Pods %j', (object, pointer, identity) => {
  expect(readPodOwner(object, 'shop')).toMatchObject({
    identity: { ...identity, namespace: 'shop' },
    labels: { pointer },
  })
})

test.each<[configMap: JsonObject, isPart: boolean, read: object]>([
  [{}, false, { reason: `${KEY} has no JSON object` }],
  [{ data: { [KEY]: '{' } }, true, { reason: `${KEY} has no JSON object` }],
  [{ data: { [KEY]: '[]' } }, true, { reason: `${KEY} has no JSON object` }],
  [{ data: { [KEY]: '{"isUDPEnabled": true}' } }, true, { config: { isUDPEnabled: true } }],
  [{ data: { [KEY]: '{"isUDPEnabled": 1}' } }, true, { reason: 'isUDPEnabled expected true or false, got 1' }],
  [withStoredConfig({}, initialConfig(names)), false, { config: initialConfig(names) }],
])('the stored configuration %j, isPart %s', (configMap, isPart, read) => {
  expect(readStoredConfig(configMap, names, { isPart })).toEqual(read)
})

test.each(['isAutoInjectEnabled', 'enabledNamespaces'])('the copy %s may be missing, but not differ', (copy) => {
  const { [copy]: value, ...rest } = initialConfig(names)
  expect([configFaults(rest, names), configFaults({ ...rest, [copy]: value ?? null }, names)]).toEqual([[], []])
  const other = Array.isArray(value) ? ['shop'] : value !== true
  expect(configFaults({ ...rest, [copy]: other }, names)).toMatchObject([
    { field: copy, reason: `differs from injection.${copy}, of which it is a copy` },
  ])
})

test.each([
  ['Role', 'shop'],
  ['ClusterRole', ''],
])('a %s is in the namespace %j', (kind, namespace) => {
  expect(readRole({ kind, metadata: { name: 'r' } }, 'shop', names).identity).toMatchObject({ kind, namespace })
})

test.each<[object: JsonObject, items: unknown]>([
  [{ apiVersion: 'v1', kind: 'List', items: [1] }, [1]],
  [{ apiVersion: 'v2', kind: 'List', items: [1] }, undefined],
  [{ apiVersion: 'v1', kind: 'Pods', items: [1] }, undefined],
  [{ apiVersion: 'v1', kind: 'List', items: {} }, undefined],
])('the items of %j', (object, items) => {
  expect(listItems(object)).toEqual(items)
})

test.each([
  [{ isAutoInjectEnabled: true }, { inject: true, by: 'automatic-injection' }],
  [{}, { inject: false, by: 'automatic-injection' }],
  [
    { isAutoInjectEnabled: true, disabledNamespaces: ['shop'] },
    { inject: false, by: 'disabled-namespace' },
  ],
  [{ enabledNamespaces: ['shop'] }, { inject: true, by: 'enabled-namespace' }],
  [{ enabledNamespaces: 'shop' }, { inject: false, by: 'automatic-injection' }],
])('%j decides, and it is said what decided', (injection, decision) => {
  const asked = { config: { injection }, namespace: 'shop', namespaceLabel: undefined, podLabel: undefined }
  expect(decideInjection(asked)).toEqual(decision)
})
