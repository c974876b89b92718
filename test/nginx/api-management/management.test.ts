/** The management API with a real nginx: from a POST to a 429, and to a failure that blocks nobody. */

import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { type ProcessIdentity, processesWriting } from '../../../src/proxy/processes.ts'
import { createFolder } from '../../files/folder.ts'
import { freePort } from '../../free-ports.ts'
import { fetchAsAdmin, type RunningApi, startApiManagement } from '../../servers/api-management/program.ts'
import { PROGRAM } from '../../serving.ts'
import { createGrpcClient, startGrpcBackend, startHttpBackend } from '../backends.ts'
import { describeNewestNginx } from '../with-nginx.ts'
import { clientAuthority } from './certificates.ts'
import { askAt, backendAt, limiting } from './serving.ts'

async function startBackend(code = 200): Promise<string> {
  const { address, stop } = await startHttpBackend(code)
  onTestFinished(stop)
  return address
}

const PROXIES = '/services/workspaces/team/proxies'

type Status = { readonly requests?: object }
type Answer = { readonly status?: Status }

async function call({ url }: RunningApi, method: string, path: string, body?: object): Promise<Answer> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetchAsAdmin(url + path, { method, headers, body: body ? JSON.stringify(body) : null })
  return response.status === 204 ? {} : ((await response.json()) as Answer)
}

/** Adds a proxy to the workspace `team`, and waits until nginx has it. */
async function publish(api: RunningApi, name: string, proxyConfig: object): Promise<void> {
  await call(api, 'POST', PROXIES, { name, proxyConfig })
  const state = async () => (await call(api, 'GET', `${PROXIES}/${name}`)).status
  await expect.poll(state).toMatchObject({ state: 'SUCCESS' })
}

describeNewestNginx('the management API', (program) => {
  /** Started with an nginx in the folder `nginx`, and with the workspace `team`. */
  const start = async (flags: readonly string[], folder = createFolder()): Promise<RunningApi> => {
    const nginx = ['--nginx-dir', 'nginx', '--nginx-bin', program.path, '--stop-nginx']
    const api = await startApiManagement(['--plain-http', ...nginx, ...flags], folder)
    // Killed, it would leave its nginx running.
    onTestFinished(async () => {
      api.child.kill('SIGTERM')
      await api.ended
    })
    await call(api, 'POST', '/services/workspaces', { name: 'team' })
    return api
  }

  it('puts a proxy into force, and nginx limits its requests', async () => {
    const [port, backend] = [await freePort(), await startBackend()]
    const folder = createFolder()
    const api = await start(['--nginx-port', String(port)], folder)
    const stateOf = async () => (await call(api, 'GET', `${PROXIES}/coffee`)).status
    const codes = () =>
      Promise.all(Array.from({ length: 9 }, async () => (await fetch(`http://127.0.0.1:${port}/coffee`)).status))
    await publish(api, 'coffee', {
      ingress: { basePath: '/coffee', basePathVersionAppendRule: 'NONE' },
      backends: [backendAt(backend)],
    })
    expect(await codes()).toEqual(Array.from({ length: 9 }, () => 200))
    await call(api, 'POST', `${PROXIES}?name=coffee`, { policies: { 'rate-limit': [limiting([{ rate: '1r/s' }])] } })
    await expect.poll(stateOf).toMatchObject({ state: 'SUCCESS', revision: 2 })
    const limited = await codes()
    expect(new Set(limited)).toEqual(new Set([200, 429]))
    expect(processesWriting(join(folder, 'nginx', 'error.log')).length).toBeGreaterThan(0)
    await call(api, 'DELETE', `${PROXIES}/coffee`)
    await expect.poll(codes).toEqual(Array.from({ length: 9 }, () => 404))
    api.child.kill('SIGTERM')
    expect(await api.ended).toBe(0)
    expect(processesWriting(join(folder, 'nginx', 'error.log'))).toEqual([])
  })

  it('has consumers by certificate and by a program in front', async () => {
    const [port, web] = [await freePort(), await startBackend()]
    const folder = createFolder()
    const ours = await clientAuthority('ours')
    const [server, one] = [await ours.issue('CN=localhost'), await ours.issue('CN=one')]
    for (const [name, text] of Object.entries({
      'tls.crt': server.cert,
      'tls.key': server.key,
      'ca.crt': ours.ca.cert,
    }))
      writeFileSync(join(folder, name), text)
    const api = await start(
      [
        ...['--nginx-port', String(port), '--nginx-hop', 'hop.sock'],
        ...['--nginx-cert', 'tls.crt', '--nginx-key', 'tls.key', '--nginx-client-ca', 'ca.crt'],
      ],
      folder,
    )
    const policies = { 'rate-limit': [limiting([{ rate: '1r/s', rateLimitBy: 'consumer' }])] }
    await publish(api, 'web', { ingress: { basePath: '/' }, backends: [backendAt(web)], policies })
    const codes = (asked: object) =>
      Promise.all(Array.from({ length: 9 }, async () => (await askAt({ port, ...asked }, '/v1/a')).code))
    expect(new Set(await codes({ tls: one }))).toEqual(new Set([200, 429]))
    // Of an address, not of the consumer who has used up the limit.
    expect(new Set(await codes({ tls: {} }))).toEqual(new Set([200, 429]))
    const socketPath = join(folder, 'hop.sock')
    for (const consumer of ['ann', 'ben']) {
      const headers = { 'x-consumer-id': consumer, 'x-real-ip': '10.0.0.1' }
      expect(new Set(await codes({ socketPath, headers }))).toEqual(new Set([200, 429]))
    }
  })

  it('serves gRPC on a port of its own', async () => {
    const [port, grpcPort, orders] = [await freePort(), await freePort(), await startGrpcBackend()]
    onTestFinished(async () => void (await orders.stop()))
    const api = await start(['--nginx-port', String(port), '--nginx-grpc-port', String(grpcPort)])
    await publish(api, 'orders', {
      hostname: 'orders.beans.example',
      grpcIngress: { service: 'beans.orders.v1.Orders' },
      backends: [backendAt(orders.address, { transportProtocol: 'GRPC' })],
    })
    const grpc = createGrpcClient(grpcPort)
    onTestFinished(() => grpc.close())
    expect(await grpc.call()).toMatchObject({ code: 200, grpc: 0 })
  })

  it('starts nginx again where it was killed, with everything that is stored', async () => {
    const [port, backend] = [await freePort(), await startBackend()]
    const folder = createFolder()
    const api = await start(['--nginx-port', String(port), '--nginx-host', '127.0.0.2'], folder)
    const config = { ingress: { basePath: '/' }, backends: [backendAt(backend)] }
    await publish(api, 'coffee', config)
    const code = async (host: string) =>
      await fetch(`http://${host}:${port}/v1/a`).then(
        ({ status }) => status,
        () => 'refused',
      )
    expect([await code('127.0.0.2'), await code('127.0.0.1')]).toEqual([200, 'refused'])
    const processes = processesWriting(join(folder, 'nginx', 'error.log'))
    for (const one of processes) kill(one)
    await expect.poll(() => code('127.0.0.2')).toBe(200)
    const pids = processesWriting(join(folder, 'nginx', 'error.log')).map(({ pid }) => pid)
    for (const { pid } of processes) expect(pids).not.toContain(pid)
    const stateOf = async () => (await call(api, 'GET', `${PROXIES}/coffee`)).status
    await expect.poll(stateOf).toMatchObject({ state: 'SUCCESS', revision: 1 })
    await publish(api, 'tea', { ...config, ingress: { basePath: '/tea' } })
    api.child.kill('SIGTERM')
    expect(await api.ended).toBe(0)
  })

  /** A server with the proxy `coffee`, and what asks for that nine times. */
  async function prepare(policies: object, code = 200) {
    const [port, backend, folder] = [await freePort(), await startBackend(code), createFolder()]
    const flags = ['--nginx-port', String(port)]
    const api = await start(flags, folder)
    const ingress = { basePath: '/coffee', basePathVersionAppendRule: 'NONE' }
    const config = { ingress, backends: [backendAt(backend)] }
    await publish(api, 'coffee', { ...config, policies })
    const put = async (next: object) =>
      await call(api, 'PUT', `${PROXIES}/coffee`, { proxyConfig: { ...config, policies: next } })
    const ask = (headers = {}) => askAt({ port, headers }, '/coffee')
    const codes = async () => (await Promise.all(Array.from({ length: 9 }, () => ask()))).map((answer) => answer.code)
    return { ...{ api, folder, flags, put, ask, codes }, status: () => call(api, 'GET', `${PROXIES}/coffee`) }
  }

  it('counts requests that were passed, delayed and rejected, in status, metrics and events', async () => {
    const { api, put, ask, codes, status } = await prepare({ 'rate-limit': [limiting([{ rate: '1r/s' }])] })
    const events = (await fetchAsAdmin(`${api.url}/events`)).body?.pipeThrough(new TextDecoderStream()).getReader()
    onTestFinished(() => events?.cancel())
    const passed = (await codes()).filter((code) => code === 200).length
    const counts = { passed, delayed: 0, rejected: 9 - passed, delayedDryRun: 0, rejectedDryRun: 0 }
    const counted = async () => (await status()).status?.requests
    await expect.poll(counted).toMatchObject(counts)
    let seen = ''
    while (!seen.includes(`"rejected":${9 - passed}`)) seen += (await events?.read())?.value ?? ''
    expect(seen).toMatch(/^event: proxy\.requests\ndata: \{"at":"[^"]+","workspace":"team","name":"coffee",/m)
    const series = /^sluice_management_proxy_requests_total\{.*name="coffee".*result="rejected"\} (\d+)$/m
    expect(series.exec(await api.metrics())?.[1]).toBe(String(9 - passed))
    // Who has no key is judged by another limit than those of the proxy.
    const data = [{ clientID: 'ann', apiKey: 'a-key-of-ann' }]
    await put({ 'apikey-authn': [{ data }], 'rate-limit': [limiting([{ rate: '1000r/s' }])] })
    await expect.poll(status).toMatchObject({ status: { state: 'SUCCESS', revision: 2 } })
    expect([(await ask()).code, (await ask({ apikey: 'a-key-of-ann' })).code]).toEqual([401, 200])
    await expect.poll(counted).toMatchObject({ ...counts, passed: passed + 1 })
  })

  it('lets clients tell a rejection from an answer of the backend with the same code', async () => {
    const { ask } = await prepare({ 'rate-limit': [limiting([{ rate: '1r/s' }], { rateLimitHeaders: true })] }, 429)
    expect((await ask()).headers['retry-after']).toBeUndefined()
    await expect.poll(async () => (await ask()).headers).toMatchObject({ ratelimit: '"client.ip";r=0;t=1' })
  })

  it('is backed up at work, and publishes what was restored', async () => {
    const { api, folder, flags, put, codes, status } = await prepare({ 'rate-limit': [limiting([{ rate: '1r/s' }])] })
    const sluice = (...args: readonly string[]) => {
      const ended = spawnSync(process.execPath, [PROGRAM, 'api-management', ...args], { cwd: folder, encoding: 'utf8' })
      return `${ended.status} ${ended.stdout}${ended.stderr}`
    }
    expect(sluice('backup', 'a.backup')).toMatch(/^0 [\s\S]*1 proxy/)
    await put({})
    await expect.poll(status).toMatchObject({ status: { state: 'SUCCESS', revision: 2 } })
    expect(sluice('restore', 'a.backup')).toMatch(/^2 sluice: \S+ is in use by another process\n$/)
    await api.stop()
    expect(sluice('restore', 'a.backup')).toMatch(/^0 restored/)
    const again = await start(flags, folder)
    const state = async () => (await call(again, 'GET', `${PROXIES}/coffee`)).status
    await expect.poll(state).toMatchObject({ state: 'SUCCESS', revision: 1 })
    expect(new Set(await codes())).toEqual(new Set([200, 429]))
  })
})

function kill({ pid }: ProcessIdentity): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // A worker whose master is gone.
  }
}
