/** A small shop with a log, in a folder of its own, and `sluice simulate` run there. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { sluice } from '../cli/run.ts'

/** The folder; made before a file's tests and gone after them. */
export let cwd: string

/** Call it at the top of a file of tests: makes the shop. */
export function createShop(): void {
  beforeAll(() => {
    cwd = mkdtempSync(join(tmpdir(), 'sluice-simulate-'))
    write('k8s/gateway.yaml', GATEWAY)
    write('k8s/routes.yaml', ROUTES)
    write(
      'k8s/limits.yaml',
      policy('coffee', ['HTTPRoute', 'coffee'], '{key: $binary_remote_addr, rate: 1r/s, burst: 1}'),
    )
    write('access.log', LOG)
  })
  afterAll(() => rmSync(cwd, { recursive: true }))
}

/** Writes a file of the shop. */
export function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(cwd, path)), { recursive: true })
  writeFileSync(join(cwd, path), content)
}

export const GATEWAY = `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: edge, namespace: shop}
spec:
  gatewayClassName: nginx
  listeners: [{name: http, port: 80, protocol: HTTP}]
`
const route = (name: string, path: string, rest = '') => `
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: ${name}, namespace: shop}
spec:
  parentRefs: [{name: edge}]
  ${rest}
  rules: [{matches: [{path: {type: PathPrefix, value: ${path}}}]}]
---`
export const ROUTES = route('coffee', '/coffee') + route('tea', '/tea')
export const policy = (name: string, [kind, target]: readonly [string, string], limits: string, settings = '') => `
apiVersion: gateway.nginx.org/v1alpha1
kind: RateLimitPolicy
metadata: {name: ${name}, namespace: shop}
spec:
  targetRefs: [{group: gateway.networking.k8s.io, kind: ${kind}, name: ${target}}]
  rateLimit: {${settings} local: {rules: [${limits}]}}
---`

export const line = (address: string, second: number, request: string) =>
  `${address} - - [05/Jan/2026:12:00:${String(second).padStart(2, '0')} +0000] "${request}" 200 12 "-" "curl/8.5.0"\n`
/** Two clients: one comes once a second, the other four times at once. */
export const LOG = [
  line('10.0.0.1', 0, 'GET /coffee HTTP/1.1'),
  line('10.0.0.2', 0, 'GET /coffee/dark HTTP/1.1'),
  line('10.0.0.2', 0, 'GET /coffee/dark HTTP/1.1'),
  line('10.0.0.2', 0, 'GET /coffee/dark HTTP/1.1'),
  line('10.0.0.2', 0, 'GET /coffee/dark HTTP/1.1'),
  line('10.0.0.1', 1, 'GET /tea HTTP/1.1'),
  line('10.0.0.1', 2, 'GET /water HTTP/1.1'),
  line('10.0.0.1', 3, '-'),
].join('')

export const run = (argv: string, options: { stdin?: string | Iterable<Uint8Array>; columns?: number } = {}) =>
  sluice(['simulate', ...argv.split(' ').filter((word) => word !== '')], { cwd, ...options })

/** The report as JSON; `more` are words that may have spaces in them. */
export async function json(argv: string, stdin?: Iterable<Uint8Array>, more: readonly string[] = []) {
  const words = [...argv.split(' '), ...more, '--format', 'json'].filter((word) => word !== '')
  const { stdout, stderr, code } = await sluice(['simulate', ...words], { cwd, ...(stdin ? { stdin } : {}) })
  if (code !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}
