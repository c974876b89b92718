/** What the mesh consists of, read from objects of a cluster however odd they are. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/json/member.ts'
import { apiNames } from '../../src/kubernetes/api-groups.ts'
import { type MeshPod, meshResources, podReader } from '../../src/mesh/pods.ts'
import { meshServices, readService } from '../../src/mesh/services.ts'
import { meshVersions, readComponent, versionOf } from '../../src/mesh/versions.ts'
import { casesOf } from '../support/cases.ts'
import { holds } from '../support/holds.ts'

const { cases, each } = casesOf(import.meta.url)

const GROUP = apiNames().meshGroup
const readPod = podReader(GROUP)

type PodParts = {
  readonly metadata?: JsonObject
  readonly labels?: JsonObject
  readonly spec?: JsonObject
  readonly status?: JsonObject
}

/** A Pod with the sidecar, as the API server has it. */
const pod = ({ metadata = {}, labels = { app: 'web' }, spec = {}, status = { podIP: '10.0.0.1' } }: PodParts = {}) =>
  readPod({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'web-1',
      namespace: 'shop',
      labels,
      annotations: { [`injector.${GROUP}/status`]: 'injected' },
      ...metadata,
    },
    spec,
    status: { phase: 'Running', ...status },
  })

/** A Service that selects `app: web`. */
const service = (spec: JsonObject = {}, metadata: JsonObject = {}) =>
  readService({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: 'shop', ...metadata },
    spec: { clusterIP: '10.1.0.1', selector: { app: 'web' }, ports: [{ port: 80, name: 'http' }], ...spec },
  })

const addresses = (services: ReturnType<typeof readService>[], pods: MeshPod[]): readonly (readonly string[])[] =>
  meshServices(services, pods).map((one) => one.addresses)

describe('services', () => {
  it('have the addresses of their Pods with the sidecar, and the protocols of their ports', () => {
    const ports = cases<readonly { port: number; name?: string; protocol?: string }[]>('ports')
    const pods = [pod(), pod({ metadata: { name: 'web-2' }, status: { podIP: '10.0.0.2' } })]
    expect(meshServices([service({ ports })], pods)).toEqual(
      cases('have the addresses of their Pods with the sidecar, and the protocols of their ports'),
    )
  })

  it('are in order of namespace and name, also those with one selector', () => {
    const pods = [pod(), pod({ metadata: { namespace: 'a' } })]
    const services = [service(), service({}, { name: 'all' }), service({}, { namespace: 'a', name: 'z' })]
    expect(meshServices(services, pods).map(({ namespace, name }) => `${namespace}/${name}`)).toEqual(
      cases('are in order of namespace and name, also those with one selector'),
    )
  })

  it('need every label of their selector on a Pod of their namespace', () => {
    const both = service({ selector: { app: 'web', tier: 'front' } })
    expect(addresses([both], [pod()])).toEqual([])
    expect(addresses([both], [pod({ labels: { tier: 'front', app: 'web', more: 'x' } })])).toEqual([['10.0.0.1']])
    expect(addresses([service()], [pod({ metadata: { namespace: 'other' } })])).toEqual([])
  })

  it('without a selector, and those that are a name in the DNS, have no Pods', () => {
    const odd = [{ selector: {} }, { selector: null }, { selector: 'app=web' }, { type: 'ExternalName' }]
    expect(odd.map((spec) => addresses([service(spec)], [pod()]))).toEqual([[], [], [], []])
  })

  it('are listed without an address while their Pods have none', () =>
    expect(addresses([service()], [pod({ status: { phase: 'Pending' } }), pod({ status: { podIP: '' } })])).toEqual([
      [],
    ]))

  it('have neither Pods that are ending or have ended nor those without the sidecar', () => {
    const away = [
      pod({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }),
      pod({ status: { phase: 'Succeeded', podIP: '10.0.0.1' } }),
      pod({ status: { phase: 'Failed', podIP: '10.0.0.1' } }),
      pod({ metadata: { annotations: {} } }),
      pod({ metadata: { annotations: null } }),
    ]
    expect(addresses([service()], away)).toEqual([])
  })

  it('have both addresses of a Pod with IPv4 and IPv6, each once', () => {
    const dual = pod({ status: { podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }, {}] } })
    expect(addresses([service()], [dual, dual])).toEqual([['10.0.0.1', 'fd00::1']])
  })

  it('are found as comparing each Service with each Pod finds them', () => {
    const label = fc.constantFrom('a', 'b', 'c', '__proto__')
    const labels = fc.dictionary(label, fc.constantFrom('1', '2'), { maxKeys: 3 })
    const namespace = fc.constantFrom('x', 'y')
    const world = fc.record({
      services: fc.array(fc.tuple(namespace, labels), { maxLength: 12 }),
      pods: fc.array(fc.tuple(namespace, labels), { maxLength: 12 }),
    })
    holds(world, (made) => {
      const services = made.services.map(([ns, selector], index) =>
        service({ selector }, { namespace: ns, name: `s${100 + index}` }),
      )
      const pods = made.pods.map(([ns, own], index) =>
        pod({ metadata: { namespace: ns }, labels: own, status: { podIP: `10.0.0.${100 + index}` } }),
      )
      const expected = services.flatMap(({ namespace: ns, name, selector }) => {
        const own = pods.filter(
          (one) => one.namespace === ns && selector.every(([key, value]) => one.labels[key] === value),
        )
        return selector.length > 0 && own.length > 0 ? [`${ns}/${name} ${own.flatMap((one) => one.addresses)}`] : []
      })
      const found = meshServices(services, pods).map((one) => `${one.namespace}/${one.name} ${one.addresses}`)
      expect(found).toEqual(expected.sort())
    })
  })
})

describe('resources', () => {
  const owned = (kind: string, name: string, labels: JsonObject = {}, more: JsonObject = {}) =>
    pod({ labels, metadata: { ownerReferences: [{ apiVersion: 'apps/v1', kind, name, controller: true }], ...more } })

  it('are the parents of Pods, with the Deployment in place of its ReplicaSet', () => {
    const pods = [
      owned('ReplicaSet', 'web-7d4b9c', { [`${GROUP}/deployment`]: 'web', 'pod-template-hash': '7d4b9c' }),
      owned('ReplicaSet', 'web-66d5f7', { [`${GROUP}/deployment`]: 'web', 'pod-template-hash': '66d5f7' }),
      owned('ReplicaSet', 'api-5f6d7', { 'pod-template-hash': '5f6d7' }),
      owned('ReplicaSet', 'alone', { 'pod-template-hash': '5f6d7' }),
      owned('ReplicaSet', '-5f6d7', { 'pod-template-hash': '5f6d7' }),
      owned('StatefulSet', 'db'),
      owned('Job', 'load', {}, { namespace: 'batch' }),
      owned('Job', 'nightly-29384720', { [`${GROUP}/cronjob`]: 'nightly' }),
      owned('ReplicaSet', 'blue-6bd9f', { 'rollouts-pod-template-hash': '6bd9f' }),
      owned('Node', 'node-1', {}, { name: 'mirror' }),
      pod({ metadata: { name: 'single' } }),
    ]
    expect(meshResources(pods)).toEqual(
      cases('are the parents of Pods, with the Deployment in place of its ReplicaSet'),
    )
    expect(Object.keys(meshResources([...pods].reverse()))).toEqual(['batch', 'shop'])
  })

  it('leave out Pods without the sidecar and Pods that are ending', () => {
    const gone = [{ annotations: {} }, { deletionTimestamp: '2026-01-01T00:00:00Z' }]
    expect(meshResources(gone.map((metadata) => pod({ metadata })))).toEqual({})
  })

  it('take a Pod for its own parent where its references are odd', () => {
    const odd = [null, 'x', [null], [{ kind: 'Job', name: 'a' }], [{ kind: 'a/b', name: 'x', controller: true }]]
    for (const ownerReferences of odd)
      expect(meshResources([pod({ metadata: { ownerReferences } })])).toEqual({ shop: { pod: ['web-1'] } })
  })
})

describe('versions', () => {
  each<[string, string]>('of the image %s is "%s"', (image, version) => expect(versionOf(image)).toBe(version))

  const deployment = (name: string, images: readonly string[], labels: JsonObject): JsonObject => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'nginx-mesh', labels },
    spec: { template: { spec: { containers: images.map((image, index) => ({ name: `c${index}`, image })) } } },
  })
  const OURS = { 'app.kubernetes.io/part-of': 'nginx-service-mesh' }

  it('are those of labelled Deployments, of the sidecars that there are and of those to come', () => {
    const deployments = [
      deployment('nginx-mesh-api', ['r/api:v1.7.0', 'r/reloader:v1.7.0'], OURS),
      deployment('nginx-mesh-metrics', ['r/metrics@sha256:00ff'], OURS),
      deployment('other', ['other:1'], {}),
    ]
    const components = deployments.flatMap((one) => readComponent(one, apiNames()) ?? [])
    const containers = cases<readonly { name: string; image: string }[]>('containers')
    const initContainers = [{ name: 'nginx-mesh-init', image: 'init:1.7.0' }]
    const sidecars = cases<readonly { name: string; image: string }[]>('sidecars')
    expect(meshVersions(components, [pod({ spec: { containers, initContainers } })], sidecars)).toEqual(
      cases('are those of labelled Deployments, of the sidecars that there are and of those to come'),
    )
  })

  it('follow the names of another vendor', () => {
    const names = apiNames({ vendor: 'acme', platform: 'k8s' })
    const one = deployment('acme-mesh-api', ['api:2'], { 'app.kubernetes.io/part-of': 'acme-service-mesh' })
    expect(readComponent(one, names)?.images).toEqual(['api:2'])
    expect(readComponent(one, apiNames())).toBeUndefined()
  })
})

it('reading never throws, whatever an object contains', () => {
  const object = fc.dictionary(
    fc.constantFrom('metadata', 'spec', 'status', 'kind'),
    fc.dictionary(
      fc.constantFrom(
        ...['name', 'labels', 'annotations', 'ownerReferences', 'podIPs', 'podIP', 'ports', 'selector'],
        ...['containers', 'initContainers', 'template', 'clusterIP'],
      ),
      fc.jsonValue(),
    ),
  )
  holds(object, (value) => {
    const pods = [readPod(value as JsonObject)]
    meshServices([readService(value as JsonObject)], pods)
    meshResources(pods)
    readComponent(value as JsonObject, apiNames())
  })
})
