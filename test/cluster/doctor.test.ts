/** `sluice doctor`: an installation is broken in every way, doctor says how and what to do, that is done, and doctor is content. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import { controllerInstallation } from '../../src/installation/controller.ts'
import { NAMES } from '../../src/installation/object.ts'
import { freePorts } from '../free-ports.ts'
import { expected } from '../installation/expected.ts'
import { mountAccount, reachable } from '../packing/in-cluster.ts'
import { type AdmissionServer, canMount, startAdmission } from './admission-server.ts'
import { useCluster } from './cluster.ts'
import { must } from './kubectl.ts'
import { namespace, until } from './resources.ts'
import { describeInCluster } from './transcripts.ts'

const IMAGE = 'sluice:0.1.0'

describe.runIf(canMount)('a cluster', () => {
  const cluster = useCluster({ objects: [namespace('patched', { [NAMES.mutateLabel]: 'enabled' })] })
  const { kubectl } = cluster
  const folder = mkdtempSync(join(tmpdir(), 'sluice-doctor-'))
  let port = 0
  let server: AdmissionServer | undefined

  /** As the kubelet does: with the account, and with what is mounted. */
  async function start(): Promise<void> {
    const env = await mountAccount(folder, cluster, kubectl)
    const flags = ['--config', join(folder, 'etc/sluice', NAMES.configKey)]
    server = await startAdmission(flags, { port, container: { run: join(folder, 'var/run'), env } })
    await until('the webhook is ready', async () => (await server?.ready()) === 200 && (await server?.isSynced()) === true)
  }

  beforeAll(async () => {
    const [free = 0] = await freePorts(1)
    port = free
    const controller = controllerInstallation({ namespace: NAMES.namespace, image: IMAGE })
    const objects = [...reachable(expected([], { image: IMAGE }), port), ...controller]
    await must(kubectl('apply --server-side --force-conflicts -f -', objects))
    await start()
  })
  afterAll(async () => {
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** `server stop`, `server start`, `server restart`: what a rollout does to its Pods. */
  async function act(how = ''): Promise<string> {
    if (how !== 'start') await server?.stop()
    if (how !== 'stop') await start()
    return ''
  }
  describeInCluster(cluster, 'doctor', { words: { server: act } })
})
