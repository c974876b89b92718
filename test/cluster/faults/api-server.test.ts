/**
 * A go-between answers in place of the API server (410, 429, 500, 503), or lets requests wait, while calls go on. All else
 * is the API server's own.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { useCluster, useWebhook } from '../cluster.ts'
import { must } from '../kubectl.ts'
import { startLoad } from '../load.ts'
import { MINUTE, type Replica, startReplica } from '../replicas.ts'
import { BROKEN, gateway, namespace, policy, until } from '../resources.ts'
import { ADMIN } from '../users.ts'
import { layWire, type Wire } from '../wire.ts'
import { callWitness, type Witness } from '../witness.ts'

let witness: Witness
let wire: Wire
let kubeconfig: string
/** What happens to requests on their way; a status is the answer to them. */
let meddle: (asked: URL) => Promise<number | undefined> = async () => undefined

const cluster = useCluster({ objects: [gateway('edge'), namespace('sluice-system')] })
const { kubectl, store } = cluster
beforeAll(async () => {
  witness = await callWitness(cluster, (asked) => meddle(asked))
  wire = await layWire(witness.url)
  kubeconfig = cluster.kubeconfig(ADMIN, wire.url, witness.authority)
})
afterAll(async () => {
  await wire.stop()
  await witness.stop()
})
const webhook = useWebhook(cluster, { kubeconfig: () => kubeconfig, failurePolicy: 'Fail' })
afterEach(() => {
  meddle = async () => undefined
})

const apply = (object: object) => kubectl('apply --dry-run=server -f -', [object])
const UNKNOWN = 'sluice does not know all objects now'

const isWatch = ({ searchParams }: URL) => searchParams.get('watch') === 'true'

/** Ends all connections, so that every watch begins anew. */
const interrupt = () => {
  wire.cut()
  wire.repair()
}

describe('an API server that answers', () => {
  test.each([429, 503])('%i to everything is asked again later, and no call fails meanwhile', async (code) => {
    const load = startLoad(cluster)
    await load.grow(2)
    let refused = 0
    meddle = async () => {
      refused += 1
      return code
    }
    interrupt()
    await until('the watches are lost', async () => !(await webhook.server.isSynced()))
    await until('it is asked again', () => refused > 20)
    expect((await apply(policy('meanwhile', ['Gateway/nowhere']))).stderr).toContain(UNKNOWN)
    expect([await webhook.isDenying(), await webhook.server.ready()]).toEqual([true, 200])
    await load.grow(2)
    meddle = async () => undefined
    await until('the watches are synced again', () => webhook.server.isSynced())
    expect((await apply(policy('afterwards', ['Gateway/edge']))).stderr).toBe('')
    expect(await load.stop()).toEqual([])
  })

  test.each([410, 429])('%i to watches alone is asked again, and what came meanwhile is known', async (code) => {
    const load = startLoad(cluster)
    await load.grow(2)
    let refused = 0
    meddle = async (asked) => {
      if (!isWatch(asked)) return undefined
      refused += 1
      return refused <= 25 ? code : undefined
    }
    interrupt()
    await store([gateway(`new-${code}`)])
    await until('it has answered with errors', () => refused > 25)
    await until('the Gateway is known', async () => {
      const { stderr } = await apply(policy('on-new', [`Gateway/new-${code}`]))
      return stderr === ''
    })
    await until('the watches are synced', () => webhook.server.isSynced())
    expect(await load.stop()).toEqual([])
  })
})

test('an API server that takes three seconds for each answer is waited for, and no call fails meanwhile', async () => {
  const load = startLoad(cluster)
  await load.grow(2)
  meddle = async () => {
    await sleep(3000)
    return undefined
  }
  interrupt()
  await store([gateway('slow')])
  await load.grow(2)
  await until('the Gateway is known', async () => {
    const { stderr } = await apply(policy('on-slow', ['Gateway/slow']))
    return stderr === ''
  })
  expect(await webhook.server.isSynced()).toBe(true)
  expect(await load.stop()).toEqual([])
})

describe('the certificates of a replica', () => {
  let replica: Replica | undefined
  // They trust another authority, which no replica could bring back.
  beforeAll(async () => {
    const kinds = 'validatingwebhookconfigurations,mutatingwebhookconfigurations'
    await must(kubectl(`delete ${kinds} --all`))
  })
  afterEach(() => replica?.stop())
  const looked = () => until('the replica has looked', () => replica?.time.isIdle() ?? false)

  test.each([403, 429, 500])('stay in use while the API server answers %i, and it is asked again', async (code) => {
    replica = await startReplica(cluster, Date.now(), kubeconfig)
    await looked()
    expect(replica.served.length).toBe(1)
    meddle = async () => code
    replica.time.advance(MINUTE)
    await looked()
    expect(replica.failures).toEqual([`the API server answers ${code}`])
    meddle = async () => undefined
    replica.time.advance(MINUTE)
    await looked()
    expect([replica.served.length, replica.failures.length]).toEqual([1, 1])
  })
})

test('packets that are swallowed on the way to the webhook cost a call its five seconds, and kubectl says so', async () => {
  const way = await layWire(`https://127.0.0.1:${webhook.server.port}`)
  const install = (failurePolicy: 'Fail' | 'Ignore') => webhook.install(failurePolicy, Number(new URL(way.url).port))
  try {
    await install('Fail')
    await until('the webhook denies', webhook.isDenying)
    way.swallow()
    const { code, stderr } = await apply(policy('stalled', ['Gateway/edge']))
    expect([code, stderr]).toEqual([1, expect.stringMatching(/failed calling webhook .* context deadline exceeded/)])
    await install('Ignore')
    await until('nothing is denied', async () => (await cluster.write('POST', BROKEN)).status === 201)
    way.repair()
    await install('Fail')
    await until('the webhook denies', webhook.isDenying)
  } finally {
    await way.stop()
  }
})
