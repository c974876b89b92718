/** Servers whose log cannot be written: a full disk or device, a reader that is gone or does not read. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createFolder } from '../files/folder.ts'
import { freePorts } from '../free-ports.ts'
import { PROGRAM } from '../serving.ts'
import { mountTmpfs } from '../store/small-disk.ts'
import { fetchAsAdmin } from './api-management/program.ts'
import { proxy } from './api-management/served.ts'

type Sink = number | 'pipe'

/** Starts a server with a standard output, and waits until it responds at its port. */
async function start([server = '', ...flags]: readonly string[], stdout: Sink, cwd = createFolder()) {
  const [port = 0, healthPort = 0] = await freePorts(2)
  const ports = ['--port', String(port), ...(server === 'studio' ? [] : ['--health-port', String(healthPort)])]
  const args = [PROGRAM, 'serve', server, '--host', '127.0.0.1', ...ports, ...flags]
  const env = { ...process.env, KUBERNETES_SERVICE_HOST: undefined }
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', stdout, 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const get = async (path: string, at = server === 'studio' ? port : healthPort) =>
    await fetch(`http://127.0.0.1:${at}${path}`).then(
      async (response) => ({ status: response.status, text: await response.text() }),
      () => ({ status: 0, text: '' }),
    )
  const isUp = () => get(server === 'studio' ? '/' : '/readyz')
  await expect.poll(async () => (child.exitCode === null ? (await isUp()).status : said)).toBe(200)
  return {
    ...{ child, port, get, isUp, said: () => said },
    lost: async () =>
      Number(/^sluice_log_lines_lost_total (\d+)$/m.exec((await get('/metrics', healthPort)).text)?.[1]),
    async stop() {
      child.kill('SIGTERM')
      const [code] = await once(child, 'exit')
      return code
    },
  }
}

const SERVERS = [
  ...['admission --standalone', 'admission --standalone --workers 2', 'mesh --standalone', 'studio'],
  'api-management --plain-http --admin-password-file password',
].map((words) => words.split(' '))

const withPassword = () => createFolder({ password: 'a password for tests' })

/** Requests that nobody is allowed to make, each of which is a line of the log. */
const knock = async (port: number, count: number): Promise<readonly (number | undefined)[]> =>
  await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const [response] = await once(request(`http://127.0.0.1:${port}/${index}/${'x'.repeat(300)}`).end(), 'response')
      response.resume()
      return response.statusCode
    }),
  )

describe.each(SERVERS)('serve %s %s %s %s', (...server) => {
  it('goes on with /dev/full as its output, and counts what is lost', async () => {
    const device = openSync('/dev/full', 'w')
    const { isUp, lost, said, stop } = await start(server.filter(Boolean), device, withPassword())
    closeSync(device)
    expect((await isUp()).status).toBe(200)
    if (server[0] !== 'studio') await expect.poll(lost).toBeGreaterThan(0)
    expect(said()).toContain(
      'sluice: the log cannot be written: no space left on the device; the server goes on without it',
    )
    expect(await stop()).toBe(0)
  })

  it.each(['is gone', 'does not read'])('goes on when the reader of its output %s', async (how) => {
    const isGone = how === 'is gone'
    const { child, port, isUp, lost, stop } = await start(server.filter(Boolean), 'pipe', withPassword())
    if (isGone) child.stdout?.destroy()
    if (server[0] === 'api-management') {
      for (let round = 0; round < 30; round += 1)
        expect(new Set(await knock(port, isGone ? 2 : 250))).toEqual(new Set([404]))
      await expect.poll(lost).toBeGreaterThan(0)
    }
    expect((await isUp()).status).toBe(200)
    expect(await stop()).toBe(0)
  })
})

describe('serve api-management', () => {
  const flags = ['api-management', '--plain-http', '--admin-password-file', 'password']

  it('goes on with a full disk for its log, another for its store, or both, and loses nothing that it has acknowledged', async ({
    skip,
  }) => {
    const [logs, states] = [mountTmpfs('64k'), mountTmpfs('4m')]
    if (!logs || !states) return skip('no tmpfs can be mounted here')
    const file = join(logs.folder, 'log')
    const output = openSync(file, 'a')
    const state = ['--state', join(states.folder, 'state.db')]
    const first = await start([...flags, ...state], output, withPassword())
    const call = (method: string, path: string, body?: object) =>
      fetchAsAdmin(`http://127.0.0.1:${first.port}/services/workspaces${path}`, {
        ...{ method, headers: { 'content-type': 'application/json' } },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
    await call('POST', '', { name: 'team' })
    writeFileSync(join(logs.folder, 'filler'), Buffer.alloc(60 * 1024))
    const acknowledged: string[] = []
    let refused: Response | undefined
    for (let count = 0; !refused && count < 2_000; count += 1) {
      const response = await call('POST', '/team/proxies', proxy(`p${count}`, {}, { filler: 'x'.repeat(5_000) }))
      if (response.status === 202) acknowledged.push(`p${count}`)
      else refused = response
    }
    expect(await first.lost()).toBeGreaterThan(0)
    expect([refused?.status, refused?.headers.get('content-type')]).toEqual([507, 'application/problem+json'])
    expect(await refused?.text()).not.toMatch(/ at |\/tmp|state\.db/)
    expect((await call('GET', `/team/proxies/${acknowledged[0]}`)).status).toBe(200)
    rmSync(join(logs.folder, 'filler'))
    await knock(first.port, 1)
    await expect.poll(() => readFileSync(file, 'utf8')).toContain('"msg":"lines of this log are lost')
    for (const line of readFileSync(file, 'utf8').split('\n').slice(0, -3)) expect(line).toMatch(/^\{/)
    expect(await first.stop()).toBe(0)
    closeSync(output)
    const second = await start([...flags, ...state], 'pipe', withPassword())
    for (const name of acknowledged) {
      const url = `http://127.0.0.1:${second.port}/services/workspaces/team/proxies/${name}`
      expect([name, (await fetchAsAdmin(url)).status]).toEqual([name, 200])
    }
  })
})
