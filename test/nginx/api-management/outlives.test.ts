/** nginx outlives the server that drives it: a steady load through its stop, start, upgrade, kill and reload. */
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { Agent, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { keptAfterReload } from '../../../src/nginx/version.ts'
import { childrenOf, identify, processesWriting, signal } from '../../../src/proxy/processes.ts'
import { createFolder } from '../../files/folder.ts'
import { freePort } from '../../free-ports.ts'
import { fetchAsAdmin, type RunningApi, startApiManagement } from '../../servers/api-management/program.ts'
import { serve } from '../../serving.ts'
import { ask } from '../requests.ts'
import { describeNewestNginx } from '../with-nginx.ts'
import { backendAt } from './serving.ts'

const PROXIES = '/services/workspaces/team/proxies'

type Status = { readonly state?: string; readonly reason?: string }
type Answer = { readonly status?: Status; readonly items?: readonly { readonly status: Status }[] }

async function call({ url }: RunningApi, method: string, path: string, body?: object): Promise<Answer> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetchAsAdmin(url + path, { method, headers, body: body ? JSON.stringify(body) : null })
  return (await response.json()) as Answer
}

const stateOf = async (api: RunningApi) => (await call(api, 'GET', `${PROXIES}/coffee`)).status

/** A backend that needs a while, so that requests are under way whatever happens. */
async function startSlowBackend(): Promise<string> {
  const server = createServer((_, response) => setTimeout(() => response.end('ok'), 15)).listen(0, '127.0.0.1')
  await new Promise((listening) => server.once('listening', listening))
  onTestFinished(() => void server.close().closeAllConnections())
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

/**
 * Requests without a pause and what came of them until the end: each with a connection of its own, and half of the clients
 * with one that they keep, where a reload does not reset those.
 */
function load(port: number, version: string) {
  const counts = { right: 0, refused: 0, reset: 0, wrong: 0 }
  let isOver = false
  const client = async (_: unknown, index: number) => {
    const isKept = index % 2 === 1 && keptAfterReload(version) > 0
    const agent = isKept ? new Agent({ keepAlive: true, maxSockets: 1 }) : false
    while (!isOver) {
      const how = await ask({ port, path: '/coffee', agent }).then(
        ({ code, body }) => (code === 200 && body === 'ok' ? 'right' : 'wrong'),
        ({ code }) => (code === 'ECONNREFUSED' ? 'refused' : 'reset'),
      )
      counts[how] += 1
      if (how === 'refused') await pause(5)
    }
  }
  const clients = Array.from({ length: 6 }, client)
  return async () => {
    isOver = true
    await Promise.all(clients)
    return counts
  }
}

describeNewestNginx('nginx and the server that drives it', (program) => {
  async function prepare() {
    const [folder, port, backend] = [createFolder(), await freePort(), await startSlowBackend()]
    const processes = (name = 'nginx') => processesWriting(join(folder, name, 'error.log'))
    onTestFinished(() => {
      for (const one of [...processes(), ...processes('other')]) signal(one, 'SIGKILL')
    })
    const site = ['--nginx-dir', 'nginx', '--nginx-bin', program.path, '--nginx-port', String(port)]
    const start = (...flags: readonly string[]) => startApiManagement(['--plain-http', ...site, ...flags], folder)
    const ingress = { basePath: '/coffee', basePathVersionAppendRule: 'NONE' }
    const proxy = { name: 'coffee', proxyConfig: { ingress, backends: [backendAt(backend)] } }
    const publish = async (api: RunningApi) => {
      await call(api, 'POST', '/services/workspaces', { name: 'team' })
      await call(api, 'POST', PROXIES, proxy)
      await expect.poll(() => stateOf(api)).toMatchObject({ state: 'SUCCESS' })
    }
    const master = (name = 'nginx') => Number(readFileSync(join(folder, name, 'nginx.pid'), 'utf8'))
    return { folder, port, start, publish, master, processes }
  }

  it('answers every request while the server stops, starts, is upgraded, is killed and reloads', async () => {
    const { port, start, publish, master } = await prepare()
    let api = await start()
    await publish(api)
    const pid = master()
    const stop = (signal: NodeJS.Signals) => api.stop(signal)
    const phases: Readonly<Record<string, () => Promise<unknown>>> = {
      stop: () => stop('SIGTERM'),
      start: async () => {
        api = await start()
        expect(await stateOf(api)).toMatchObject({ state: 'SUCCESS' })
      },
      kill: () => stop('SIGKILL'),
      'start after a kill': async () => {
        api = await start()
        expect(await stateOf(api)).toMatchObject({ state: 'SUCCESS' })
      },
      upgrade: async () => {
        await stop('SIGTERM')
        // Another version writes another configuration of the same proxies.
        api = await start('--nginx-grpc-port', String(await freePort()))
      },
      reload: async () => {
        for (let count = 1; count <= 5; count += 1) {
          const config = { hostname: `h${count}.example`, ingress: { basePath: '/' } }
          await call(api, 'POST', PROXIES, { name: `other-${count}`, proxyConfig: config })
        }
        const all = async () => (await call(api, 'GET', PROXIES)).items?.map(({ status }) => status)
        await expect.poll(all).toEqual(Array.from({ length: 6 }, () => expect.objectContaining({ state: 'SUCCESS' })))
      },
    }
    const seen: Record<string, object> = {}
    for (const [name, change] of Object.entries(phases)) {
      const end = load(port, program.version)
      await pause(300)
      await change()
      await pause(600)
      const { right, ...others } = await end()
      expect(right).toBeGreaterThan(20)
      console.log(name, { right, ...others })
      seen[name] = others
    }
    const none = { refused: 0, reset: 0, wrong: 0 }
    expect(seen).toEqual(Object.fromEntries(Object.keys(phases).map((name) => [name, none])))
    expect(master()).toBe(pid)
  })

  it('says at its end that nginx goes on, and with --stop-nginx lets its requests end', async () => {
    const { port, start, publish, master, processes } = await prepare()
    const first = await start()
    await publish(first)
    expect(await first.stop()).toBe(0)
    const words = `nginx goes on serving: "kill -QUIT ${master()}" ends it; with --stop-nginx it ends with the server`
    expect(first.lines()).toContainEqual(expect.objectContaining({ msg: words, pid: master() }))
    // One that cannot start ends nothing that was there before.
    await expect(start('--stop-nginx', '--health-port', String(port))).rejects.toThrow(/is in use/)
    expect(await ask({ port, path: '/coffee' })).toMatchObject({ code: 200 })
    const second = await start('--stop-nginx')
    await expect.poll(() => stateOf(second)).toMatchObject({ state: 'SUCCESS' })
    const underWay = Promise.all(Array.from({ length: 8 }, () => ask({ port, path: '/coffee' })))
    await pause(5)
    expect(await second.stop()).toBe(0)
    expect((await underWay).map(({ code }) => code)).toEqual(Array.from({ length: 8 }, () => 200))
    expect(processes()).toEqual([])
  })

  it('is SUCCESS from the first answer only where nginx has it', async () => {
    const { port, start, publish, processes } = await prepare()
    const first = await start()
    await publish(first)
    await first.stop()
    for (const one of processes()) signal(one, 'SIGKILL')
    await expect.poll(() => processes()).toEqual([])
    const other = createServer().listen(port, '127.0.0.1')
    onTestFinished(() => void other.close())
    const second = await start()
    expect((await stateOf(second))?.state).not.toBe('SUCCESS')
    await expect.poll(() => stateOf(second)).toMatchObject({ state: 'FAILED', reason: 'NginxFailed' })
    other.close()
    await expect.poll(() => stateOf(second)).toMatchObject({ state: 'SUCCESS' })
  })

  it('ends with its requests where the server is process 1, as in a container', async ({ skip }) => {
    const before = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc']
    if (spawnSync(before[0] ?? '', [...before.slice(1), 'true']).status !== 0)
      return skip('unshare is not allowed here')
    const { folder, port, start, publish } = await prepare()
    const first = await start('--stop-nginx')
    await publish(first)
    await first.stop()
    const flags = [
      '--plain-http',
      '--port',
      '0',
      '--health-port',
      '0',
      '--nginx-dir',
      'nginx',
      '--nginx-bin',
      program.path,
    ]
    const site = { cwd: folder, before, ends: onTestFinished }
    const contained = await serve('api-management', [...flags, '--nginx-port', String(port)], site)
    await expect.poll(async () => (await ask({ port, path: '/coffee' }).catch(() => undefined))?.code).toBe(200)
    const underWay = ask({ port, path: '/coffee' })
    await pause(5)
    for (const pid of childrenOf(contained.pid)) process.kill(pid, 'SIGTERM')
    expect([(await underWay).code, await contained.ended]).toEqual([200, 0])
    expect(contained.log.join()).not.toContain('goes on serving')
  })

  it('is adopted by its number, its start and its folder, and no other process is', async () => {
    const { folder, port, start, publish, master, processes } = await prepare()
    const first = await start()
    await publish(first)
    await first.stop('SIGKILL')
    const pid = master()
    // A copy of the folder names the same process, which serves from the folder that was copied.
    cpSync(join(folder, 'nginx'), join(folder, 'other'), { recursive: true, verbatimSymlinks: true })
    const copied = await start('--nginx-dir', 'other', '--nginx-port', String(await freePort()))
    await expect.poll(() => stateOf(copied)).toMatchObject({ state: 'SUCCESS' })
    expect(master('other')).not.toBe(pid)
    await copied.stop()
    // A log that was moved is not the end of the one that writes it.
    renameSync(join(folder, 'nginx', 'error.log'), join(folder, 'nginx', 'error.log.1'))
    const second = await start('--nginx-grpc-port', String(await freePort()))
    await expect.poll(() => stateOf(second)).toMatchObject({ state: 'SUCCESS' })
    expect([master(), (await ask({ port, path: '/coffee' })).code]).toEqual([pid, 200])
    await second.stop()
    // The number of one that has ended may be that of any process.
    for (const one of processes()) signal(one, 'SIGKILL')
    await expect.poll(() => processes()).toEqual([])
    const stranger = spawn('sleep', ['600'], { stdio: 'ignore' })
    onTestFinished(() => void stranger.kill('SIGKILL'))
    writeFileSync(join(folder, 'nginx', 'nginx.pid'), `${stranger.pid}\n`)
    const state = JSON.parse(readFileSync(join(folder, 'nginx', 'state.json'), 'utf8'))
    const noted = { ...state, master: identify(stranger.pid ?? 0) }
    writeFileSync(join(folder, 'nginx', 'state.json'), JSON.stringify(noted))
    const third = await start()
    await expect.poll(() => stateOf(third)).toMatchObject({ state: 'SUCCESS' })
    expect([stranger.exitCode, stranger.signalCode, existsSync(`/proc/${stranger.pid}`)]).toEqual([null, null, true])
  })
})
