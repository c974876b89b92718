/** `sluice serve mesh --standalone` as a process: TLS, its token, its file, signals and mistakes in its flags. */
import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { Agent, FormData, fetch } from 'undici'
import { describe, expect, it, onTestFinished, test } from 'vitest'
import { createFolder } from '../../files/folder.ts'
import { BASE } from './served.ts'

const CLI = resolve('dist/cli.js')

/** Of a cluster that is not asked. */
const KUBECONFIG = JSON.stringify({
  'current-context': 'a',
  clusters: [{ name: 'a', cluster: { server: 'https://127.0.0.1:1' } }],
  users: [{ name: 'a', user: { token: 'a' } }],
  contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
})

type Line = Readonly<Record<string, unknown>>
type Running = {
  readonly child: ChildProcessWithoutNullStreams
  readonly first: Line
  readonly ended: Promise<number | null>
  readonly lines: readonly Line[]
  said(): string
}

/** Starts it on a free port; it is killed after the test. */
async function start(flags: readonly string[], cwd: string): Promise<Running> {
  const own = ['serve', 'mesh', '--standalone', '--port', '0', '--health-port', '0', '--host', '127.0.0.1']
  const child = spawn(process.execPath, [CLI, ...own, ...flags], { cwd })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: Line[] = []
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const ended = new Promise<number | null>((done) => child.once('exit', done))
  const first = await new Promise<Line>((done, failed) => {
    createInterface(child.stdout).on('line', (line) => {
      lines.push(JSON.parse(line))
      if (lines[0]) done(lines[0])
    })
    void ended.then((code) => failed(new Error(`ended with ${code}: ${stderr}`)))
  })
  return { child, first, ended, lines, said: () => stderr }
}

/** `fetch` that trusts the certificate which the server has printed. */
async function clientOf({ first, said }: Running, token?: string) {
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

/** Runs a command line that fails. */
const fails = (cwd: string, flags: readonly string[]) =>
  promisify(execFile)(process.execPath, [CLI, 'serve', 'mesh', ...flags], { cwd }).then(
    () => ({ code: 0, stderr: '' }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr }),
  )

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
    const health = `http://127.0.0.1:${running.first.healthPort}`
    expect(await (await fetch(`${health}/readyz`)).text()).toBe('ok\n')
    expect(await (await fetch(`${health}/metrics`)).text()).toContain('sluice_build_info')
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
    const { code, stderr } = await fails(cwd, ['--standalone', '--port', '0', '--health-port', '0'])
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('is in use by another process') })
  })

  test.each([
    ['neither a cluster nor --standalone', [], 'there is no cluster here: write --kubeconfig FILE'],
    ['a token file that is not there', ['--standalone', '--token-file', 'none'], '--token-file none'],
    ['a short token', ['--standalone', '--token-file', 'short'], 'at least 16'],
    ['a token of two lines', ['--standalone', '--token-file', 'lines'], 'expected one line'],
    ['a state that is no configuration', ['--standalone', '--state', 'short'], 'not JSON'],
    ['a flag of another server', ['--standalone', '--jwks', 'a'], '--jwks'],
    [
      'a state file in a cluster',
      ['--kubeconfig', 'kubeconfig', '--state', 'here.json'],
      '--state here.json needs --standalone: in a cluster the configuration is in a ConfigMap',
    ],
    ['a port that is none', ['--standalone', '--port', '70000'], '--port must be a number'],
  ])('refuses %s', async (_, flags, message) => {
    const cwd = createFolder()
    writeFileSync(join(cwd, 'short'), 'abc')
    writeFileSync(join(cwd, 'lines'), 'a-token-of-ones-own\nanother-token-here\n')
    writeFileSync(join(cwd, 'kubeconfig'), KUBECONFIG)
    const { code, stderr } = await fails(cwd, flags)
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) })
  })
})
