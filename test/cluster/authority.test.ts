/**
 * The authority of our own replaced under load: two replicas that serve over one address, with clocks a minute apart,
 * and an API server that fails closed. Clocks begin so far back that what is made at the end is valid now.
 */
import { setImmediate } from 'node:timers/promises'
import { connect } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { bundleOf, createOwnCertificate, LIVES } from '../../src/cluster/certificates/certificates.ts'
import { pemBlocks, readCertificate } from '../../src/http/authority.ts'
import { startServed } from '../servers/served.ts'
import { installWebhooks } from './admission-server.ts'
import { createClock } from './clock.ts'
import { useCluster } from './cluster.ts'
import { type Load, startLoad } from './load.ts'
import { guarded, HOST, MINUTE, type Replica, type Replicas, startReplicas, stored, trusted } from './replicas.ts'
import { namespace } from './resources.ts'

const cluster = useCluster({ objects: [namespace('sluice-system')] })
const { kubectl } = cluster
let replicas: Replicas

/** The second replica has a clock that goes a minute fast. */
async function startAll(begin: number): Promise<void> {
  replicas = await startReplicas(cluster, { begins: [begin, begin + MINUTE], failurePolicy: 'Fail' })
  onTestFinished(() => replicas.stop())
}

/** Moves all clocks, so that the slow one shows a moment. */
const goTo = (moment: number) => replicas.advance(moment - (replicas.all[0]?.time.clock.now() ?? moment))

/** True where a client that trusts a bundle gets through to a replica. */
const isTrusted = ({ port }: Replica, ca: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: HOST, port, servername: 'localhost', ca: [...pemBlocks(ca)] }, () => {
      socket.destroy()
      resolve(true)
    }).on('error', () => resolve(false))
  })

async function load(): Promise<Load> {
  const started = startLoad(cluster)
  await started.grow()
  return started
}

test('a new authority comes and signs under load, and not one call fails', async () => {
  // Due twenty minutes before what two thirds of a life come to, as authorities begin an hour before they are made.
  const now = Date.now()
  await startAll(now - (LIVES.authority * 2) / 3)
  await goTo(now - 30 * MINUTE)
  await guarded(kubectl)
  const [old] = (await stored(kubectl)).authorities
  const before = replicas.serials()
  const running = await load()

  await goTo(now - 19 * MINUTE)
  const { authorities } = await stored(kubectl)
  expect(authorities).toEqual([expect.not.objectContaining({ cert: old?.cert }), old])
  expect(await trusted(kubectl)).toBe(bundleOf({ authorities, serving: undefined }))
  expect(replicas.serials()).toEqual(before)
  await running.grow()

  await goTo(now - 8 * MINUTE)
  const newest = authorities[0]?.cert ?? ''
  for (const cert of replicas.serials()) expect(readCertificate(cert ?? '')?.isSignedBy(newest)).toBe(true)
  await running.grow()
  for (const replica of replicas.all) expect(await isTrusted(replica, newest)).toBe(true)
  expect(await running.stop()).toEqual([])
  expect(replicas.all.flatMap(({ failures }) => failures)).toEqual([])
})

test('the old authority goes under load, and not one call fails', async () => {
  const now = Date.now()
  const announced = now - LIVES.serving - LIVES.settling - 4 * MINUTE
  await startAll(announced + 19 * MINUTE - (LIVES.authority * 2) / 3)
  await goTo(announced)
  await goTo(announced + LIVES.settling + MINUTE)
  await goTo(now - 10 * MINUTE)
  expect((await stored(kubectl)).authorities.length).toBe(2)
  await guarded(kubectl)
  const running = await load()

  await goTo(now - 3 * MINUTE)
  const { authorities } = await stored(kubectl)
  expect(authorities.length).toBe(1)
  expect(await trusted(kubectl)).toBe(authorities[0]?.cert)
  await running.grow()
  expect(await running.stop()).toEqual([])
})

test('the authority of a run without a Secret gives way to the next one under load, and not one call fails', async () => {
  const DAY = 24 * 60 * MINUTE
  // The next one signs thirty days before the old one ends, which is less than four days ago on this clock.
  const time = createClock(Date.now() - LIVES.authority + 26 * DAY)
  const own = await createOwnCertificate([HOST, 'localhost'], time.clock)
  const { serving } = await startServed()
  const served = [own.material]
  const bundles = [own.authority]
  const keeper = own.keep({
    serve(material) {
      served.push(material)
      serving.useCertificate(material)
    },
    announce: (bundle) => bundles.push(bundle),
    failed: (reason) => expect(reason).toBe(''),
  })
  const looked = async () => {
    while (!time.isIdle()) await setImmediate()
  }
  const goOn = async (milliseconds: number) => {
    await looked()
    time.advance(milliseconds)
    await looked()
  }
  serving.useCertificate(own.material)
  while (time.clock.now() < Date.now() - 10 * DAY) await goOn(3 * DAY)
  expect(bundles.map((bundle) => pemBlocks(bundle).length)).toEqual([1, 2])
  const [next = '', old = ''] = pemBlocks(bundles[1] ?? '')
  const signer = () => [old, next].findIndex((cert) => readCertificate(served.at(-1)?.cert ?? '')?.isSignedBy(cert))
  expect(signer()).toBe(0)

  await installWebhooks(kubectl, {
    port: serving.port,
    authority: { cert: bundles[1] ?? '', key: '' },
    failurePolicy: 'Fail',
  })
  await guarded(kubectl)
  const running = await load()
  while (signer() === 0) await goOn(DAY / 5)
  expect(time.clock.now()).toBeLessThan(Date.now())
  await running.grow()
  expect(await running.stop()).toEqual([])
  keeper.stop()
  await serving.stop({ drain: 0, grace: 1000 })
})
