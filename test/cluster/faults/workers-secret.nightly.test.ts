/**
 * Two replicas with two workers each, as Pods of the shipped manifests that share their certificates through the Secret of
 * a real cluster: every process sees the account that the kubelet would mount.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { issueServing, pemBlocks } from '../../../src/http/authority.ts'
import { NAMES } from '../../../src/installation/object.ts'
import { freePorts } from '../../free-ports.ts'
import { expected } from '../../installation/expected.ts'
import { mountAccount, reachable } from '../../packing/in-cluster.ts'
import { type AdmissionServer, canMount, startAdmission } from '../admission-server.ts'
import { useCluster } from '../cluster.ts'
import { must } from '../kubectl.ts'
import { type Load, startLoad } from '../load.ts'
import { guarded, HOST, stored, trusted } from '../replicas.ts'
import { until } from '../resources.ts'
import { layWire, type Wire } from '../wire.ts'

const SERVICE = `${NAMES.admission}.${NAMES.namespace}.svc`
const DAY = 24 * 3_600_000
const LANES = 6
/** More than the minute after which a replica looks at the Secret. */
const A_MINUTE = 120

describe.runIf(canMount)('replicas with workers', () => {
  let folder: string
  const cluster = useCluster()
  const { kubectl, read } = cluster
  let wire: Wire
  const replicas: AdmissionServer[] = []

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-pods-'))
    const ports = await freePorts(2)
    wire = await layWire(...ports.map((port) => `https://${HOST}:${port}`))
    await must(
      kubectl('apply --server-side -f -', reachable(expected(['fail-closed']), Number(new URL(wire.url).port))),
    )
    const env = await mountAccount(folder, cluster, kubectl)
    const container = { run: join(folder, 'var/run'), env }
    const flags = ['--workers', '2', '--config', join(folder, 'etc/sluice', NAMES.configKey)]
    replicas.push(...(await Promise.all(ports.map((port) => startAdmission(flags, { port, container })))))
    for (const replica of replicas) await until('the replica is ready', async () => (await replica.ready()) === 200)
    await guarded(kubectl)
  })
  afterAll(async () => {
    for (const replica of replicas) await replica.stop()
    await wire.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const serialOf = (port: number, ca: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect({ host: HOST, servername: SERVICE, port, ca: [...pemBlocks(ca)] }, () => {
        resolve(socket.getPeerCertificate().serialNumber)
        socket.end()
      }).on('error', reject)
    })

  /** The serial numbers that new connections to all replicas see, several each: every worker gets some. */
  async function serials(): Promise<ReadonlySet<string>> {
    const ca = await trusted(kubectl)
    const found = new Set<string>()
    for (const { port } of replicas) for (let count = 0; count < 4; count++) found.add(await serialOf(port, ca))
    return found
  }

  async function underLoad(work: (load: Load) => Promise<void>): Promise<readonly string[]> {
    const load = startLoad(cluster)
    await load.grow(LANES)
    await work(load)
    await load.grow(LANES)
    return await load.stop()
  }

  test('serve one certificate in all workers, that of the Secret', async () => {
    expect((await serials()).size).toBe(1)
    for (const replica of replicas) {
      await until('all workers know the cluster', () => replica.isSynced())
      expect(await replica.metrics()).toMatch(/^sluice_workers_listening 2$/m)
    }
  })

  test('renew it in all workers when it is due, and no call is lost', async () => {
    const before = await serials()
    const lost = await underLoad(async () => {
      const { authorities } = await stored(kubectl)
      const [authority] = authorities
      if (!authority) throw new Error('no authority')
      // What a backup of some months ago holds.
      const validity = { from: Date.now() - 300 * DAY, until: Date.now() + 65 * DAY }
      const { cert, key } = await issueServing(authority, [SERVICE], validity)
      const data = { 'tls.crt': btoa(cert), 'tls.key': btoa(key) }
      await must(kubectl(['patch', 'secret', NAMES.tls, '-n', NAMES.namespace, '-p', JSON.stringify({ data })]))
      await until(
        'all workers have another one',
        async () => {
          const after = await serials()
          return after.size === 1 && [...after].every((serial) => !before.has(serial))
        },
        2 * A_MINUTE,
      )
    })
    expect(lost).toEqual([])
  })

  test('repair a Secret that is deleted, and no call is lost', async () => {
    const before = await serials()
    const lost = await underLoad(async (load) => {
      const { uid } = (await read(`secret ${NAMES.tls} -n ${NAMES.namespace}`)).metadata
      await must(kubectl(`delete secret ${NAMES.tls} -n ${NAMES.namespace}`))
      await until(
        'there is another one',
        async () => {
          await load.grow(1)
          const { code, stdout } = await kubectl(`get secret ${NAMES.tls} -n ${NAMES.namespace} -o json`)
          return code === 0 && JSON.parse(stdout).metadata.uid !== uid
        },
        A_MINUTE,
      )
    })
    expect(lost).toEqual([])
    expect(await serials()).toEqual(before)
  })

  test('end one after the other without a lost call', async () => {
    const lost = await underLoad(async (load) => {
      expect(await replicas[0]?.stop()).toBe(0)
      await load.grow(1)
    })
    expect(lost).toEqual([])
  })
})
