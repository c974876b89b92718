/** The controller, killed between any two writes, refused, with other replicas, and with nothing to do. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/json/member.ts'
import { share, testAtNight } from '../../runs.ts'
import type { Serving } from '../../serving.ts'
import { allObjects, disagreements } from '../agreement.ts'
import { useCluster } from '../cluster.ts'
import { OWN, useControllers } from '../controllers.ts'
import { must } from '../kubectl.ts'
import { gateway, gatewayClass, namespace, policy, route, until } from '../resources.ts'
import { ADMIN } from '../users.ts'
import { callWitness, type Witness } from '../witness.ts'

let witness: Witness | undefined
afterEach(async () => {
  await witness?.stop()
  witness = undefined
})
const cluster = useCluster({ objects: [gatewayClass('nginx', OWN)] })
const { kubectl, store, read } = cluster
const controllers = useControllers(cluster, 'SIGKILL')

/** Starts a controller whose Lease is in a namespace; with a go-between, all of its requests go that way. */
const start = (space: string, by?: Witness): Promise<Serving> =>
  controllers.start(
    ...['--namespace', space],
    ...(by ? ['--kubeconfig', cluster.kubeconfig(ADMIN, by.url, by.authority)] : []),
  )

/** Objects whose statuses take several writes: a conflict with its event, a missing target, marks. */
const world = (space: string) => [
  gateway('edge', space),
  route('HTTPRoute', 'coffee', 'edge', space),
  policy('a', ['HTTPRoute/coffee'], { rejectCode: 429 }, space),
  policy('b', ['HTTPRoute/coffee'], { rejectCode: 429 }, space),
  policy('c', ['Gateway/edge'], {}, space),
  policy('d', ['HTTPRoute/gone'], {}, space),
]

async function create(space: string): Promise<void> {
  await store([namespace(space)])
  await store(world(space))
}

const within = (space: string) => ({ within: (other: string) => other === space })
const agreed = (space: string, seconds?: number) =>
  until(
    `the statuses in ${space} are right`,
    async () => disagreements(await allObjects(kubectl), within(space)).length === 0,
    seconds,
  )

const isLease = ({ pathname }: URL) => pathname.includes('/leases')
const events = async (space: string): Promise<readonly JsonObject[]> => (await read(`events -n ${space}`)).items

/** Writes that a controller makes for the world: six statuses and an event. */
const WRITES = 7

testAtNight('killed before each of its writes, and started again: the result is the same', async () => {
  for (let last = 0; last < WRITES; last++) {
    const space = `killed-${last}`
    await create(space)
    let writes = 0
    let victim: Serving | undefined
    let gone: Promise<unknown> | undefined
    witness = await callWitness(cluster, async (asked, method) => {
      if (method === 'GET' || isLease(asked)) return undefined
      if (writes++ < last) return undefined
      gone ??= victim?.stop('SIGKILL')
      await gone
      return 503
    })
    victim = await start(space, witness)
    await until(`write ${last} is on its way`, () => gone !== undefined)
    expect(disagreements(await allObjects(kubectl), within(space)), space).not.toEqual([])
    await witness.stop()
    // It need not wait for the Lease of the one that was killed; that is another test.
    const next = await start('default')
    await agreed(space)
    await next.stop()
    const said = (await events(space)).filter(({ reason }) => reason === 'Conflicted')
    expect(said.length, space).toBe(1)
  }
})

test.each(share([409, 429, 500, 503], 2))('writes that are answered with %d are made again', async (code) => {
  const space = `refused-${code}`
  await create(space)
  let refused = 0
  witness = await callWitness(cluster, async (asked, method) =>
    method === 'PATCH' && !isLease(asked) && refused++ < 9 ? code : undefined,
  )
  const controller = await start(space, witness)
  await agreed(space)
  expect(refused).toBeGreaterThan(9)
  expect(await controller.metrics()).toMatch(code === 409 ? /outcome="outdated"\} \d/ : /outcome="failed"\} \d/)
})

/** Seconds; a longer rest is tried with SLUICE_IDLE_SECONDS=600. */
const IDLE = Number(process.env.SLUICE_IDLE_SECONDS ?? 20)

testAtNight('with nothing to do it writes nothing but its Lease', async () => {
  const space = 'idle'
  await create(space)
  witness = await callWitness(cluster)
  const controller = await start(space, witness)
  await agreed(space)
  await sleep(1000)
  const before = (await allObjects(kubectl)).map(({ metadata }) => metadata)
  const others = () => witness?.writes.filter(({ path }) => !path.includes('/leases')) ?? []
  const count = others().length
  const cpu = async () => Number(/^process_cpu_seconds_total (.*)$/m.exec(await controller.metrics())?.[1])
  const began = await cpu()
  await sleep(IDLE * 1000)
  console.log(`${IDLE} s without a change: ${((await cpu()) - began).toFixed(2)} s of processor time`)
  expect(others().slice(count)).toEqual([])
  expect((await allObjects(kubectl)).map(({ metadata }) => metadata)).toEqual(before)
  expect(await controller.stop()).toBe(0)
})

const leads = async (controller: Serving) => /^sluice_controller_leader 1$/m.test(await controller.metrics())

test('of two replicas one writes, and the other one when the first is killed or stopped', async () => {
  const space = 'replicas'
  await create(space)
  const both = [await start(space), await start(space)] as const
  await agreed(space)
  await until('one leads', async () => (await leads(both[0])) || (await leads(both[1])))
  const [first, second] = (await leads(both[0])) ? both : [both[1], both[0]]
  expect(await leads(second)).toBe(false)
  const written = async (controller: Serving) =>
    /sluice_controller_writes_total\{[^}]*outcome="written"\}/.test(await controller.metrics())
  expect([await written(first), await written(second)]).toEqual([true, false])
  expect(await second.ready()).toBe(200)
  await first.stop('SIGKILL')
  await must(kubectl(`delete ratelimitpolicy a -n ${space}`))
  await agreed(space)
  expect(await leads(second)).toBe(true)
  const third = await start(space)
  expect(await second.stop()).toBe(0)
  await store([policy('e', ['Gateway/edge'], {}, space)])
  await agreed(space, 10)
  expect(await leads(third)).toBe(true)
})

test('policies in conflict that come at once have the same status in the end, whichever replica leads, and an Event each', async () => {
  const space = 'races'
  const targets = Array.from({ length: 10 }, (_, index) => `edge-${index}`)
  await store([namespace(space), ...targets.map((target) => gateway(target, space))])
  const both = [await start(space), await start(space)]
  const rivals = targets.flatMap((target) =>
    ['a', 'b'].map((name) => policy(`${target}-${name}`, [`Gateway/${target}`], { rejectCode: 429 }, space)),
  )
  await Promise.all(rivals.map((rival) => cluster.write('POST', rival, '')))
  await agreed(space)
  const versions = async () => {
    const { items } = await read(`ratelimitpolicies -n ${space}`)
    return items.map(({ metadata }: { metadata: { resourceVersion: string } }) => metadata.resourceVersion)
  }
  const before = await versions()
  const [first, second] = (await leads(both[0] as Serving)) ? both : both.toReversed()
  await first?.stop('SIGKILL')
  await until('the other one leads', () => leads(second as Serving))
  await store([gateway('later', space), policy('later', ['Gateway/later'], {}, space)])
  await agreed(space)
  expect((await versions()).slice(0, before.length)).toEqual(before)
  const losers = (await events(space)).map(({ reason, count, involvedObject }) =>
    [reason, count, (involvedObject as JsonObject).name].join(' '),
  )
  expect(losers.map((text) => text.slice(0, -2)).sort()).toEqual(targets.map((target) => `Conflicted 1 ${target}`))
})

testAtNight('a leader that cannot reach the API server stops leading before another one begins', async () => {
  const space = 'cut-off'
  await create(space)
  let isCut = false
  witness = await callWitness(cluster, async () => {
    if (isCut) await sleep(60_000, undefined, { ref: false })
    return undefined
  })
  const first = await start(space, witness)
  await agreed(space)
  const second = await start(space)
  isCut = true
  await until('the second one leads', () => leads(second))
  expect(await leads(first)).toBe(false)
})

test('an API server that restarts is found again', async () => {
  const space = 'restart'
  await create(space)
  const controller = await start(space)
  await agreed(space)
  await cluster.stopServer()
  await until('it is not ready', async () => (await controller.ready()) === 503)
  await cluster.startServer()
  await must(kubectl(`delete ratelimitpolicy a -n ${space}`))
  await agreed(space)
  expect(await controller.ready()).toBe(200)
})
