import { afterAll, expect, test } from 'vitest'
import { systemClock } from '../../src/cluster/client/clock.ts'
import { clusterOfFile } from '../../src/cluster/client/kubeconfig.ts'
import { type ClusterWatch, watchCluster } from '../../src/cluster/watch/watch.ts'
import type { OwnLookups } from '../../src/gateway/lookups/lookups.ts'
import { GATEWAY_SYSTEM } from '../../src/gateway/system.ts'
import { apiNames, DEFAULT_NAME_PARTS } from '../../src/kubernetes/api-groups.ts'
import { useCluster } from './cluster.ts'
import { must } from './kubectl.ts'
import { applyCrds, gateway, policy, route, snippets, until } from './resources.ts'
import { ADMIN, ROBOT } from './users.ts'
import { layWire } from './wire.ts'
import { callWitness } from './witness.ts'

const cluster = useCluster()
const { kubectl, store } = cluster
const watches: ClusterWatch<OwnLookups>[] = []

afterAll(() => {
  for (const watch of watches) watch.stop()
})

function watch(user = ADMIN, url = cluster.url, authority?: string): ClusterWatch<OwnLookups> {
  const started = watchCluster(clusterOfFile(cluster.kubeconfig(user, url, authority)), {
    names: apiNames(DEFAULT_NAME_PARTS),
    systems: [GATEWAY_SYSTEM],
    clock: systemClock,
  })
  watches.push(started)
  return started
}

const stateOf = (started: ClusterWatch<OwnLookups>, kind: string) =>
  started.state().find((one) => one.kind === kind)?.state
const gatewayState = (started: ClusterWatch<OwnLookups>, name: string) =>
  started.view().world.lookups.gateways.get('default', name).state

test('kinds without a CRD are unknown, and known once the CRD is there', async () => {
  await must(kubectl('delete crds --all'))
  const early = watch()
  expect(early.view().notSynced).toContain('Gateway')
  expect(gatewayState(early, 'edge')).toBe('unknown')
  await until('the watch hears that there is no such kind', () => stateOf(early, 'Gateway') === 'missing')
  await until('namespaces are synced', () => stateOf(early, 'Namespace') === 'synced')
  expect(gatewayState(early, 'edge')).toBe('unknown')
  expect(early.view().notSynced).not.toContain('NginxProxy')
  await applyCrds(kubectl)
  await until('everything is synced', () => early.view().synced)
  expect(gatewayState(early, 'edge')).toBe('absent')
})

test('objects come, change and go', async () => {
  const started = watch()
  await until('everything is synced', () => started.view().synced)
  const objects = [
    gateway('edge'),
    route('HTTPRoute', 'cafe', 'edge'),
    policy('limits', ['Gateway/edge']),
    snippets('map', 'tenant_id'),
  ]
  await store(objects)
  const world = () => started.view().world
  await until('the variable is heard of', () => world().lookups.variables.defined.has('tenant_id'))
  await until(
    'the policy is heard of',
    () => world().lookups.policies.targeting('Gateway', 'default', 'edge').items.length === 1,
  )
  const found = world().lookups.gateways.get('default', 'edge')
  if (found.state !== 'found') throw new Error('the Gateway is not there')
  expect(world().lookups.routes.attachedTo(found.value)).toMatchObject({
    complete: true,
    items: [{ identity: { name: 'cafe' } }],
  })
  expect(world().lookups.namespaces.labels('default')).toEqual({
    state: 'found',
    value: { 'kubernetes.io/metadata.name': 'default' },
  })
  await must(kubectl('delete httproute cafe'))
  await until('the route is gone', () => world().lookups.routes.get('HTTPRoute', 'default', 'cafe').state === 'absent')
  await must(kubectl('delete ratelimitpolicy limits'))
  await until(
    'the policy is gone',
    () => world().lookups.policies.targeting('Gateway', 'default', 'edge').items.length === 0,
  )
})

test('while nothing changes, the same question has the same list for an answer', async () => {
  const started = watch()
  await until('everything is synced', () => started.view().synced)
  await store([policy('same', ['Gateway/same'])])
  const ask = () => started.view().world.lookups.policies.targeting('Gateway', 'default', 'same').items
  await until('the policy is heard of', () => ask().length === 1)
  const before = ask()
  await store([route('HTTPRoute', 'other', 'same')])
  await until(
    'the route is heard of',
    () => started.view().world.lookups.routes.get('HTTPRoute', 'default', 'other').state === 'found',
  )
  expect(ask()).toBe(before)
})

test('without rights everything is unknown; rights that come later are enough, and lost ones are said', async () => {
  const started = watch(ROBOT)
  await until('the refusal is heard of', () => started.state().every(({ problem }) => problem?.includes('403')))
  expect(gatewayState(started, 'edge')).toBe('unknown')
  await must(kubectl('create clusterrole reader --verb=get,list,watch --resource=*.*'))
  await must(kubectl('create clusterrolebinding readers --clusterrole=reader --group=robots'))
  await until('everything is synced', () => started.view().synced)
  expect(gatewayState(started, 'edge')).toBe('found')
  await must(kubectl('delete clusterrolebinding readers'))
  await cluster.stopServer()
  await cluster.startServer()
  await until('the loss is heard of', () => stateOf(started, 'Gateway') === 'lost')
  expect(gatewayState(started, 'edge')).toBe('unknown')
  expect(started.view().notSynced).toContain('Gateway')
})

test('an API server that restarts is found again, with what happened meanwhile', async () => {
  const started = watch()
  await until('everything is synced', () => started.view().synced)
  await cluster.stopServer()
  await until('the loss is heard of', () => !started.view().synced)
  // Each kind has a connection of its own.
  await until('so is that of Gateways', () => gatewayState(started, 'edge') === 'unknown')
  await cluster.startServer()
  await store([gateway('late')])
  await until('everything is synced again', () => started.view().synced)
  await until('the new Gateway is heard of', () => gatewayState(started, 'late') === 'found')
  expect(gatewayState(started, 'edge')).toBe('found')
})

test('a watch starts before its API server', async () => {
  await cluster.stopServer()
  const started = watch()
  await until('the silence is heard of', () => started.state().every(({ problem }) => problem !== undefined))
  expect(started.view().synced).toBe(false)
  await cluster.startServer()
  await until('everything is synced', () => started.view().synced)
})

test('a watch that was cut says nothing until it goes on, and then knows what it has missed', async () => {
  const wire = await layWire(cluster.url)
  try {
    await store([gateway('short'), gateway('steady')])
    const started = watch(ADMIN, wire.url)
    await until('everything is synced', () => started.view().synced)
    expect(gatewayState(started, 'short')).toBe('found')
    wire.cut()
    await until('the cut is heard of', () => stateOf(started, 'Gateway') === 'lost')
    expect(gatewayState(started, 'short')).toBe('unknown')
    await must(kubectl('delete gateway short'))
    wire.repair()
    await until('everything is synced again', () => started.view().synced)
    await until('the Gateway is gone', () => gatewayState(started, 'short') === 'absent')
    expect(gatewayState(started, 'steady')).toBe('found')
  } finally {
    await wire.stop()
  }
})

test('a watch whose place in history is forgotten (410 Gone) lists anew', async () => {
  const witness = await callWitness(cluster)
  const wire = await layWire(witness.url)
  try {
    await store([gateway('forgotten')])
    const started = watch(ADMIN, wire.url, witness.authority)
    await until('everything is synced', () => started.view().synced)
    wire.cut()
    await must(kubectl('delete gateway forgotten'))
    await store([gateway('newcomer')])
    await cluster.stopServer()
    await cluster.compact()
    await cluster.startServer()
    wire.repair()
    await until('everything is synced again', () => started.view().synced)
    await until('the newcomer is heard of', () => gatewayState(started, 'newcomer') === 'found')
    expect(gatewayState(started, 'forgotten')).toBe('absent')
    expect(witness.watches).toContainEqual({ path: '/apis/gateway.networking.k8s.io/v1/gateways', code: 410 })
  } finally {
    await wire.stop()
    await witness.stop()
  }
})

test('a CRD that goes takes the knowledge of its kind along', async () => {
  const started = watch()
  await until('everything is synced', () => started.view().synced)
  expect(gatewayState(started, 'steady')).toBe('found')
  await must(kubectl('delete crd gateways.gateway.networking.k8s.io --timeout=30s'))
  await until('the kind is gone', () => stateOf(started, 'Gateway') === 'missing')
  expect(gatewayState(started, 'steady')).toBe('unknown')
  expect(started.view().notSynced).toEqual(['Gateway'])
  await applyCrds(kubectl, ['gateways'])
  await until('the kind is back', () => started.view().synced)
  expect(gatewayState(started, 'steady')).toBe('absent')
})
