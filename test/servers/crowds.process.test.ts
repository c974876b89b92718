/** Crowds on the built program: idle connections, and bodies that are too large. `npm test` builds it. */
import { execFileSync } from 'node:child_process'
import { request } from 'node:https'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectSecure, type TLSSocket } from 'node:tls'
import { expect, it } from 'vitest'
import { HOST, start } from './program.ts'
import { policyOf, reviewOf } from './reviews.ts'

const IDLE = 10_000
/** More at once than a listening socket queues are lost without a word to the client. */
const AT_ONCE = 200
const MEBIBYTE = 2 ** 20
/** What the manifests allow is 512. */
const MOST_MEMORY = 450 * MEBIBYTE

/** Both ends need as many files; Node raises its limit to the hard one by itself. */
const canHold =
  Number(execFileSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }).replace('unlimited', '1e9')) > IDLE + 500

async function begin() {
  const webhook = await start(['--standalone'])
  const metric = async (name: string): Promise<number> => {
    const row = (await webhook.metrics()).split('\n').find((line) => line.startsWith(`${name} `))
    return Number(row?.slice(name.length))
  }
  return { ...webhook, metric, memory: () => metric('process_resident_memory_bytes') }
}

/** Sends a body over a connection of its own, by default a good review; gives the status. */
const review = (port: number, body = JSON.stringify(reviewOf({ object: policyOf() }))): Promise<number | undefined> =>
  new Promise((done, failed) => {
    const headers = { 'content-type': 'application/json' }
    const options = {
      host: HOST,
      port,
      path: '/validate',
      method: 'POST',
      headers,
      rejectUnauthorized: false,
      agent: false,
    }
    request(options, (response) => response.resume().on('end', () => done(response.statusCode)))
      .on('error', failed)
      .end(body)
  })

it.runIf(canHold || process.env.CI)(
  'ten thousand idle connections delay no other, take bounded memory, and are closed',
  async () => {
    const { port, memory, stop } = await begin()
    const sockets: Socket[] = []
    const count = { open: 0, closed: 0 }
    const statuses: (number | undefined)[] = []
    while (sockets.length < IDLE) {
      const socket = connect(port, HOST, () => {
        count.open += 1
      })
      sockets.push(
        socket
          .on('error', () => {})
          .on('close', () => {
            count.closed += 1
          }),
      )
      while (sockets.length - count.open >= AT_ONCE) await sleep(1)
      if (sockets.length % 1000 === 0) statuses.push(await review(port))
    }
    expect(statuses).toEqual(Array(10).fill(200))
    expect(await memory()).toBeLessThan(MOST_MEMORY)
    while (count.closed < IDLE) await sleep(50)
    expect(await review(port)).toBe(200)
    expect(await memory()).toBeLessThan(MOST_MEMORY)
    expect(await stop()).toBe(0)
    for (const socket of sockets) socket.destroy()
  },
  90_000,
)

it('a crowd of the largest bodies, and of larger ones, takes bounded memory', async () => {
  const { port, memory } = await begin()
  const ofSize = (bytes: number) => {
    const annotations = { padding: 'x'.repeat(bytes) }
    return JSON.stringify(reviewOf({ object: policyOf({ metadata: { annotations } }) }))
  }
  const [largest, larger] = [ofSize(7 * MEBIBYTE - 2000), ofSize(7 * MEBIBYTE)]
  for (let round = 0; round < 8; round++) {
    const statuses = await Promise.all([largest, larger, largest, larger].map((body) => review(port, body)))
    expect(statuses).toEqual([200, 413, 200, 413])
  }
  expect(await memory()).toBeLessThan(MOST_MEMORY)
})

const HEAD = 'POST /validate HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n'

/** Opens connections and sends all of a body but its last byte on each. Gives what arrives on a connection, too. */
async function stall(port: number, count: number, body: string) {
  const connections: { readonly socket: TLSSocket; received: string }[] = []
  while (connections.length < count) {
    const socket = connectSecure({ port, host: HOST, rejectUnauthorized: false })
    const connection = { socket, received: '' }
    socket
      .on('error', () => {})
      .on('data', (chunk) => {
        connection.received += chunk
      })
    await new Promise((done) => socket.once('secureConnect', done))
    await new Promise((done) => socket.write(`${HEAD}content-length: ${body.length}\r\n\r\n${body.slice(0, -1)}`, done))
    connections.push(connection)
  }
  return connections
}

const BUDGET = 64 * MEBIBYTE
const BUSY = 'sluice_admission_request_errors_total{code="503"}'

it('a dozen bodies that stall keep no more than the budget, and delay no other review', async () => {
  const { port, memory, metric } = await begin()
  const body = `"${'x'.repeat(7 * MEBIBYTE - 2)}"`
  const before = await memory()
  const connections = await stall(port, 12, body)
  while ((await metric('sluice_admission_request_body_bytes')) < BUDGET / 2) await sleep(10)
  expect(await metric('sluice_admission_request_body_bytes')).toBeLessThanOrEqual(BUDGET)
  expect(await memory()).toBeLessThan(before + 3 * BUDGET)
  expect(await review(port)).toBe(200)
  for (const { socket } of connections) socket.write(body.slice(-1))
  while (connections.some(({ received }) => received === '')) await sleep(10)
  const refused = connections.filter(({ received }) => received.startsWith('HTTP/1.1 503 '))
  expect(refused.length).toBeGreaterThanOrEqual(4)
  for (const { received } of refused)
    expect(received).toMatch(/\r\nretry-after: 1\r\n.*"reason":"ServiceUnavailable"/is)
  expect(await metric(BUSY)).toBe(refused.length)
  expect(await metric('sluice_admission_request_body_bytes')).toBe(0)
  for (const { socket } of connections) socket.destroy()
}, 60_000)

it('the smallest chunks and the smallest values take bounded memory', async () => {
  const { port, memory } = await begin()
  const padding = JSON.stringify(Array(2 * MEBIBYTE).fill({}))
  const object = JSON.stringify(policyOf()).replace('{', `{"a":${padding},`)
  const crowd = JSON.stringify(reviewOf({ object: 'OBJECT' })).replace('"OBJECT"', object)
  expect(await Promise.all([crowd, crowd, crowd].map((body) => review(port, body)))).toEqual([413, 413, 413])
  const single = connectSecure({ port, host: HOST, rejectUnauthorized: false }).on('error', () => {})
  await new Promise((done) => single.once('secureConnect', done))
  single.setNoDelay(true)
  single.write(`${HEAD}content-length: ${7 * MEBIBYTE}\r\n\r\n`)
  for (let sent = 0; sent < 20_000; sent += 1) await new Promise((done) => single.write('x', done))
  expect(await memory()).toBeLessThan(300 * MEBIBYTE)
  single.destroy()
}, 60_000)
