/** Requests to an API server that is slow, and to one that stops in the middle. */
import { writeFileSync } from 'node:fs'
import type { RequestListener, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, type onTestFinished, test } from 'vitest'
import { callApi } from '../../src/cluster/client/api.ts'
import { reasonOf } from '../../src/cluster/client/failure.ts'
import { clusterOfFile } from '../../src/cluster/client/kubeconfig.ts'
import { retryDelay } from '../../src/cluster/watch/kind-watch.ts'
import { createAuthority, issueServing } from '../../src/http/authority.ts'
import { createFolder } from '../files/folder.ts'
import { holds } from '../support/holds.ts'

test('a watch is tried again within a quarter of an outage, and not more often than needed', () => {
  holds(fc.integer({ min: 0, max: HOUR }), fc.double({ min: 0, max: 0.999, noNaN: true }), (outage, random) => {
    let [elapsed, attempts] = [0, 1]
    for (; elapsed <= outage; attempts++) elapsed += retryDelay(elapsed, random)
    expect(elapsed - outage).toBeLessThanOrEqual(Math.min(30_000, Math.max(250, outage / 4)))
    expect(attempts).toBeLessThan(60 + outage / 15_000)
  })
})

const HOUR = 60 * 60 * 1000

type Server = {
  readonly answer: RequestListener
  readonly limits: Parameters<typeof clusterOfFile>[1]
  /** Tests that run side by side each have their own. */
  readonly end: typeof onTestFinished
}

/** Starts it; gives what requests it, and how many connections are open. */
async function startApiServer({ answer, limits, end }: Server) {
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
  end(() => {
    server.closeAllConnections()
    server.close()
  })
  const folder = createFolder({}, end)
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

/** Writes a part of a response each tenth of a second. */
async function writeSlowly(response: ServerResponse, parts: Iterable<string>): Promise<void> {
  for (const part of parts) {
    if (!response.writable) return
    response.write(part)
    await sleep(100)
  }
  response.end()
}

const PATIENT = 600_000

test.concurrent('a response that takes longer than any silence arrives', async ({ onTestFinished: end }) => {
  const parts = ['{', ...Array<string>(15).fill(' '), '"items": []}']
  const answer: RequestListener = (_, response) => writeSlowly(response, parts)
  const { ask } = await startApiServer({ answer, limits: { silence: 1_000, whole: PATIENT }, end })
  expect(await ask()).toEqual({ items: [] })
})

test.concurrent.for<[string, RequestListener, number?]>([
  ['that stops before it answers', () => {}],
  ['that stops after the headers', (_, response) => response.flushHeaders()],
  ['that stops in the middle', (_, response) => response.write('{"items": [')],
  ['whose response goes on for ever', (_, response) => writeSlowly(response, Array<string>(600).fill(' ')), 1_000],
])('an API server %s is given up, and its connection closed', async ([, answer, whole], context) => {
  const limits = whole === undefined ? { silence: 500, whole: PATIENT } : { silence: 60_000, whole }
  const { ask, open } = await startApiServer({ answer, limits, end: context.onTestFinished })
  expect(reasonOf(await ask().catch((error: unknown) => error))).toBe('the API server does not answer')
  await context.expect.poll(open).toBe(0)
})
