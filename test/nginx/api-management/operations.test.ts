/** What operators of the management API need, with a real nginx: counts, headers on refusals, backups. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { JsonObject } from '../../../src/json/member.ts'
import { createFolder } from '../../files/folder.ts'
import { freePort } from '../../free-ports.ts'
import { fetchAsAdmin, type RunningApi, startApiManagement } from '../../servers/api-management/program.ts'
import { startHttpBackend } from '../backends.ts'
import { describeNewestNginx } from '../with-nginx.ts'
import { askAt, backendAt, limiting } from './serving.ts'

const PROXIES = '/services/workspaces/team/proxies'
type Status = { readonly revision: number; readonly requests?: object }
const MAIN = join(import.meta.dirname, '../../../dist/cli.js')

describeNewestNginx('an operator', (program) => {
  /** A server whose proxy `coffee` has limits, and how many requests are sent to it. */
  async function prepare(action: JsonObject, code = 200) {
    const [folder, port, backend] = [createFolder(), await freePort(), await startHttpBackend(code)]
    onTestFinished(backend.stop)
    const nginx = ['--nginx-dir', 'nginx', '--nginx-bin', program.path, '--nginx-port', String(port), '--stop-nginx']
    const start = async () => {
      const api = await startApiManagement(['--plain-http', ...nginx], folder)
      onTestFinished(async () => void (await api.stop('SIGTERM')))
      return api
    }
    const call = async (api: RunningApi, method: string, path: string, body?: object) =>
      await fetchAsAdmin(api.url + path, {
        ...{ method, headers: { 'content-type': 'application/json' }, body: body ? JSON.stringify(body) : null },
      })
    const statusIn = async (response: Response) => ((await response.json()) as { readonly status: Status }).status
    const status = async (api: RunningApi) => await statusIn(await call(api, 'GET', `${PROXIES}/coffee`))
    const put = async (api: RunningApi, policies: object) => {
      const ingress = { basePath: '/coffee', basePathVersionAppendRule: 'NONE' }
      const proxyConfig = { ingress, backends: [backendAt(backend.address)], policies }
      const { revision } = await statusIn(await call(api, 'PUT', `${PROXIES}/coffee`, { proxyConfig }))
      await expect.poll(() => status(api)).toMatchObject({ state: 'SUCCESS', revision })
    }
    const api = await start()
    await call(api, 'POST', '/services/workspaces', { name: 'team' })
    await put(api, { 'rate-limit': [limiting([{ rate: '1r/s' }], action)] })
    const ask = (headers = {}) => askAt({ port, headers }, '/coffee')
    return { folder, api, start, call, status, put, ask }
  }

  it('sees how many requests were passed, delayed and rejected, in status, metrics and events', async () => {
    const { api, call, status, put, ask } = await prepare({})
    const events = (await call(api, 'GET', '/events')).body?.pipeThrough(new TextDecoderStream()).getReader()
    onTestFinished(() => events?.cancel())
    const codes = await Promise.all(Array.from({ length: 9 }, async () => (await ask()).code))
    const passed = codes.filter((code) => code === 200).length
    const counts = { passed, delayed: 0, rejected: 9 - passed, delayedDryRun: 0, rejectedDryRun: 0 }
    await expect.poll(async () => (await status(api)).requests).toMatchObject(counts)
    let seen = ''
    while (!seen.includes(`"rejected":${9 - passed}`)) seen += (await events?.read())?.value ?? ''
    expect(seen).toMatch(/^event: proxy\.requests\ndata: \{"at":"[^"]+","workspace":"team","name":"coffee",/m)
    const metrics = await (await fetch(`http://127.0.0.1:${api.healthPort}/metrics`)).text()
    expect(metrics).toMatch(
      new RegExp(`^sluice_management_proxy_requests_total\\{.*name="coffee".*result="rejected"\\} ${9 - passed}$`, 'm'),
    )
    // Who has no key is judged by another limit than those of the proxy.
    const data = [{ clientID: 'ann', apiKey: 'a-secret-key-of-ann' }]
    const keys = { 'apikey-authn': [{ action: { suppliedIn: 'HEADER', apiKeyName: 'apikey' }, data }] }
    await put(api, { ...keys, 'rate-limit': [limiting([{ rate: '1000r/s' }])] })
    expect((await ask()).code).toBe(401)
    expect((await ask({ apikey: 'a-secret-key-of-ann' })).code).toBe(200)
    await expect.poll(async () => (await status(api)).requests).toMatchObject({ ...counts, passed: passed + 1 })
  })

  it('lets clients tell a refusal from an answer with the same code', async () => {
    const { ask } = await prepare({ rateLimitHeaders: true }, 429)
    expect((await ask()).headers['retry-after']).toBeUndefined()
    await expect.poll(async () => (await ask()).headers).toMatchObject({ ratelimit: '"client.ip";r=0;t=1' })
  })

  it('tries limits in a dry run, which counts and rejects nothing', async () => {
    const { api, status, ask } = await prepare({ dryRun: true, rateLimitHeaders: true })
    const answers = await Promise.all(Array.from({ length: 9 }, () => ask()))
    expect(answers.map(({ code, headers }) => [code, headers['retry-after']])).toEqual(Array(9).fill([200, undefined]))
    const isAll = ({ requests }: { readonly requests?: Record<string, number> }) =>
      (requests?.rejectedDryRun ?? 0) > 0 && (requests?.passed ?? 0) + (requests?.rejectedDryRun ?? 0) === 9
    await expect.poll(async () => isAll(Object(await status(api)))).toBe(true)
    expect(await status(api)).toMatchObject({ dryRun: true, requests: { rejected: 0, delayed: 0 } })
  })

  it('backs up a server at work, and the server of the restored store publishes it', async () => {
    const { folder, api, start, put, status, ask } = await prepare({})
    const sluice = (...args: readonly string[]) => {
      const {
        status: code,
        stdout,
        stderr,
      } = spawnSync(process.execPath, [MAIN, 'api-management', ...args], {
        ...{ cwd: folder, encoding: 'utf8' },
      })
      return `${code} ${stdout}${stderr}`
    }
    expect(sluice('backup', 'a.backup')).toMatch(/^0 [\s\S]*1 proxy/)
    await put(api, {})
    expect(sluice('restore', 'a.backup')).toMatch(/^2 sluice: \S+ is in use by another process\n$/)
    await api.stop('SIGTERM')
    expect(sluice('restore', 'a.backup')).toMatch(/^0 restored/)
    const again = await start()
    await expect.poll(() => status(again)).toMatchObject({ state: 'SUCCESS', revision: 1 })
    const codes = await Promise.all(Array.from({ length: 9 }, async () => (await ask()).code))
    expect(new Set(codes)).toEqual(new Set([200, 429]))
  })
})
