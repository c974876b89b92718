/**
 * Random bodies of API proxies, rendered and run by a real nginx: for random requests `simulate` counts what nginx logged,
 * by proxy and by limit, and what clients got has the codes that `effective` names.
 *
 * So that no clock decides, nginx gets the rates per minute, and the log is simulated as if it took a sixtieth of the time:
 * within a test the buckets then leak less than one request.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { effective, render, simulate } from '../../../src/browser.ts'
import type { JsonObject } from '../../../src/json/member.ts'
import type { Source } from '../../../src/project/source.ts'
import { freePort } from '../../free-ports.ts'
import { startHttpBackend } from '../backends.ts'
import { countOf, SEED } from '../counts.ts'
import type { NginxProgram } from '../real-nginx.ts'
import { runRendered } from '../rendered.ts'
import { describeNewestNginx, shared } from '../with-nginx.ts'

const REQUESTS = countOf('SLUICE_REQUESTS', 150)

const LIMIT = fc
  .record({
    rate: fc.integer({ min: 1, max: 4 }).map((rate) => `${rate}r/s`),
    rateLimitBy: fc.constantFrom('uri', 'client.ip', 'consumer'),
    zoneSize: fc.constant('1M'),
    burst: fc.option(fc.integer({ min: 1, max: 12 })),
    queue: fc.constantFrom({ noDelay: true }, { noDelay: false }, { delay: 2 }),
  })
  .map(({ burst, queue, ...limit }) => (burst === null ? limit : { ...limit, throttle: { burst, ...queue } }))

const POLICIES = fc
  .record({
    code: fc.constantFrom(429, 503, 418),
    limits: fc.array(fc.array(LIMIT, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 2 }),
  })
  .map(({ code, limits }) => limits.map((all) => ({ action: { returnCode: code, limits: all } })))

const REQUEST = fc.record({
  host: fc.constantFrom('one.example', 'two.example', 'other.example'),
  path: fc.constantFrom('/v1/a', '/v1/a/x', '/v1/a/x?page=2', '/v2/b/y', '/b/y', '/none'),
  client: fc.integer({ min: 1, max: 3 }),
  consumer: fc.constantFrom('red', 'green'),
})

const KEYS = [
  {
    action: { suppliedIn: 'HEADER', apiKeyName: 'x-key' },
    data: ['red', 'green'].map((clientID) => ({ clientID, apiKey: `key-of-${clientID}` })),
  },
]

/** Proxies on two hostnames and on none, with base paths and versions, as files. */
function sourcesOf(policies: readonly (readonly JsonObject[])[], backend: string): readonly Source[] {
  const [hostname = '', port = ''] = backend.split(':')
  const places = [
    { name: 'a', config: { hostname: 'one.example', ingress: { basePath: '/a' } } },
    { name: 'b', version: 'v2', config: { hostname: 'two.example', ingress: { basePath: '/b' } } },
    { name: 'all', config: { ingress: { basePath: '/', basePathVersionAppendRule: 'NONE' } } },
  ]
  return places.map(({ config, ...more }, index) => {
    const backends = [{ serviceTargets: [{ hostname, listener: { port: Number(port) } }] }]
    const rateLimit = policies[index] ?? []
    const proxyConfig = { ...config, backends, policies: { 'apikey-authn': KEYS, 'rate-limit': rateLimit } }
    return { file: `${more.name}.json`, text: JSON.stringify({ ...more, proxyConfig }) }
  })
}

type Asked = { readonly host: string; readonly path: string; readonly client: number; readonly consumer: string }

type Pending = { readonly code: Promise<number | undefined>; giveUp(): void }

/** A request that may be held back for minutes. The code of one that is given up is undefined. */
function ask(port: number, { host, path, client, consumer }: Asked): Pending {
  const headers = { host, 'x-key': `key-of-${consumer}`, 'x-correlation-id': consumer }
  const at = { host: '127.0.0.1', port, path, localAddress: `127.0.0.${client}`, headers, agent: false }
  const outgoing = request(at)
  const code = new Promise<number | undefined>((resolve) => {
    outgoing.once('response', (response) => response.resume().once('end', () => resolve(response.statusCode)))
    outgoing.once('error', () => resolve(undefined)).end()
  })
  return { code, giveUp: () => outgoing.destroy() }
}

/** Milliseconds that the next request waits for an answer. */
const PATIENCE = 100

const LOG_FORMAT =
  '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" "$host" $scheme $server_port $msec $request_time $outcome "$consumer_id"'

type Logged = { readonly start: number; readonly host: string; readonly outcome: string; readonly line: string }

/** Reads a line, and writes it with a time that is a sixtieth of the one since the beginning. */
function readLine(line: string, begin: number): Logged {
  const [, before = '', host = '', middle = '', end = '', took = '', outcome = '', consumer = ''] =
    /^(.*) "([^"]*)" (\S+ \S+) (\S+) (\S+) (\S+) ("[^"]*")$/.exec(line) ?? []
  const start = Math.round((Number(end) - Number(took)) * 1000)
  const at = ((begin + (start - begin) / 60) / 1000).toFixed(3)
  return { start, host, outcome, line: `${before} "${host}" ${middle} ${at} 0.000 ${outcome} ${consumer}` }
}

const resultOf = <Value>(result: { ok: true; value: Value } | { ok: false; problems: unknown }): Value => {
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.value
}

async function logOf(program: NginxProgram, sources: readonly Source[], requests: readonly Asked[]) {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'sluice-apim-simulation-'))
  const settings = { platform: { nginxVersion: program.version } }
  const { apiManagement } = resultOf(
    render(sources, { settings, complete: true, files: true, listen: '127.0.0.1', port: { 80: port } }),
  )
  const files = (apiManagement[0]?.files ?? []).map(({ name, text }) => ({
    name,
    text: text.replace(/ rate=(\d+)r\/s;/g, ' rate=$1r/m;'),
  }))
  const nginx = await runRendered(program, { files }, { folder, port })
  const pending: Pending[] = []
  try {
    for (const one of requests) {
      const last = ask(port, one)
      pending.push(last)
      await Promise.race([last.code, pause(PATIENCE)])
    }
    await pause(10 * PATIENCE)
    for (const { giveUp } of pending) giveUp()
    await expect.poll(() => nginx.requests().length).toBe(requests.length)
    return { lines: nginx.requests(), codes: await Promise.all(pending.map(({ code }) => code)) }
  } finally {
    await nginx.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const count = <Item>(items: readonly Item[], test: (item: Item) => boolean): number => items.filter(test).length

describeNewestNginx('the proxies of random bodies', (program) => {
  const backend = shared(startHttpBackend, ({ stop }) => stop())

  test('simulate has the verdicts of nginx', { timeout: 300_000 }, async () => {
    const proxies = fc.tuple(POLICIES, POLICIES, POLICIES)
    const requests = fc.array(REQUEST, { minLength: REQUESTS, maxLength: REQUESTS })
    for (const [policies, asked] of fc.sample(fc.tuple(proxies, requests), { numRuns: 3, seed: SEED })) {
      const sources = sourcesOf(policies, backend().address)
      const { lines, codes } = await logOf(program, sources, asked)
      const begin = Math.min(...lines.map((line) => readLine(line, 0).start))
      const logged = lines.map((line) => readLine(line, begin)).sort((a, b) => a.start - b.start)
      const log = logged.map(({ line }) => `${line}\n`).join('')
      const report = resultOf(simulate(sources, { log, logFormat: LOG_FORMAT }, { top: 1000 }))
      const hosts = { a: 'one.example', b: 'two.example', all: 'other.example' } as const
      const expected = Object.entries(hosts).map(([name, host]) => {
        const here = logged.filter((one) => one.host === host)
        const [passed, delayed, rejected] = ['PASSED', 'DELAYED', 'REJECTED'].map((outcome) =>
          count(here, (one) => one.outcome === outcome),
        )
        return { name, passed, delayed, rejected }
      })
      const simulated = Object.keys(hosts).map((name) => {
        const found = report.routes.find((one) => one.name === name || one.name.startsWith(`${name}@`))
        return { name, passed: found?.passed ?? 0, delayed: found?.delayed ?? 0, rejected: found?.rejected ?? 0 }
      })
      expect({ seed: SEED, simulated }).toEqual({ seed: SEED, simulated: expected })
      expect(report.totals.unmatched).toBe(count(logged, ({ outcome }) => outcome === '-'))
      expect(report.totals.rejected).toBeGreaterThan(0)
      for (const [name, host] of Object.entries(hosts)) {
        const limits = resultOf(effective(sources, `Proxy/${name}`)).limits
        const rejected = expected.find((one) => one.name === name)?.rejected ?? 0
        const wanted = count(codes, (code) => code === limits[0]?.returnCode)
        const got = codes.filter((code, index) => asked[index]?.host === host && code === limits[0]?.returnCode)
        expect(wanted).toBeGreaterThanOrEqual(rejected)
        expect(got).toHaveLength(rejected)
      }
    }
  })
})
