/** The shared Secret deleted, emptied, corrupted and replaced under load, with an API server that fails closed. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  bundleOf,
  type Certificates,
  LIVES,
  NO_CERTIFICATES,
  renewCertificates,
} from '../../../src/cluster/certificates/certificates.ts'
import { isKeyOf, readCertificate } from '../../../src/http/authority.ts'
import { share } from '../../runs.ts'
import { useCluster } from '../cluster.ts'
import { must } from '../kubectl.ts'
import { startLoad } from '../load.ts'
import { guarded, MINUTE, type Replicas, startReplica, startReplicas, stored, trusted } from '../replicas.ts'
import { namespace, until } from '../resources.ts'

const cluster = useCluster({ objects: [namespace('sluice-system')] })
const { kubectl } = cluster
let replicas: Replicas | undefined

afterEach(async () => {
  await replicas?.stop()
  replicas = undefined
})

const encode = (text: string) => Buffer.from(text).toString('base64')

/** What `kubectl patch` writes into the Secret. */
const patch = (data: Readonly<Record<string, string>>) => {
  const encoded = Object.fromEntries(Object.entries(data).map(([name, text]) => [name, encode(text)]))
  const words = ['patch', 'secret', 'sluice-admission-tls', '-n', 'sluice-system', '--type=merge', '-p']
  return must(kubectl([...words, JSON.stringify({ data: encoded })]))
}

const GARBAGE = '-----BEGIN CERTIFICATE-----\nbm8=\n-----END CERTIFICATE-----\n'

/** A backup: certificates of another authority, old enough to sign. */
const backup = (): Promise<Certificates> =>
  renewCertificates(NO_CERTIFICATES, { names: ['127.0.0.1', 'localhost'], now: Date.now() - 24 * 60 * MINUTE })

const FAULTS: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['deleted', () => must(kubectl('delete secret sluice-admission-tls -n sluice-system'))],
  ['emptied', () => patch({ 'ca.crt': '', 'ca.key': '', 'tls.crt': '', 'tls.key': '' })],
  ['left with a certificate that cannot be read', () => patch({ 'tls.crt': GARBAGE })],
  ['left with a key that cannot be read', () => patch({ 'tls.key': 'no' })],
  ['left with the key of another certificate', async () => patch({ 'tls.key': (await backup()).serving?.key ?? '' })],
  ['left with an authority that cannot be read', () => patch({ 'ca.crt': GARBAGE })],
  ['left with an authority without its key', () => patch({ 'ca.key': 'no' })],
  [
    'replaced by a backup with another authority',
    async () => {
      const { authorities, serving } = await backup()
      const [authority] = authorities
      await patch({
        ...{ 'ca.crt': authority?.cert ?? '', 'ca.key': authority?.key ?? '' },
        ...{ 'tls.crt': serving?.cert ?? '', 'tls.key': serving?.key ?? '' },
      })
    },
  ],
]

describe('a Secret that is', () => {
  let shared: Replicas
  beforeAll(async () => {
    const begin = Date.now() - (FAULTS.length + 1) * 15 * MINUTE
    shared = await startReplicas(cluster, { begins: [begin, begin + MINUTE / 2], failurePolicy: 'Fail' })
    await shared.advance(11 * MINUTE)
    await guarded(kubectl)
  })
  afterAll(() => shared.stop())

  test.each(share(FAULTS, 3))('%s is repaired, and not one call fails', async (_, breakSecret) => {
    const before = await stored(kubectl)
    const load = startLoad(cluster)
    await load.grow(2)
    await breakSecret()
    for (const { time } of [...shared.all, ...shared.all]) {
      time.advance(MINUTE)
      await until('the replica has looked', time.isIdle)
      await load.grow(1)
    }
    await shared.advance(11 * MINUTE)
    await load.grow(2)
    expect(await load.stop()).toEqual([])
    expect(shared.all.flatMap(({ failures }) => failures)).toEqual([])

    const { authorities, serving } = await stored(kubectl)
    const [newest] = authorities
    expect(isKeyOf(newest?.key ?? '', newest?.cert ?? '')).toBe(true)
    expect(readCertificate(serving?.cert ?? '')?.isSignedBy(newest?.cert ?? '')).toBe(true)
    expect(shared.serials()).toEqual([serving?.cert, serving?.cert])
    expect(await trusted(kubectl)).toBe(bundleOf({ authorities, serving }))
    expect(authorities.map(({ cert }) => cert)).toContain(before.authorities[0]?.cert)

    const late = await startReplica(cluster, shared.all[0]?.time.clock.now() ?? 0)
    await until('the late replica serves', () => late.served.length > 0)
    expect(late.served).toEqual([serving])
    await late.stop()
  })
})

describe('a replica that starts in the minute in which the Secret is', () => {
  const begin = Date.now() - 60 * MINUTE
  const startTwo = async () => {
    replicas = await startReplicas(cluster, { begins: [begin, begin], failurePolicy: 'Fail' })
    await replicas.advance(11 * MINUTE)
    await guarded(kubectl)
    return replicas
  }

  test.each(share(FAULTS, 3))(
    '%s waits until another one has repaired it, and not one call fails',
    async (_, breakSecret) => {
      const { all, advance } = await startTwo()
      const load = startLoad(cluster)
      await load.grow(2)
      await breakSecret()
      const late = await startReplica(cluster, all[0]?.time.clock.now() ?? 0)
      try {
        await until('the late replica has looked', late.time.isIdle)
        await load.grow(4)
        await advance(MINUTE)
        late.time.advance(5000)
        await until('the late replica serves', () => late.served.length > 0)
        await until('the late replica is done', late.time.isIdle)
        await load.grow(4)
        expect(await load.stop()).toEqual([])
        const { authorities, serving } = await stored(kubectl)
        expect(late.served).toEqual([serving])
        expect(await trusted(kubectl)).toBe(bundleOf({ authorities, serving }))
      } finally {
        await late.stop()
      }
    },
  )

  test('deleted makes new certificates after that minute where no other one stands', async () => {
    const { all } = await startTwo()
    for (const { stop } of all) await stop()
    await must(kubectl('delete secret sluice-admission-tls -n sluice-system'))
    const before = await trusted(kubectl)
    const late = await startReplica(cluster, begin)
    try {
      let waited = 0
      for (; late.served.length === 0 && waited < 100; waited++) {
        await until('the late replica has looked', late.time.isIdle)
        expect([await trusted(kubectl), late.served]).toEqual([before, []])
        late.time.advance(5000)
        await until('the late replica has looked', () => late.time.isIdle() || late.served.length > 0)
      }
      // A minute and a little: the others look at the Secret once a minute.
      expect(waited).toBe(14)
      expect(new Set(late.failures)).toEqual(new Set([expect.stringContaining('another replica')]))
      await until('it is trusted', async () => (await trusted(kubectl)) !== before)
    } finally {
      await late.stop()
    }
  })
})

test('of replicas that race for the certificates one decides: when there are none, and when they are due', async () => {
  for (const _round of [1, 2, 3]) {
    const now = Date.now()
    replicas = await startReplicas(cluster, { begins: Array.from({ length: 8 }, () => now), failurePolicy: 'Fail' })
    await replicas.advance(MINUTE)
    await guarded(kubectl)
    const first = await stored(kubectl)
    expect(first.authorities.length).toBe(1)
    expect(new Set(replicas.serials())).toEqual(new Set([first.serving?.cert]))
    for (const { time } of replicas.all) time.advance(LIVES.serving * 0.7)
    await until('all have looked', () => replicas?.all.every(({ time }) => time.isIdle()) ?? false)
    const second = await stored(kubectl)
    expect(second.serving?.cert).not.toBe(first.serving?.cert)
    expect(new Set(replicas.serials())).toEqual(new Set([second.serving?.cert]))
    expect(replicas.all.flatMap(({ failures }) => failures)).toEqual([])
    await replicas.stop()
    replicas = undefined
  }
})

test('certificates made while a clock was years ahead are replaced as soon as it is right', async () => {
  const begin = Date.now() - 30 * MINUTE
  replicas = await startReplicas(cluster, { begins: [begin, begin], failurePolicy: 'Fail' })
  await replicas.advance(MINUTE)
  await guarded(kubectl)
  await replicas.all[0]?.stop()
  const [, jumping] = replicas.all
  for (const ahead of [LIVES.serving * 0.8, LIVES.authority * 0.8]) {
    jumping?.time.advance(ahead)
    await until('the replica has looked', () => jumping?.time.isIdle() ?? false)
    jumping?.time.advance(MINUTE - ahead)
    await until('the replica has looked', () => jumping?.time.isIdle() ?? false)
    jumping?.time.advance(MINUTE)
    await until('the replica has looked', () => jumping?.time.isIdle() ?? false)
    expect(readCertificate((await stored(kubectl)).serving?.cert ?? '')?.from).toBeLessThan(Date.now())
    await guarded(kubectl)
  }
})

test('a caBundle that was emptied, broken or replaced is written again within a minute', async () => {
  const now = Date.now() - 30 * MINUTE
  replicas = await startReplicas(cluster, { begins: [now, now], failurePolicy: 'Fail' })
  await replicas.advance(MINUTE)
  await guarded(kubectl)
  const before = await trusted(kubectl)
  for (const [bundle, message] of [
    ['', 'tls: failed to verify certificate: x509: certificate signed by unknown authority'],
    ['no', 'unable to load root certificates'],
    [bundleOf(await backup()), 'tls: failed to verify certificate: x509: certificate signed by unknown authority'],
  ] as const) {
    const operation = { op: 'replace', path: '/webhooks/0/clientConfig/caBundle', value: encode(bundle) }
    const words = ['patch', 'validatingwebhookconfiguration', 'sluice-validating', '--type=json', '-p']
    await must(kubectl([...words, JSON.stringify([operation])]))
    const load = startLoad(cluster)
    await until('calls fail', async () => {
      await load.grow(1)
      return load.refusals.length > 0
    })
    for (const refusal of await load.stop()) expect(refusal).toContain(message)
    await replicas.advance(MINUTE)
    await guarded(kubectl)
    expect(await trusted(kubectl)).toBe(before)
  }
})
