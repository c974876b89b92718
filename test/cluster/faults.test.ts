import { join } from 'node:path'
import { expect, test } from 'vitest'
import { share, testAtNight } from '../runs.ts'
import { startAdmission } from './admission-server.ts'
import { useCluster, useWebhook } from './cluster.ts'
import { must } from './kubectl.ts'
import { BROKEN, gateway, policy, until } from './resources.ts'
import { ADMIN, ROBOT } from './users.ts'
import { layWire } from './wire.ts'

const cluster = useCluster({ objects: [gateway('edge')] })
const { kubectl, read } = cluster
const webhook = useWebhook(cluster, { failurePolicy: 'Fail' })

const apply = (objects: readonly object[], flags: readonly string[] = []) =>
  kubectl(['apply', ...flags, '-f', '-'], objects)

/** Writes policies one after the other until it is stopped; gives what was refused. */
function keepApplying(name: string) {
  const refusals: string[] = []
  let isOver = false
  const work = (async () => {
    for (let index = 0; !isOver; index++) {
      const { code, stderr } = await apply([
        policy(`${name}${index % 5}`, ['Gateway/edge'], { rejectCode: 400 + (index % 100) }),
      ])
      if (code !== 0) refusals.push(stderr)
    }
  })()
  return {
    async stop(): Promise<readonly string[]> {
      isOver = true
      await work
      return refusals
    },
  }
}

testAtNight('five thousand policies in parallel, each judged, none lost', async () => {
  const batches = Array.from({ length: 10 }, (_, batch) =>
    Array.from({ length: 500 }, (_, index) => policy(`many-${batch}-${index}`, ['Gateway/edge'])),
  )
  await Promise.all(batches.map((batch) => must(apply(batch, ['--server-side']))))
  const { items } = await read('ratelimitpolicies')
  expect(items.length).toBe(5000)
  await must(kubectl('delete ratelimitpolicies --all --wait=false'))
})

test('two policies race for one target: both are stored, the response to the later one says so, and a metric', async () => {
  const rivals = ['a', 'b'].map((name) => policy(name, ['Gateway/edge'], { rejectCode: 429 }))
  await Promise.all(rivals.map((rival) => must(apply([rival]))))
  const touched = rivals.map((rival) => ({ ...rival, metadata: { ...rival.metadata, labels: { touched: 'yes' } } }))
  await until('the conflict is known', async () =>
    (await apply(touched, ['--dry-run=server'])).stderr.includes('Warning:'),
  )
  const shown = async () =>
    (await webhook.server.metrics()).match(/^sluice_findings\{rule="gateway\/conflict".*$/gm)?.join('\n')
  const one = 'sluice_findings{rule="gateway/conflict",severity="error",namespace="default"} 1'
  await until('the conflict is counted', async () => (await shown()) === one)
  await must(kubectl('delete ratelimitpolicies --all --wait=false'))
  await until('it is counted no longer', async () => (await shown()) === undefined)
})

test.each(share(['the API server', 'etcd'] as const, 1))('%s restarts: all find each other again', async (what) => {
  if (what === 'etcd') await cluster.restartEtcd()
  else {
    await cluster.stopServer()
    expect(await webhook.server.ready()).toBe(200)
    await cluster.startServer()
  }
  await until('the webhook denies', webhook.isDenying)
  await until('the watches are synced', () => webhook.server.isSynced())
})

testAtNight(
  'an API server whose packets are swallowed degrades what is said, is noticed, and is found again',
  async () => {
    const wire = await layWire(cluster.url)
    await webhook.restart({ kubeconfig: cluster.kubeconfig(ADMIN, wire.url) })
    const { server } = webhook
    try {
      wire.swallow()
      const isLost = async () => (await server.metrics()).includes('sluice_watch_state{kind="Gateway",state="lost"} 1')
      await until('the silence is noticed', isLost, 90)
      expect(await server.isSynced()).toBe(false)
      expect(await server.ready()).toBe(200)
      const { code, stderr } = await apply([policy('meanwhile', ['Gateway/nowhere'])], ['--dry-run=server'])
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: expect.stringContaining('sluice does not know all objects now'),
      })
      expect(await webhook.isDenying()).toBe(true)
      wire.repair()
      await until('the watches are synced again', () => server.isSynced())
    } finally {
      wire.repair()
      await wire.stop()
    }
  },
)

test.each(share(['swallow', 'cut'] as const, 1))(
  'a start without an API server (%s) is ready, says what it does not see, and finds it later',
  async (state) => {
    const wire = await layWire(cluster.url)
    wire[state]()
    const flags = ['--kubeconfig', cluster.kubeconfig(ADMIN, wire.url)]
    const early = await startAdmission([...webhook.certificate.flags, ...flags])
    try {
      expect(await early.ready()).toBe(200)
      expect(await early.metrics()).toContain('sluice_watch_state{kind="Gateway",state="synced"} 0')
      wire.repair()
      await until('the watches are synced', () => early.isSynced())
    } finally {
      await early.stop()
      await wire.stop()
    }
  },
)

testAtNight('frozen with Fail nothing is written, and thawed it judges what comes', async () => {
  const { child } = webhook.server
  child.kill('SIGSTOP')
  try {
    const refused = await apply([policy('waiting', ['Gateway/edge'])])
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('failed calling webhook') })
  } finally {
    child.kill('SIGCONT')
  }
  await until('the webhook denies', webhook.isDenying)
  await until('the watches are synced', () => webhook.server.isSynced())
  await must(apply([policy('waiting', ['Gateway/edge'])]))
})

test('killed with Fail nothing is written, with Ignore everything is, and a new start guards again', async () => {
  await webhook.server.stop('SIGKILL')
  const refused = await apply([policy('failing', ['Gateway/edge'])])
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('failed calling webhook') })
  await webhook.install('Ignore')
  await until('the other failure policy holds', async () => (await cluster.write('POST', BROKEN)).status === 201)
  await webhook.restart()
})

test('SIGTERM answers what is under way and ends with 0', async () => {
  await webhook.install('Ignore')
  const load = keepApplying('ending')
  expect(await webhook.server.stop()).toBe(0)
  expect(await load.stop()).toEqual([])
  await webhook.restart()
})

test('the rights of the manifests are enough to watch', async () => {
  const base = join(import.meta.dirname, '../../webhook-config/base')
  await must(kubectl(['apply', '-f', join(base, 'namespace.yaml'), '-f', join(base, 'access.yaml')]))
  await must(kubectl('create clusterrolebinding robots --clusterrole=sluice-admission --group=robots'))
  const robot = await startAdmission([...webhook.certificate.flags, '--kubeconfig', cluster.kubeconfig(ROBOT)])
  try {
    const isSynced = async () => !/state="(?:starting|lost)"\} 1$/m.test(await robot.metrics())
    await until('everything is synced', isSynced)
  } finally {
    await robot.stop()
  }
})
