import { beforeAll, expect, test } from 'vitest'
import { watchedKinds } from '../../src/cluster/client/kinds.ts'
import { clusterOfFile } from '../../src/cluster/client/kubeconfig.ts'
import { listKind } from '../../src/cluster/client/list-kind.ts'
import { apiNames } from '../../src/kubernetes/api-groups.ts'
import { SYSTEMS } from '../../src/registry.ts'
import { kindTable } from '../../src/world/kinds.ts'
import { useCluster } from './cluster.ts'
import { must } from './kubectl.ts'
import { namespace, policy } from './resources.ts'
import { ADMIN } from './users.ts'
import { callWitness } from './witness.ts'

const MANY = 1_100

const cluster = useCluster({ objects: [namespace('shop')] })
const { kubectl } = cluster

beforeAll(async () => {
  const policies = Array.from({ length: MANY }, (_, index) =>
    policy(`many-${index}`, ['Gateway/edge'], {}, index < 100 ? 'shop' : 'default'),
  )
  await must(kubectl('create -f -', policies))
})

const kindOf = (name: string) => {
  const kind = watchedKinds(kindTable(SYSTEMS, apiNames())).find(({ kind }) => kind === name)
  if (!kind) throw new Error(`${name} is not watched`)
  return kind
}
const POLICIES = kindOf('RateLimitPolicy')
const PATH = '/apis/gateway.nginx.org/v1alpha1/ratelimitpolicies'

const namesOf = (items: readonly { readonly metadata?: { readonly name?: string } }[]) =>
  new Set(items.map(({ metadata }) => metadata?.name))

test('more than five hundred objects are read page by page, each once', async () => {
  const witness = await callWitness(cluster)
  try {
    const way = clusterOfFile(cluster.kubeconfig(ADMIN, witness.url, witness.authority))
    const { items, resourceVersion } = await listKind(POLICIES, way)
    expect({ count: items.length, names: namesOf(items).size }).toEqual({ count: MANY, names: MANY })
    expect(Number(resourceVersion)).toBeGreaterThan(0)
    expect(witness.lists).toEqual(Array(3).fill({ path: PATH, code: 200 }))
    expect((await listKind(POLICIES, way, { namespace: 'shop' })).items.length).toBe(100)
    expect([...namesOf((await listKind(kindOf('Namespace'), way)).items)]).toContain('shop')
  } finally {
    await witness.stop()
  }
})

test('a list that the API server forgets between two pages (410 Gone) is read anew', async () => {
  let isForgotten = false
  const witness = await callWitness(cluster, async ({ searchParams }) => {
    if (isForgotten || !searchParams.has('continue')) return
    isForgotten = true
    await must(kubectl('create -f -', [policy('late', ['Gateway/edge'])]))
    await cluster.stopServer()
    await cluster.compact()
    await cluster.startServer()
  })
  try {
    const way = clusterOfFile(cluster.kubeconfig(ADMIN, witness.url, witness.authority))
    const { items } = await listKind(POLICIES, way)
    expect(witness.lists.map(({ code }) => code)).toEqual([200, 410, 200])
    expect(namesOf(items).size).toBe(MANY + 1)
    expect(items.length).toBe(MANY + 1)
  } finally {
    await witness.stop()
  }
})
