import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:https'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { describe, expect, it, vi } from 'vitest'
import { openKeptAuthority } from '../../src/cli/serve/kept-authority.ts'
import { createOwnCertificate, LIVES } from '../../src/cluster/certificates/certificates.ts'
import { pemBlocks, readCertificate } from '../../src/http/authority.ts'
import { serve, type TlsMaterial } from '../../src/http/listen.ts'
import { createClock } from '../cluster/clock.ts'
import { createFolder } from '../files/folder.ts'
import { policyOf, reviewOf } from './reviews.ts'
import { HOST, startServed } from './served.ts'

const NAMES = ['localhost', HOST, '::1']
const PATIENCE = { timeout: 150_000, interval: 5 }
const GOOD = JSON.stringify(reviewOf({ object: policyOf() }))

/** Begins so far back that what is made after two thirds of a life is valid now. */
const begin = () => Date.now() - (LIVES.serving * 2) / 3

const QUIET = {
  announce: (bundle: string) => expect(bundle).toBe(''),
  failed: (reason: string) => expect(reason).toBe(''),
}

describe('a certificate of our own making', () => {
  it('is not renewed before two thirds of its life, whatever way its addresses are written', async () => {
    const time = createClock(begin())
    const own = await createOwnCertificate([...NAMES, 'FE80:0:0:0:0:0:0:1'], time.clock)
    const served: TlsMaterial[] = []
    const keeper = own.keep({ ...QUIET, serve: (material) => served.push(material) })
    await vi.waitFor(() => expect(time.isIdle()).toBe(true), PATIENCE)
    time.advance(LIVES.serving * 0.6)
    await vi.waitFor(() => expect(time.isIdle()).toBe(true), PATIENCE)
    expect(served).toEqual([])
    keeper.stop()
  })

  it('is renewed then, by the same authority, and no connection is dropped', async () => {
    const time = createClock(begin())
    const own = await createOwnCertificate(NAMES, time.clock)
    const served = await startServed()
    const { serving } = served
    serving.useCertificate(own.material)
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: own.authority })
    const ask = async () => (await served.send(GOOD, { agent, ca: own.authority })).status
    const serial = () =>
      new Promise<string>((resolve, reject) => {
        const options = { host: HOST, port: serving.port, servername: 'localhost', ca: own.authority }
        const socket = connect(options, () => {
          resolve(socket.getPeerCertificate().serialNumber)
          socket.end()
        }).on('error', reject)
      })
    const before = await serial()
    expect(await ask()).toBe(200)
    const [open] = Object.values(agent.freeSockets).flat()
    const renewed: TlsMaterial[] = []
    const keeper = own.keep({
      serve(material) {
        renewed.push(material)
        serving.useCertificate(material)
      },
      ...QUIET,
    })
    await vi.waitFor(() => expect(time.isIdle()).toBe(true), PATIENCE)
    time.advance((LIVES.serving * 2) / 3)
    await vi.waitFor(() => expect(renewed.length).toBe(1), PATIENCE)
    expect(readCertificate(renewed[0]?.cert ?? '')?.isSignedBy(own.authority)).toBe(true)
    expect(await serial()).not.toBe(before)
    expect(await ask()).toBe(200)
    expect(Object.values(agent.freeSockets).flat()).toEqual([open])
    keeper.stop()
    agent.destroy()
    await serving.stop({ drain: 0, grace: 100 })
  })

  it('outlives its authority: the next one is announced a year before it signs', async () => {
    const time = createClock()
    const own = await createOwnCertificate(NAMES, time.clock)
    let served = own.material
    const announced = [{ at: time.clock.now(), bundle: own.authority }]
    const keeper = own.keep({
      serve(material) {
        served = material
      },
      announce: (bundle) => announced.push({ at: time.clock.now(), bundle }),
      failed: QUIET.failed,
    })
    const step = LIVES.serving / 10
    for (let gone = 0; gone < 3 * LIVES.authority; gone += step) {
      await vi.waitFor(() => expect(time.isIdle()).toBe(true), PATIENCE)
      const now = time.clock.now()
      const facts = readCertificate(served.cert)
      expect(facts?.until).toBeGreaterThan(now)
      const first = announced[0]?.at
      const trusted = announced.findLast(({ at }) => at === first || at < now - LIVES.serving)
      const signers = pemBlocks(trusted?.bundle ?? '').filter((authority) => facts?.isSignedBy(authority))
      expect(signers.map((authority) => (readCertificate(authority)?.until ?? 0) > now)).toEqual([true])
      time.advance(step)
    }
    expect(announced.length).toBe(5)
    keeper.stop()
  })
})

describe('an authority that is kept', () => {
  const start = async (path: string) => {
    const warned: string[] = []
    const kept = openKeptAuthority(path, { warn: (_, message) => void warned.push(message) })
    const { authority } = await createOwnCertificate(NAMES, createClock(Date.now()).clock, kept)
    return { authority, warned: warned.join() }
  }

  it('signs after a restart, and nobody else reads its key; one that is broken is replaced by another one', async () => {
    const path = join(createFolder(), 'authority.pem')
    const first = await start(path)
    expect(await start(path)).toEqual({ ...first, warned: '' })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const text = readFileSync(path, 'utf8')
    for (const broken of [text.slice(0, -100), text.slice(0, text.indexOf('-----BEGIN PRIVATE')), 'x']) {
      writeFileSync(path, broken)
      const { authority, warned } = await start(path)
      expect([authority === first.authority, warned]).toEqual([false, expect.stringContaining('cannot be used')])
      expect(await start(path)).toEqual({ authority, warned: '' })
    }
    expect((await start('/dev/full/authority.pem')).warned).toContain('cannot be kept')
  })
})

it('over TLS a browser is told to come by TLS alone, where the name is that of one server', async () => {
  const { material, authority: ca } = await createOwnCertificate(NAMES, createClock(Date.now()).clock)
  const serving = await serve(() => (_, response) => void response.end(), { host: HOST, port: 0, material })
  for (const host of ['sluice.example:8443', 'localhost:8443', '127.0.0.1', '[::1]:8443']) {
    const asked = get({ host: HOST, port: serving.port, headers: { host }, servername: 'localhost', ca, agent: false })
    const [{ headers }] = await once(asked, 'response')
    expect(headers['strict-transport-security']).toBe(/example/.test(host) ? 'max-age=31536000' : undefined)
  }
  await serving.stop({ drain: 0, grace: 0 })
})
