/** Requests to an API server that is slow, and to one that stops in the middle. */
import { writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { callApi } from '../../src/cluster/client/api.ts'
import { reasonOf } from '../../src/cluster/client/failure.ts'
import { clusterOfFile } from '../../src/cluster/client/kubeconfig.ts'
import { createAuthority, issueServing } from '../../src/http/authority.ts'
import { createFolder } from '../files/folder.ts'

const HOUR = 60 * 60 * 1000

/** Starts it; gives what requests it, and how many connections are open. */
async function startApiServer(answer: RequestListener, limits: Parameters<typeof clusterOfFile>[1]) {
  const validity = { from: Date.now() - HOUR, until: Date.now() + HOUR }
  const authority = await createAuthority('test', validity)
  const server = createServer(await issueServing(authority, ['localhost'], validity), answer)
  let open = 0
  server.on('connection', (socket) => {
    open += 1
    socket.on('close', () => {
      open -= 1
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const folder = createFolder({})
  const file = join(folder, 'kubeconfig')
  const cluster = {
    server: `https://localhost:${(server.address() as AddressInfo).port}`,
    'certificate-authority-data': Buffer.from(authority.cert).toString('base64'),
  }
  writeFileSync(
    file,
    JSON.stringify({
      'current-context': 'a',
      clusters: [{ name: 'a', cluster }],
      users: [{ name: 'a', user: {} }],
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    }),
  )
  const kubeconfig = clusterOfFile(file, limits)
  return { ask: () => callApi(kubeconfig, { path: '/api' }), open: () => open }
}

test('a response that takes longer than any silence arrives', async () => {
  const { ask } = await startApiServer(
    async (_, response) => {
      for (const part of ['{', ...Array.from({ length: 15 }, () => ' '), '"items": []}']) {
        response.write(part)
        await sleep(100)
      }
      response.end()
    },
    { silence: 1_000, whole: 600_000 },
  )
  expect(await ask()).toEqual({ items: [] })
})

test.each<[string, RequestListener]>([
  ['before it answers', () => {}],
  ['after the headers', (_, response) => response.flushHeaders()],
  ['in the middle', (_, response) => response.write('{"items": [')],
])('an API server that stops %s is given up, and its connection closed', async (_, answer) => {
  const { ask, open } = await startApiServer(answer, { silence: 500, whole: 600_000 })
  expect(reasonOf(await ask().catch((error: unknown) => error))).toBe('the API server does not answer')
  await expect.poll(open).toBe(0)
})

test('a response that goes on for ever is given up', async () => {
  const { ask } = await startApiServer(
    async (_, response) => {
      for (; response.writable; await sleep(100)) response.write(' ')
    },
    { silence: 60_000, whole: 1_000 },
  )
  expect(reasonOf(await ask().catch((error: unknown) => error))).toBe('the API server does not answer')
})
