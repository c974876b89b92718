/** A redirect on port 80 beside the site on 443: `sluice simulate` counts what a real nginx refuses on each. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/member.ts'
import type { SimulationReport } from '../../src/simulate/report/report.ts'
import { sluice } from '../cli/run.ts'
import { createFolder } from '../files/folder.ts'
import { gateway, perClient, policy, route } from '../gateway/objects.ts'
import { casesOf } from '../support/cases.ts'
import { statusByTls } from './requests.ts'
import { running } from './running-gateway.ts'
import { describeNewestNginx } from './with-nginx.ts'

const { cases } = casesOf(import.meta.url)

const SHOP = gateway('shop', [
  { name: 'http', port: 80, protocol: 'HTTP' },
  { name: 'https', port: 443, protocol: 'HTTPS' },
])
const ROUTES = Object.entries(cases<Record<string, JsonObject>>('ROUTES')).map(([name, spec]) => route(name, spec))
const POLICIES = [policy('site', { on: ['HTTPRoute site'], limits: [perClient('1r/m', { burst: 10, noDelay: true })] })]
const FORMAT =
  '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" "$host" $scheme $server_port $msec $request_time $limit_req_status'

describeNewestNginx('a redirect beside the site', (program) => {
  const now = running(program, { gateway: SHOP, routes: ROUTES, policies: POLICIES })
  const folder = createFolder({}, afterAll)

  const simulate = async (lines: readonly string[], ...flags: readonly string[]): Promise<SimulationReport> => {
    const items = [SHOP, ...ROUTES, ...POLICIES].map(({ object }) => object)
    mkdirSync(join(folder, 'manifests'), { recursive: true })
    writeFileSync(join(folder, 'manifests/shop.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
    writeFileSync(join(folder, 'access.log'), lines.map((line) => `${line}\n`).join(''))
    const all = ['simulate', 'manifests', '--log', 'access.log', ...flags, '--format', 'json']
    const { code, stdout, stderr } = await sluice(all, { cwd: folder })
    expect(code, stderr).toBe(0)
    return JSON.parse(stdout)
  }

  test('is counted as nginx logged it, with and without the port in the log', async () => {
    const seen: number[] = []
    for (let count = 0; count < 20; count += 1) {
      seen.push((await now().get('/')).code)
      seen.push(await statusByTls(now().tlsPort))
    }
    expect(seen.filter((code) => code === 301)).toHaveLength(20)
    expect(seen.filter((code) => code === 503)).toHaveLength(9)
    await expect.poll(() => now().nginx.requests().length).toBe(40)
    const lines = now().nginx.requests()

    const report = await simulate(lines, '--log-format', FORMAT)
    expect(report.totals).toMatchObject({ requests: 40, passed: 31, rejected: 9, unmatched: 0 })
    expect(report.routes).toMatchObject(
      cases<object>('is counted as nginx logged it, with and without the port in the log'),
    )
    expect(report.warnings.filter((text) => text.includes('server_port'))).toEqual([])

    const combined = lines.flatMap((line) => /^.*?" \d+ \d+ "[^"]*" "[^"]*"/.exec(line)?.[0] ?? [])
    const ofSite = combined.filter((line) => !line.includes('" 301 '))
    const guessed = await simulate(ofSite)
    expect(guessed.totals).toMatchObject({ requests: 20, passed: 11, rejected: 9 })
    expect(guessed.warnings).toContainEqual(
      expect.stringContaining('20 requests match on several of them, and are taken to come to one where the route'),
    )
    expect((await simulate(ofSite, '--set', 'server_port=80')).totals).toMatchObject({ passed: 20, rejected: 0 })
  })
})
