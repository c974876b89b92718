/**
 * The API servers of a run of the cluster tests. Each file borrows one, as long as it keeps its connection, and the next
 * file gets it as empty as it was. Files that need other flags start one of their own.
 */
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAggregator } from './aggregation/aggregated.ts'
import { type ControlPlane, startControlPlane } from './control-plane.ts'
import { remember } from './etcd.ts'
import { writeKubeconfig } from './kubeconfig.ts'
import { createKubectl } from './kubectl.ts'
import { createWriter } from './policy-requests.ts'
import { applyCrds, BROKEN, until } from './resources.ts'
import { ADMIN } from './users.ts'

/** The variable by which the processes of a run know where control planes are lent. */
const BROKER = 'SLUICE_CONTROL_PLANES'

type SharedPlane = Awaited<ReturnType<typeof startShared>>

/** One with all CRDs and an aggregator, which can be emptied. */
async function startShared() {
  const plane = await startControlPlane(async (folder) => (await createAggregator(folder)).flags)
  await applyCrds(createKubectl(plane.kubeconfig(ADMIN)))
  const bringBack = await remember(plane.etcd)
  const write = createWriter(plane)
  const empty = async (): Promise<void> => {
    await plane.startServer()
    await bringBack()
    const refusable = { ...BROKEN, spec: { ...BROKEN.spec, rateLimit: { rejectCode: 200 } } }
    await until('the API server is as it was: nobody else denies, and the CRD does', async () => {
      const [taken, refused] = [await write('POST', BROKEN), await write('POST', refusable)]
      return taken.status === 201 && refused.message.includes('spec.rateLimit.rejectCode')
    })
  }
  return { ...plane, empty }
}

const TASKS = ['startServer', 'stopServer', 'restartEtcd', 'compact'] as const
type Task = (typeof TASKS)[number]

/** Lends control planes to the files of a run: vitest calls it before the first one, and what it returns after the last. */
export async function setup(): Promise<() => Promise<void>> {
  // Another project of the run lends them.
  if (process.env[BROKER] !== undefined) return async () => undefined
  const all: SharedPlane[] = []
  const idle: SharedPlane[] = []
  const take = async (): Promise<SharedPlane> => {
    const plane = idle.pop() ?? (await startShared())
    if (!all.includes(plane)) all.push(plane)
    await plane.empty()
    return plane
  }
  const broker = createServer(async (request, response) => {
    try {
      const [, task, url] = new URL(request.url ?? '/', 'http://broker').pathname.split(/\/(?=.)/)
      const known = all.find((plane) => plane.url.endsWith(`:${url}`))
      const isTask = TASKS.find((name) => name === task)
      if (known && isTask) await known[isTask]()
      if (known) return response.end()
      const plane = await take()
      response.once('close', () => idle.push(plane))
      response.write(`${JSON.stringify({ url: plane.url, folder: plane.folder })}\n`)
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
  await once(broker.listen(0, '127.0.0.1'), 'listening')
  process.env[BROKER] = `http://127.0.0.1:${(broker.address() as AddressInfo).port}`
  return async () => {
    broker.closeAllConnections()
    broker.close()
    await Promise.all(all.map((plane) => plane.stop()))
  }
}

/** Borrows a control plane until it is stopped, or until this process ends. */
export async function borrowControlPlane(): Promise<ControlPlane> {
  const broker = process.env[BROKER]
  if (broker === undefined) throw new Error('control planes are lent to the tests of vitest alone')
  const request = get(broker)
  const [response] = await once(request, 'response')
  const [line] = await once(
    response.setEncoding('utf8').on('error', () => undefined),
    'data',
  )
  if (response.statusCode !== 200) throw new Error(`no control plane: ${line}`)
  const { url, folder: theirs } = JSON.parse(line)
  const folder = mkdtempSync(join(tmpdir(), 'sluice-cluster-'))
  copyFileSync(join(theirs, 'apiserver.crt'), join(folder, 'apiserver.crt'))
  const have = async (task: Task): Promise<void> => {
    const answer = await fetch(`${broker}/${task}/${new URL(url).port}`)
    if (!answer.ok) throw new Error(await answer.text())
  }
  return {
    ...{ url, folder },
    kubeconfig: (user, other = url, authority) =>
      writeKubeconfig({ folder, url: other, user, ...(authority === undefined ? {} : { authority }) }),
    stopServer: () => have('stopServer'),
    startServer: () => have('startServer'),
    restartEtcd: () => have('restartEtcd'),
    compact: () => have('compact'),
    async stop() {
      request.destroy()
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    },
  }
}
