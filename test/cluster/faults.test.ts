import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { share, testAtNight } from '../runs.ts'
import {
  type AdmissionServer,
  type CertificateFiles,
  hasOtherClocks,
  installWebhooks,
  startAdmission,
  writeCertificate,
} from './admission-server.ts'
import { type ControlPlane, startControlPlane } from './control-plane.ts'
import { createKubectl, type Kubectl, must } from './kubectl.ts'
import { startLoad } from './load.ts'
import { applyCrds, gateway, limit, policy, until } from './resources.ts'
import { ADMIN, ROBOT } from './users.ts'
import { layWire } from './wire.ts'

let plane: ControlPlane
let kubectl: Kubectl
let server: AdmissionServer
let certificate: CertificateFiles

const BROKEN = policy('broken', ['Gateway/edge'], { local: { rules: [limit({ rate: '0r/s' })] } })
const apply = (objects: readonly object[], flags: readonly string[] = []) =>
  kubectl(['apply', ...flags, '-f', '-'], objects)
const isGuarded = async () => (await apply([BROKEN], ['--dry-run=server'])).code !== 0

beforeAll(async () => {
  plane = await startControlPlane()
  kubectl = createKubectl(plane.kubeconfig(ADMIN))
  await applyCrds(kubectl)
  await must(apply([gateway('edge')]))
  certificate = await writeCertificate(plane.folder)
  server = await startAdmission([...certificate.flags, '--kubeconfig', plane.kubeconfig(ADMIN)])
  await install('Fail')
  await until('the webhook refuses', isGuarded)
})
afterAll(async () => {
  await server.stop()
  await plane.stop()
})

const install = (failurePolicy: 'Fail' | 'Ignore') =>
  installWebhooks(kubectl, { port: server.port, authority: certificate.authority, failurePolicy })

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

testAtNight('a thousand policies in parallel, each judged, none lost', async () => {
  const batches = Array.from({ length: 4 }, (_, batch) =>
    Array.from({ length: 250 }, (_, index) => policy(`many-${batch}-${index}`, ['Gateway/edge'])),
  )
  await Promise.all(batches.map((batch) => must(apply(batch, ['--server-side']))))
  const { items } = JSON.parse(await must(kubectl('get ratelimitpolicies -o json')))
  expect(items.length).toBe(1000)
  await must(kubectl('delete ratelimitpolicies --all --wait=false'))
})

test('two policies race for one target: both are stored, and the response to the later one says so', async () => {
  const rivals = ['a', 'b'].map((name) => policy(name, ['Gateway/edge'], { rejectCode: 429 }))
  await Promise.all(rivals.map((rival) => must(apply([rival]))))
  await until(
    'the conflict is known',
    async () =>
      (await apply(rivals, ['--dry-run=server'])).stderr.includes('429') ||
      (
        await kubectl(
          'apply --dry-run=server -f -',
          rivals.map((rival) => ({ ...rival, metadata: { ...rival.metadata, labels: { touched: 'yes' } } })),
        )
      ).stderr.includes('Warning:'),
  )
  await must(kubectl('delete ratelimitpolicies --all --wait=false'))
})

test('a certificate of the same authority is taken up without a failed call', async () => {
  const load = keepApplying('renewed')
  await writeCertificate(plane.folder, certificate.authority)
  await until('the new certificate is in use', () =>
    server.log.some((line) => line.includes('new certificate is in use')),
  )
  expect(await load.stop()).toEqual([])
})

test('an API server that restarts finds the webhook, and the webhook finds it', async () => {
  await plane.stopServer()
  expect(await server.ready()).toBe(200)
  await plane.startServer()
  await until('the webhook refuses', isGuarded)
  await until('the watch is synced', async () => (await server.metrics()).includes('{kind="Gateway",state="synced"} 1'))
})

testAtNight(
  'an API server whose packets are swallowed degrades what is said, is noticed, and is found again',
  async () => {
    const wire = await layWire(plane.url)
    const { port } = server
    await server.stop()
    server = await startAdmission([...certificate.flags, '--kubeconfig', plane.kubeconfig(ADMIN, wire.url)], { port })
    try {
      await until('the watches are synced', () => server.isSynced())
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
      expect(await isGuarded()).toBe(true)
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
    const wire = await layWire(plane.url)
    wire[state]()
    const flags = [...certificate.flags, '--kubeconfig', plane.kubeconfig(ADMIN, wire.url)]
    const early = await startAdmission(flags)
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

test.runIf(hasOtherClocks).each(share([-60, 60], 1))(
  'a clock that is off by %i seconds changes nothing',
  async (clock) => {
    const { port } = server
    await server.stop()
    server = await startAdmission([...certificate.flags, '--kubeconfig', plane.kubeconfig(ADMIN)], { port, clock })
    await until('the webhook refuses', isGuarded)
    await until('the watches are synced', () => server.isSynced())
    await must(kubectl('delete ratelimitpolicies --all --wait=false'))
    const { time } = JSON.parse(server.log[0] ?? '')
    expect(Math.abs(Date.parse(time) - Date.now() - clock * 1000)).toBeLessThan(50_000)
    expect(await apply([policy('skewed', ['Gateway/edge'])])).toMatchObject({ code: 0, stderr: '' })
    await must(kubectl('delete ratelimitpolicy skewed'))
  },
)

test('killed with Fail nothing is written, with Ignore everything is, and a new start guards again', async () => {
  await server.stop('SIGKILL')
  const refused = await apply([policy('failing', ['Gateway/edge'])])
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('failed calling webhook') })
  await install('Ignore')
  await until(
    'the other failure policy holds',
    async () => (await apply([policy('ignoring', ['Gateway/edge'])])).code === 0,
  )
  server = await startAdmission([...certificate.flags, '--kubeconfig', plane.kubeconfig(ADMIN)], { port: server.port })
  await until('the webhook refuses', isGuarded)
})

testAtNight(
  'killed and started again under load: with Ignore every write passes, with Fail no write passes unseen',
  async () => {
    const again = async () => {
      const { port } = server
      await server.stop('SIGKILL')
      server = await startAdmission([...certificate.flags, '--kubeconfig', plane.kubeconfig(ADMIN)], { port })
      await until('the webhook refuses', isGuarded)
    }
    await install('Ignore')
    const ignoring = startLoad(plane)
    await ignoring.grow()
    await again()
    await ignoring.grow()
    expect(await ignoring.stop()).toEqual([])

    await install('Fail')
    const { port } = server
    await server.stop('SIGKILL')
    await until(
      'the other failure policy holds',
      async () => (await apply([policy('late', ['Gateway/edge'])])).code !== 0,
    )
    const failing = startLoad(plane)
    await failing.grow()
    server = await startAdmission([...certificate.flags, '--kubeconfig', plane.kubeconfig(ADMIN)], { port })
    const refusals = await failing.stop()
    expect(refusals.length).toBeGreaterThan(10)
    for (const refusal of refusals) expect(refusal).toContain('failed calling webhook')
    const healed = startLoad(plane)
    await healed.grow()
    expect(await healed.stop()).toEqual([])
  },
)

test('SIGTERM answers what is under way and ends with 0', async () => {
  await install('Ignore')
  const load = keepApplying('ending')
  expect(await server.stop()).toBe(0)
  expect(await load.stop()).toEqual([])
  server = await startAdmission([...certificate.flags, '--kubeconfig', plane.kubeconfig(ADMIN)], { port: server.port })
  await until('the webhook refuses', isGuarded)
})

test('the rights of the manifests are enough to watch', async () => {
  const access = readFileSync(join(import.meta.dirname, '../../webhook-config/base/access.yaml'), 'utf8')
  const namespace = readFileSync(join(import.meta.dirname, '../../webhook-config/base/namespace.yaml'), 'utf8')
  await must(kubectl('apply -f -', `${namespace}\n---\n${access}`))
  await must(kubectl('create clusterrolebinding robots --clusterrole=sluice-admission --group=robots'))
  const robot = await startAdmission([...certificate.flags, '--kubeconfig', plane.kubeconfig(ROBOT)])
  try {
    const isSynced = async () => !/state="(?:starting|lost)"\} 1$/m.test(await robot.metrics())
    await until('everything is synced', isSynced)
  } finally {
    await robot.stop()
  }
})
