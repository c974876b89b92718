/** The controller with a real nginx: what the policies of a cluster do to requests, and what nginx said in their statuses. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { freePort } from '../free-ports.ts'
import type { Serving } from '../serving.ts'
import { useCluster } from './cluster.ts'
import { AFFECTED, OWN, useControllers } from './controllers.ts'
import { must } from './kubectl.ts'
import { gateway, gatewayClass, limit, policy, until } from './resources.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-nginx-'))
const port = await freePort()

const cluster = useCluster({ objects: [gatewayClass('nginx', OWN)] })
const { kubectl, store } = cluster
afterEach(() => must(kubectl('delete gateways,httproutes,ratelimitpolicies --all -A')))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const { newSpace, get, ancestors, conditionsOf, eventsOf, ...controllers } = useControllers(cluster)

let controller: Serving | undefined
async function start(space: string, ...more: string[]): Promise<Serving> {
  const nginx = ['--nginx-dir', folder, '--stop-nginx', '--port', String(port)]
  controller = await controllers.start('--namespace', space, ...nginx, ...more)
  return controller
}

/** Started without `--stop-nginx`. */
const startLeaving = (space: string) =>
  controllers.start('--namespace', space, '--nginx-dir', folder, '--port', String(port))

const route = (name: string, space: string) => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'HTTPRoute',
  metadata: { name, namespace: space },
  spec: {
    parentRefs: [{ name: 'edge' }],
    rules: [{ matches: [{ path: { value: `/${name}` } }], backendRefs: [{ name: 'web', port: 80 }] }],
  },
})

const limiting = (name: string, space: string, changes: Parameters<typeof limit>[0] = {}) =>
  policy(
    name,
    [`HTTPRoute/${name}`],
    { rejectCode: 429, local: { rules: [limit({ rate: '1r/m', ...changes })] } },
    space,
  )

/** The status of a request; 0 where nobody listens. */
const ask = async (path: string, at = port): Promise<number> =>
  fetch(`http://127.0.0.1:${at}${path}`, { headers: { connection: 'close' } }).then(
    async (response) => {
      await response.arrayBuffer()
      return response.status
    },
    () => 0,
  )

/** No Service has a backend here: what is not limited gets 502, and what is 429. */
const isLimited = async (path: string) => (await ask(path)) === 429

/** `True Accepted: The RateLimitPolicy is accepted`: of its one ancestor. */
const accepted = async (name: string, space: string) => (await ancestors(name, space))[0]?.replace(/^\S+ /, '') ?? ''

const becomes = async (name: string, space: string, words: RegExp) =>
  until(`the status of ${name} is ${words}`, async () => words.test(await accepted(name, space))).catch(
    async (error: unknown) => {
      throw new Error(`${error}; it is ${await accepted(name, space)}\n${controller?.log.slice(-10).join('\n')}`)
    },
  )

const isMarked = async (name: string, space: string) =>
  (await conditionsOf(`httproute/${name}`, space)).includes(AFFECTED)

test('a policy limits, a refused key is Invalid with the words of nginx and limits as before, the others go on', async () => {
  const space = await newSpace('refused')
  await start(space)
  const objects = [gateway('edge', space), route('coffee', space), route('tea', space), limiting('coffee', space)]
  await store(objects)
  await becomes('coffee', space, /^True Accepted/)
  expect(await ask('/coffee')).toBe(502)
  await until('the second request is rejected', () => isLimited('/coffee'))
  expect(await ask('/tea')).toBe(502)
  await store([limiting('coffee', space, { key: '$host' }), limiting('tea', space)])
  const words = `"${space}_rl_coffee_rule0" uses the "\\$host" key while previously it used the "\\$binary_remote_addr" key`
  await becomes('coffee', space, new RegExp(`^False Invalid: nginx refuses .* stays in force: .*${words}`))
  await becomes('tea', space, /^True Accepted/)
  expect(await isLimited('/coffee')).toBe(true)
  await until('the other policy limits', () => isLimited('/tea'))
  expect(await isMarked('coffee', space)).toBe(true)
  expect((await eventsOf(space)).filter((said) => said.includes('Invalid RateLimitPolicy/coffee'))).toHaveLength(1)
  await store([limiting('coffee', space, { key: '$host', zoneSize: '1m' })])
  await becomes('coffee', space, /^True Accepted/)
  await must(kubectl(`delete ratelimitpolicy coffee -n ${space}`))
  await until('nothing limits any longer', async () => (await ask('/coffee')) === 502 && (await ask('/coffee')) === 502)
})

test('a policy that nginx has never taken has no effect, marks nothing, and is Invalid', async () => {
  const space = await newSpace('never')
  await start(space)
  await store([gateway('edge', space), route('coffee', space), limiting('coffee', space, { key: '$nope' })])
  await becomes(
    'coffee',
    space,
    /^False Invalid: nginx refuses .* nothing of it is in force: .*unknown "nope" variable/,
  )
  expect(await isMarked('coffee', space)).toBe(false)
  expect(await ask('/coffee')).toBe(502)
})

test.each(['SIGKILL', 'SIGTERM'] as const)(
  'after %s nginx goes on, and the next one takes it up with its zones',
  async (signal) => {
    const space = await newSpace(signal.toLowerCase())
    const first = await startLeaving(space)
    await store([gateway('edge', space), route('coffee', space), limiting('coffee', space)])
    await becomes('coffee', space, /^True Accepted/)
    await ask('/coffee')
    await first.stop(signal)
    expect(await isLimited('/coffee')).toBe(true)
    await store([limiting('coffee', space, { key: '$host' })])
    await start('default')
    await becomes('coffee', space, /^False Invalid/)
    expect(await controller?.stop()).toBe(0)
    expect(await ask('/coffee')).toBe(0)
  },
)

test('nginx of a Gateway that is deleted while no controller runs ends with the next start', async () => {
  const space = await newSpace('orphan')
  const first = await startLeaving(space)
  await store([gateway('edge', space)])
  await until('it listens', async () => (await ask('/none')) === 404)
  expect(await first.stop()).toBe(0)
  expect(first.lines.map(({ msg }) => String(msg)).filter((msg) => msg.startsWith('nginx goes on'))).toHaveLength(1)
  await must(kubectl(`delete gateway edge -n ${space}`))
  expect(await ask('/none')).toBe(404)
  await start(space)
  await until('it has ended', async () => (await ask('/none')) === 0)
})

test('a Gateway whose port is taken has an Event, and gets it when it is free; backends are cluster IPs', async () => {
  const space = await newSpace('ports')
  await start(space)
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: space },
    spec: { ports: [{ port: 80 }], clusterIP: '10.0.0.77' },
  }
  await store([gateway('edge', space), route('coffee', space), service])
  await until('the first one listens', async () => (await ask('/none')) === 404)
  const configuration = () => readFileSync(join(folder, `${space}_edge`, 'conf', 'nginx.conf'), 'utf8')
  await until('the address of the Service is there', () => configuration().includes('server 10.0.0.77:80;'))
  await store([gateway('second', space)])
  await until('the second one has an event', async () =>
    (await eventsOf(space)).some((said) => /NotEnforced Gateway\/second .*bind/.test(said)),
  )
  await must(kubectl(`delete gateway edge -n ${space}`))
  await until('the second one listens', async () => (await ask('/none')) === 404)
  await until(
    'its log says so',
    () => controller?.log.some((line) => line.includes('the configuration is in force')) ?? false,
  )
})

test('of two replicas, one refuses: the status says how many of how many have it', async () => {
  const space = await newSpace('several')
  await start(space)
  await store([gateway('edge', space), route('coffee', space), limiting('coffee', space)])
  await becomes('coffee', space, /^True Accepted/)
  await store([limiting('coffee', space, { key: '$host' })])
  await becomes('coffee', space, /^False Invalid: nginx refuses the RateLimitPolicy, and/)
  const [first, other] = [controller, await freePort()]
  const own = join(folder, 'second')
  const second = await controllers.start(
    '--namespace',
    space,
    '--nginx-dir',
    own,
    '--stop-nginx',
    '--port',
    String(other),
  )
  try {
    await becomes(
      'coffee',
      space,
      /^False Invalid: 1 of 2 replicas have the RateLimitPolicy; nginx refuses it, and what it accepted last stays in force: .*previously/,
    )
    expect(await isMarked('coffee', space)).toBe(true)
    await ask('/coffee', other)
    expect(await ask('/coffee', other)).toBe(429)
    await first?.stop()
    await becomes('coffee', space, /^True Accepted: The RateLimitPolicy is accepted$/)
    expect((await get('leases', space)).items).toHaveLength(2)
  } finally {
    expect(await second.stop()).toBe(0)
  }
  expect((await get('leases', space)).items).toMatchObject([{ spec: { holderIdentity: '' } }])
})
