/** `sluice serve mesh --standalone` as a process: TLS, its token, its file and signals. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Agent, FormData, fetch } from 'undici'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createFolder } from '../../files/folder.ts'
import type { Serving } from '../../serving.ts'
import { startProgram } from '../program.ts'
import { BASE } from './served.ts'

/** Starts it. */
const start = (flags: readonly string[], cwd: string) => startProgram(['mesh', '--standalone', ...flags], cwd)

/** `fetch` that trusts the certificate which the server has printed. */
async function clientOf({ first, said }: Serving, token?: string) {
  await expect.poll(said).toContain('-----END CERTIFICATE-----')
  const ca = /-----BEGIN[\s\S]+?-----END CERTIFICATE-----/.exec(said())?.[0]
  if (token === undefined) await expect.poll(said).toMatch(/TOKEN":\n\S{43}\n/)
  const sent = token ?? /TOKEN":\n(\S+)\n/.exec(said())?.[1]
  const dispatcher = new Agent({ connect: { ca } })
  onTestFinished(() => dispatcher.close())
  return (path: string, init: Parameters<typeof fetch>[1] = {}) =>
    fetch(`https://localhost:${first.port}${path}`, {
      ...init,
      dispatcher,
      headers: { authorization: `Bearer ${sent}`, ...(init?.headers as Record<string, string> | undefined) },
    })
}

const patchOf = (level: string) => ({
  method: 'PATCH',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ op: 'replace', field: { nginxErrorLogLevel: level } }),
})

describe('sluice serve mesh --standalone', () => {
  it('prints where it listens, whom to trust and its token; keeps the configuration; ends on Ctrl-C', async () => {
    const cwd = createFolder()
    const running = await start([], cwd)
    expect(running.first).toMatchObject({ msg: 'listening', basePath: BASE, port: expect.any(Number) })
    const call = await clientOf(running)
    expect((await call(`${BASE}/config`)).status).toBe(200)
    expect((await call(`${BASE}/config`, patchOf('info'))).status).toBe(200)
    const form = new FormData()
    form.append('file', new Blob(['apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a}]}\n']))
    const injected = await call(`${BASE}/inject`, { method: 'POST', body: form })
    expect(await injected.text()).toContain('nginx-mesh-sidecar')
    running.child.kill('SIGINT')
    expect(await running.ended).toBe(0)
    expect(running.lines.at(-1)?.msg).toBe('stopped: all requests have been answered')
    expect(running.said()).not.toContain('Experimental')
    const again = await start([], cwd)
    const next = await clientOf(again)
    expect(await (await next(`${BASE}/config`)).json()).toMatchObject({ nginxErrorLogLevel: 'info' })
  })

  it('reads its token from a file, and does not print it', async () => {
    const cwd = createFolder()
    const token = 'a-token-of-ones-own'
    writeFileSync(join(cwd, 'token'), `${token}\n`)
    const running = await start(['--token-file', 'token', '--state', 'here.json'], cwd)
    const call = await clientOf(running, token)
    expect((await call(`${BASE}/config`, patchOf('crit'))).status).toBe(200)
    expect(running.said() + JSON.stringify(running.lines)).not.toContain(token)
    expect((await call(`${BASE}/config`, { headers: { authorization: 'Bearer other' } })).status).toBe(401)
    expect(existsSync(join(cwd, 'mesh-config.json'))).toBe(false)
    running.child.kill('SIGKILL')
    await running.ended
    expect(JSON.parse(readFileSync(join(cwd, 'here.json'), 'utf8')).nginxErrorLogLevel).toBe('crit')
    await start(['--token-file', 'token', '--state', 'here.json'], cwd)
  })

  it('has the group of the settings', async () => {
    const cwd = createFolder()
    writeFileSync(join(cwd, 'sluice.config.yaml'), 'apiGroups: {vendor: acme}\n')
    expect((await start([], cwd)).first.basePath).toBe('/apis/nsm.acme.com/v1alpha1')
  })

  it('leaves the file to one process', async () => {
    const cwd = createFolder()
    await start([], cwd)
    await expect(start([], cwd)).rejects.toThrow('ended with 2: sluice: ')
    await expect(start([], cwd)).rejects.toThrow('is in use by another process')
  })
})
