/** `--workers 2` as processes: what they share, and what remains when one of them or the primary process ends. */
import { readFileSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import { describe, expect, it, vi } from 'vitest'
import { createAuthority, issueServing } from '../../src/http/authority.ts'
import { createFolder } from '../files/folder.ts'
import type { Serving } from '../serving.ts'
import { authorityOf, HOST, serialOf, start, validate } from './program.ts'
import { policyOf, reviewOf } from './reviews.ts'

const BAD = policyOf({ rejectCode: 200 })
const DAY = 24 * 60 * 60 * 1000
const PATIENCE = { timeout: 150_000, interval: 100 }
const SEVERAL = Array.from({ length: 6 }, (_, index) => index)

/** Does it several times, one after the other: each time over a new connection, which the next worker gets. */
async function each<Value>(ask: () => Promise<Value>): Promise<readonly Value[]> {
  const values: Value[] = []
  for (const _ of SEVERAL) values.push(await ask())
  return values
}

async function startTwo(...flags: readonly string[]) {
  const webhook = await start(['--standalone', '--workers', '2', ...flags])
  await vi.waitFor(() => expect(authorityOf(webhook)).toBeDefined(), PATIENCE)
  return { webhook, ca: authorityOf(webhook) ?? '' }
}

const workersOf = ({ child: { pid } }: Serving): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)

/** False also for a process that has ended and that nobody has waited for. */
function isAlive(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}

async function metric(webhook: Serving, series: string): Promise<number> {
  const line = (await webhook.metrics()).split('\n').find((text) => text.startsWith(`${series} `))
  return Number(line?.slice(series.length))
}

const REVIEWS = 'sluice_admission_reviews_total{path="/validate",operation="CREATE",outcome="allowed"}'

const open = ({ port }: Serving, ca: string) =>
  new Promise<TLSSocket>((done, failed) => {
    const socket = connect({ host: HOST, servername: 'localhost', port, ca }, () => done(socket)).on('error', failed)
  })

/** Sends reviews over connections that are kept, as an API server does; a client ends when it is told to close. */
function createLoad({ port }: Serving, ca: string) {
  const body = JSON.stringify(reviewOf({ object: policyOf() }))
  let isOver = false
  const counts = { answered: 0, lost: 0 }
  const ask = (agent: Agent) =>
    new Promise<boolean>((done) => {
      const headers = { 'content-type': 'application/json' }
      const path = { path: '/validate', method: 'POST', headers, agent }
      request({ host: HOST, servername: 'localhost', port, ca, ...path }, (response) => {
        response.resume().on('end', () => {
          counts.answered++
          done(response.headers.connection !== 'close')
        })
      })
        .on('error', () => {
          counts.lost++
          done(true)
        })
        .end(body)
    })
  const clients = SEVERAL.map(async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (!isOver && (await ask(agent))) if (counts.lost > 100) break
    agent.destroy()
  })
  const done = Promise.all(clients)
  return {
    counts,
    done,
    stop: () => {
      isOver = true
      return done
    },
  }
}

describe.runIf(process.platform === 'linux')('sluice serve admission --workers', () => {
  it('shares connections evenly, and has one set of metrics', async () => {
    const { webhook, ca } = await startTwo()
    expect(webhook.lines[0]).toMatchObject({ msg: 'listening', workers: 2, port: webhook.port })
    expect(await (await fetch(`http://${HOST}:${webhook.healthPort}/readyz`)).text()).toBe('ok\n')
    for (const response of await each(() => validate(webhook, ca, policyOf())))
      expect(response).toMatchObject({ response: { allowed: true } })
    expect(await metric(webhook, REVIEWS)).toBe(SEVERAL.length)
    expect(await metric(webhook, 'sluice_admission_review_duration_seconds_count{path="/validate"}')).toBe(6)
    expect(await metric(webhook, 'sluice_workers_listening')).toBe(2)
    expect(await metric(webhook, 'sluice_watches_synced')).toBe(1)
    expect(await metric(webhook, 'sluice_settings_valid')).toBe(1)
    expect(await metric(webhook, 'process_resident_memory_bytes')).toBeGreaterThan(100 * 2 ** 20)
    const sockets = await each(() => open(webhook, ca))
    const closed = sockets.map((socket) => new Promise((done) => socket.once('close', done)))
    process.kill(workersOf(webhook)[0] ?? 0, 'SIGKILL')
    await Promise.race(closed)
    await sleep(200)
    const lost = sockets.filter((socket) => socket.destroyed).length
    // Three each, unless a worker was still busy with the connection before.
    expect([2, 3, 4]).toContain(lost)
    for (const socket of sockets) socket.destroy()
  })

  it('replaces a worker that ends, while the others serve and no counter decreases', async () => {
    const { webhook, ca } = await startTwo()
    await each(() => validate(webhook, ca, policyOf()))
    const before = await metric(webhook, REVIEWS)
    const [first = 0, second = 0] = workersOf(webhook)
    const { counts, stop } = createLoad(webhook, ca)
    await vi.waitFor(() => expect(counts.answered).toBeGreaterThan(50), PATIENCE)
    process.kill(first, 'SIGKILL')
    const answered = counts.answered
    await vi.waitFor(() => expect(counts.answered).toBeGreaterThan(answered + 50), PATIENCE)
    await vi.waitFor(async () => expect(await metric(webhook, 'sluice_workers_listening')).toBe(2), PATIENCE)
    await stop()
    // Those that it was processing, on the connections that it had.
    expect(counts.lost).toBeLessThanOrEqual(SEVERAL.length)
    expect(await metric(webhook, REVIEWS)).toBeGreaterThanOrEqual(before)
    expect(webhook.lines).toContainEqual(expect.objectContaining({ level: 'error', worker: first, signal: 'SIGKILL' }))
    expect(workersOf(webhook)).toContain(second)
    expect(workersOf(webhook)).toHaveLength(2)
    // All at once: the port stays the same.
    for (const pid of workersOf(webhook)) process.kill(pid, 'SIGKILL')
    await vi.waitFor(() => expect(webhook.lines.filter(({ level }) => level === 'error')).toHaveLength(3), PATIENCE)
    await vi.waitFor(async () => expect(await metric(webhook, 'sluice_workers_listening')).toBe(2), PATIENCE)
    for (const { response } of await each(() => validate(webhook, ca, BAD))) expect(response.allowed).toBe(false)
  })

  it('leaves no client waiting that a worker was to answer and was killed before', async () => {
    const { webhook, ca } = await startTwo()
    const [first = 0] = workersOf(webhook)
    process.kill(first, 'SIGSTOP')
    let answered = 0
    const asked = SEVERAL.map(async () => {
      await validate(webhook, ca, policyOf())
      answered += 1
    })
    await vi.waitFor(() => expect(answered).toBe(SEVERAL.length - 1), PATIENCE)
    process.kill(first, 'SIGKILL')
    expect((await Promise.allSettled(asked)).filter(({ status }) => status === 'rejected')).toHaveLength(1)
  })

  it.each([
    ['the primary process', 1],
    ['the whole process group', -1],
  ])('answers all reviews when %s is told to stop', async (_, sign) => {
    const { webhook, ca } = await startTwo()
    const workers = workersOf(webhook)
    const { counts, done } = createLoad(webhook, ca)
    await vi.waitFor(() => expect(counts.answered).toBeGreaterThan(50), PATIENCE)
    process.kill(sign * (webhook.child.pid ?? 0), 'SIGTERM')
    expect(await webhook.ended).toBe(0)
    await done
    expect(counts.lost).toBe(0)
    expect(webhook.lines.at(-1)).toMatchObject({ msg: 'stopped: all reviews have been answered' })
    expect(workers.filter(isAlive)).toEqual([])
  })

  it('leaves no process behind when the primary process is killed', async () => {
    const { webhook } = await startTwo()
    const workers = workersOf(webhook)
    expect(workers.filter(isAlive)).toHaveLength(2)
    webhook.child.kill('SIGKILL')
    await vi.waitFor(() => expect(workers.filter(isAlive)).toEqual([]), PATIENCE)
  })

  it('gives new settings and a new certificate to all, and those in force to one that starts later', async () => {
    const validity = { from: Date.now() - DAY, until: Date.now() + DAY }
    const authority = await createAuthority('test', validity)
    const issue = () => issueServing(authority, ['localhost'], validity)
    const [old, renewed] = [await issue(), await issue()]
    const settings = 'sluice.config.yaml'
    const files = { 'tls.crt': old.cert, 'tls.key': old.key, [settings]: 'admission: { enforce: deny }\n' }
    const folder = createFolder(files)
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
    const flags = ['--workers', '2', '--cert', 'tls.crt', '--key', 'tls.key', '--config', settings]
    const webhook = await start(flags, folder)
    const answers = async () => {
      const all = await each(() => validate(webhook, authority.cert, BAD))
      return [...new Set(all.map(({ response }) => response.allowed))]
    }
    expect(await answers()).toEqual([false])
    write(settings, 'admission: { enforce: warn }\n')
    await vi.waitFor(async () => expect(await answers()).toEqual([true]), PATIENCE)
    write(settings, 'admission: { enforce: perhaps }\n')
    await vi.waitFor(async () => expect(await metric(webhook, 'sluice_settings_valid')).toBe(0), PATIENCE)
    expect(webhook.lines.filter(({ level }) => level === 'error')).toHaveLength(1)
    process.kill(workersOf(webhook)[0] ?? 0, 'SIGKILL')
    await vi.waitFor(() => expect(webhook.lines.at(-1)?.msg).toContain('in place of one'), PATIENCE)
    expect(await answers()).toEqual([true])

    const serials = async () => new Set(await each(() => serialOf(webhook, authority.cert)))
    const before = await serials()
    expect(before.size).toBe(1)
    write('tls.crt', renewed.cert)
    write('tls.key', renewed.key)
    await vi.waitFor(async () => {
      const after = await serials()
      expect([after.size, [...after].some((serial) => before.has(serial))]).toEqual([1, false])
    }, PATIENCE)
    expect(await answers()).toEqual([true])
  })

  it('reports that a port is in use, once', async () => {
    const webhook = await start(['--standalone'])
    await expect(start(['--standalone', '--workers', '3', '--port', String(webhook.port)])).rejects.toThrow(
      new RegExp(`^serve admission ended with 2: sluice: port ${webhook.port} is in use: [^\n]*\n$`),
    )
  })
})
