/** `sluice serve api-management` as a process: TLS, flags, signals, and what it says of its state file. */
import { once } from 'node:events'
import { request } from 'node:https'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder } from '../../files/folder.ts'
import { mountSmall } from '../../store/small-disk.ts'
import { AUTHORIZATION, fetchAsAdmin as fetch, startApiManagement } from './program.ts'
import { proxy } from './served.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const post = (url: string, body: object) =>
  fetch(url, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) })

describe('sluice serve api-management', () => {
  it('serves HTTPS with a certificate of its own, and says whom to trust', async () => {
    const { url, lines, said } = await startApiManagement([], createFolder())
    expect(lines()[0]).toMatchObject({ msg: 'listening', scheme: 'https' })
    await expect.poll(said).toContain('-----END CERTIFICATE-----')
    const ca = /-----BEGIN[\s\S]+?-----END CERTIFICATE-----/.exec(said())?.[0]
    const [response] = await once(
      request(`${url}/services/workspaces`, { ca, servername: 'localhost', headers: AUTHORIZATION }).end(),
      'response',
    )
    expect(response.statusCode).toBe(200)
    expect(said()).not.toContain('Experimental')
  })

  it('keeps what was stored over a restart, and stops on a signal', async () => {
    const cwd = createFolder()
    const first = await startApiManagement(['--plain-http', '--state', 'here.db'], cwd)
    await post(`${first.url}/services/workspaces`, { name: 'team' })
    const { status } = await post(`${first.url}/services/workspaces/team/proxies`, proxy('coffee'))
    expect(status).toBe(202)
    const events = await fetch(`${first.url}/events`)
    first.child.kill('SIGTERM')
    expect(await first.ended).toBe(0)
    await events.text()
    const second = await startApiManagement(['--plain-http', '--state', 'here.db', '--base-path', '/api/acm/v1/'], cwd)
    expect(second.url).toMatch(/\/api\/acm\/v1$/)
    const read = await fetch(`${second.url}/services/workspaces/team/proxies/coffee`)
    expect(await read.json()).toMatchObject({ name: 'coffee', status: { revision: 1 } })
  })

  it('passes requests to no port of its own, whatever an administrator allows', async () => {
    const { url, lines } = await startApiManagement(['--plain-http'], createFolder())
    await post(`${url}/services/workspaces`, { name: 'team' })
    const body = JSON.stringify({ allowed: ['*', '127.0.0.0/8', 'localhost'] })
    const path = `${url}/services/workspaces/team/backends`
    expect((await fetch(path, { method: 'PUT', headers: JSON_TYPE, body })).status).toBe(200)
    const { port, healthPort } = lines()[0] ?? {}
    const statuses = [port, healthPort, 1].flatMap((own) =>
      ['127.0.0.1', 'localhost', '0x7f.1', '::ffff:127.0.0.1'].map(async (hostname, index) => {
        const backends = [{ serviceTargets: [{ hostname, listener: { port: own } }] }]
        return (await post(`${url}/services/workspaces/team/proxies`, proxy(`p${own}-${index}`, { backends }))).status
      }),
    )
    expect(await Promise.all(statuses)).toEqual([...Array(8).fill(403), ...Array(4).fill(202)])
  })

  it('loses no acknowledged proxy when it is killed', async () => {
    const cwd = createFolder()
    const first = await startApiManagement(['--plain-http'], cwd)
    await post(`${first.url}/services/workspaces`, { name: 'team' })
    const acknowledged: string[] = []
    const send = async (client: number) => {
      for (let number = 0; ; number += 1) {
        const name = `p-${client}-${number}`
        const { status } = await post(`${first.url}/services/workspaces/team/proxies`, proxy(name))
        if (status === 202) acknowledged.push(name)
        if (acknowledged.length === 200) first.child.kill('SIGKILL')
      }
    }
    await Promise.allSettled([1, 2, 3, 4].map(send))
    const second = await startApiManagement(['--plain-http'], cwd)
    for (const name of acknowledged) {
      const { status } = await fetch(`${second.url}/services/workspaces/team/proxies/${name}`)
      expect([name, status]).toEqual([name, 200])
    }
  })

  it.runIf(process.getuid?.() === 0)('responds 507 where the disk is full, and still reads', async () => {
    const { url } = await startApiManagement(
      ['--plain-http', '--state', join(mountSmall(2), 'state.db')],
      createFolder(),
    )
    await post(`${url}/services/workspaces`, { name: 'team' })
    const filler = 'x'.repeat(100_000)
    let last = 202
    let count = 0
    for (; last === 202 && count < 1000; count += 1)
      last = (await post(`${url}/services/workspaces/team/proxies`, proxy(`p${count}`, {}, { filler }))).status
    expect(last).toBe(507)
    expect((await fetch(`${url}/services/workspaces/team/proxies/p0`)).status).toBe(200)
    expect((await fetch(`${url}/services/workspaces/team/proxies/p${count - 1}`)).status).toBe(404)
  })

  it('refuses a state file that another process uses', async () => {
    const cwd = createFolder()
    await startApiManagement(['--plain-http'], cwd)
    await expect(startApiManagement(['--plain-http'], cwd)).rejects.toThrow(
      /ended with 2: .* is in use by another process/,
    )
  })
})
