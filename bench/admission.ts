/** The webhook under load, beside a server that only echoes: `wrk`, 16 connections, one update review. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median } from './measure.ts'

const PROGRAM = fileURLToPath(new URL('../dist/cli.js', import.meta.url))
const ECHO = fileURLToPath(new URL('./echo-server.ts', import.meta.url))
const SECONDS = 3

/** Requests in a second, medians of turns. */
export type Rates = { readonly webhook: number; readonly echo: number }

type Server = { readonly child: ChildProcess; readonly port: number }

/** Measures both in turns after one to warm up; undefined where there is no `wrk`. */
export function webhookAndEcho(folder: string, runs: number): Rates | undefined {
  if (spawnSync('wrk', ['--version']).error) return undefined
  const script = join(folder, 'review.lua')
  writeFileSync(script, luaOf(REVIEW))
  const flags = ['serve', 'admission', '--standalone', '--host', '127.0.0.1', '--port', '0', '--health-port', '0']
  const servers: Server[] = []
  try {
    const webhook = start(join(folder, 'webhook.log'), [PROGRAM, ...flags])
    servers.push(webhook)
    const echo = start(join(folder, 'echo.log'), [ECHO])
    servers.push(echo)
    const turn = () => ({ webhook: load(webhook.port, script), echo: load(echo.port, script) })
    turn()
    const turns = Array.from({ length: runs }, turn)
    return { webhook: median(turns.map((one) => one.webhook)), echo: median(turns.map((one) => one.echo)) }
  } finally {
    for (const { child } of servers) child.kill()
  }
}

/** Starts a server of Node whose first line tells its port. */
function start(log: string, parameters: readonly string[]): Server {
  const child = spawn(process.execPath, parameters, { stdio: ['ignore', openSync(log, 'w'), 'ignore'] })
  for (let attempt = 0; attempt < 100; attempt++) {
    const [line, rest] = readFileSync(log, 'utf8').split('\n')
    if (line && rest !== undefined) return { child, port: Number(JSON.parse(line).port) }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
  }
  child.kill()
  throw new Error(`${parameters.join(' ')} does not listen`)
}

/** Requests in a second. Throws where an answer was none. */
function load(port: number, script: string): number {
  const parameters = ['-t1', '-c16', `-d${SECONDS}s`, '-s', script, `https://127.0.0.1:${port}/validate`]
  const { stdout } = spawnSync('wrk', parameters, { encoding: 'utf8' })
  const rate = Number(/Requests\/sec:\s*([\d.]+)/.exec(stdout)?.[1])
  if (!(rate > 0) || /Non-2xx|Socket errors/.test(stdout)) throw new Error(`wrk says:\n${stdout}`)
  return rate
}

const luaOf = (review: object): string =>
  `wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\nwrk.body = [==[${JSON.stringify(review)}]==]\n`

const POLICY = {
  apiVersion: 'gateway.nginx.org/v1alpha1',
  kind: 'RateLimitPolicy',
  metadata: {
    name: 'coffee',
    namespace: 'shop',
    uid: '0f4b5cf7-2c5f-4a3b-9f0e-3f0a0a9c6a11',
    resourceVersion: '48151',
    creationTimestamp: '2026-01-01T00:00:00Z',
    annotations: { 'example.com/owner': 'a team of the shop '.repeat(14) },
  },
  spec: {
    targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'coffee' }],
    rateLimit: {
      rejectCode: 429,
      local: {
        rules: [
          { key: '$binary_remote_addr', rate: '10r/s', zoneSize: '10m', burst: 20, noDelay: true },
          { key: '$binary_remote_addr$uri', rate: '5r/s', zoneSize: '10m', burst: 10 },
        ],
      },
    },
  },
}

/** An update that changes nothing, of about 2 kB. */
const REVIEW = {
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: {
    uid: '705ab4f5-6393-11e8-b7cc-42010a800002',
    kind: { group: 'gateway.nginx.org', version: 'v1alpha1', kind: 'RateLimitPolicy' },
    operation: 'UPDATE',
    namespace: 'shop',
    name: 'coffee',
    userInfo: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
    object: POLICY,
    oldObject: POLICY,
    dryRun: false,
  },
}
