/**
 * The replay of a large access log: `sluice simulate` against the shortest gawk program that reads the same file.
 * `node bench/replay.ts [--lines N] [--runs N] [--threads N] [--keep FILE] [--overflow]` measures by itself.
 */

import { spawnSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Command, compare, peakMemory } from './measure.ts'
import { createRandom } from './random.ts'
import { type Measured, notMeasured, type Suite } from './suite.ts'

const PROGRAM = fileURLToPath(new URL('../dist/cli.js', import.meta.url))
const COUNT_CLIENTS = '{n[$1]++} END{for(k in n) print k,n[k]}'
const SEED = 20_260_802
const CLIENTS = 200_000
/** Seconds of traffic. */
const SPAN = 3600
const MEGABYTE = 1_000_000

/** What the log is like. */
export type ReplayLog = { readonly lines: number; readonly clients?: number; readonly seed?: number }

const PATHS = ['/', '/coffee', '/coffee/dark?size=large', '/tea', '/api/v1/orders', '/api/v1/items/7', '/static/app.js']
const AGENTS = ['curl/8.5.0', 'Mozilla/5.0 (X11; Linux)', 'okhttp/4.12.0', 'Go-http-client/1.1']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Writes an access log in combined format: about a hundred bytes a line, a few clients busy, most of them rare. */
export function writeReplayLog(file: string, { lines, clients = CLIENTS, seed = SEED }: ReplayLog): void {
  const random = createRandom(seed)
  const descriptor = openSync(file, 'w')
  const start = Date.UTC(2026, 7, 1, 12)
  let text = ''
  let [second, time] = [-1, '']
  for (let line = 0; line < lines; line += 1) {
    const now = Math.floor((line / lines) * SPAN)
    if (now !== second) {
      second = now
      time = timeLocal(new Date(start + now * 1000))
    }
    const client = Math.floor(random.below(2) === 0 ? random.below(clients) : random.below(1000) ** 2 * (clients / 1e6))
    const address = `${10 + (client >> 16)}.${(client >> 8) & 255}.${client & 255}.${(client * 7) % 254}`
    const size = random.below(50_000)
    text += `${address} - - [${time}] "GET ${random.pick(PATHS)} HTTP/1.1" 200 ${size} "-" "${random.pick(AGENTS)}"\n`
    if (text.length > MEGABYTE) {
      writeSync(descriptor, text)
      text = ''
    }
  }
  writeSync(descriptor, text)
  closeSync(descriptor)
}

const two = (number: number): string => String(number).padStart(2, '0')
const timeLocal = (date: Date): string =>
  `${two(date.getUTCDate())}/${MONTHS[date.getUTCMonth()]}/${date.getUTCFullYear()}:${date.toISOString().slice(11, 19)} +0000`

/** What differs in the limit of the Gateway. */
export type ReplayLimit = { readonly rate?: string; readonly burst?: number; readonly zoneSize?: string }

/** Most requests of busy clients are rejected, and rare clients are evicted all the time. */
export const OVERFLOWING: ReplayLimit = { rate: '1r/m', burst: 0, zoneSize: '4m' }

/** Manifests with a limit for every client at the Gateway, and a second one for a part of the paths. */
export function writeReplayManifests(folder: string, limit: ReplayLimit = {}): void {
  mkdirSync(folder, { recursive: true })
  const object = (apiVersion: string, kind: string, name: string, spec: object) =>
    JSON.stringify({ apiVersion, kind, metadata: { name, namespace: 'shop' }, spec })
  const route = (name: string, value: string) =>
    object('gateway.networking.k8s.io/v1', 'HTTPRoute', name, {
      parentRefs: [{ name: 'edge' }],
      rules: [{ matches: [{ path: { type: 'PathPrefix', value } }] }],
    })
  const policy = (name: string, kind: string, rule: object) =>
    object('gateway.nginx.org/v1alpha1', 'RateLimitPolicy', name, {
      targetRefs: [{ group: 'gateway.networking.k8s.io', kind, name }],
      rateLimit: { local: { rules: [{ key: '$binary_remote_addr', zoneSize: '32m', ...rule }] } },
    })
  const listeners = [{ name: 'http', port: 80, protocol: 'HTTP' }]
  const objects = [
    object('gateway.networking.k8s.io/v1', 'Gateway', 'edge', { gatewayClassName: 'nginx', listeners }),
    route('web', '/'),
    route('api', '/api'),
    policy('edge', 'Gateway', { rate: '10r/s', burst: 20, noDelay: true, ...limit }),
    policy('api', 'HTTPRoute', { rate: '30r/m', burst: 5, ...limit }),
  ]
  writeFileSync(join(folder, 'shop.yaml'), `${objects.join('\n---\n')}\n`)
}

/** Seconds of the replay and of gawk, their ratio, and the most memory of the replay in bytes. */
export type ReplayFigures = {
  readonly replay: number
  readonly gawk: number
  readonly ratio: number
  readonly bytes: number
}

/** Measures in turns; undefined where gawk is not installed. */
export function measureReplay(
  log: string,
  manifests: string,
  runs: number,
  threads?: string,
): ReplayFigures | undefined {
  if (spawnSync('gawk', ['--version']).status !== 0) return undefined
  const more = threads === undefined ? [] : ['--threads', threads]
  const parameters = ['simulate', manifests, '--log', log, '--format', 'json', ...more]
  const replay: Command = { program: process.execPath, parameters: [PROGRAM, ...parameters] }
  const { a, b, ratio } = compare(replay, { program: 'gawk', parameters: [COUNT_CLIENTS, log] }, runs)
  return { replay: a, gawk: b, ratio, bytes: peakMemory(PROGRAM, parameters, Math.min(runs, 3)) }
}

const BAR = 0.6
const MOST_MEMORY = 300 * MEGABYTE

/** Suites of `npm run bench`: zones with room for all clients, and zones that overflow under a low rate. */
export const REPLAY_SUITES: readonly Suite[] = [
  {
    name: 'replay',
    what: 'replay of a combined log of 5 million lines, 200,000 clients : gawk that counts them',
    bar: BAR.toFixed(1),
    measure: (folder, runs) => replaySuite(folder, runs, {}),
  },
  {
    name: 'replay-overflow',
    what: 'the same with a low rate and zones that are too small : gawk',
    bar: BAR.toFixed(1),
    measure: (folder, runs) => replaySuite(folder, runs, OVERFLOWING),
  },
]

function replaySuite(folder: string, runs: number, limit: ReplayLimit): Measured {
  const [log, manifests] = [join(folder, 'access.log'), join(folder, 'k8s')]
  writeReplayLog(log, { lines: 5_000_000 })
  writeReplayManifests(manifests, limit)
  const figures = measureReplay(log, manifests, runs)
  if (!figures) return notMeasured('gawk is not installed')
  const { replay, gawk, ratio, bytes } = figures
  const memory = `${Math.round(bytes / MEGABYTE)} MB`
  return {
    figure: ratio.toFixed(2),
    kept: ratio <= BAR && bytes <= MOST_MEMORY,
    details: `${replay.toFixed(2)} s : ${gawk.toFixed(2)} s, ${memory} of memory (at most ${MOST_MEMORY / MEGABYTE})`,
  }
}

function main(): void {
  const options = {
    lines: { type: 'string' },
    runs: { type: 'string' },
    threads: { type: 'string' },
    keep: { type: 'string' },
    overflow: { type: 'boolean' },
  } as const
  const { values } = parseArgs({ options })
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-replay-'))
  try {
    const log = values.keep ?? join(folder, 'access.log')
    if (!existsSync(log)) writeReplayLog(log, { lines: Number(values.lines ?? 5_000_000) })
    writeReplayManifests(join(folder, 'k8s'), values.overflow ? OVERFLOWING : {})
    const figures = measureReplay(log, join(folder, 'k8s'), Number(values.runs ?? 3), values.threads)
    const megabytes = (bytes: number) => `${Math.round(bytes / MEGABYTE)} MB`
    if (!figures) console.error('gawk is not installed')
    else
      console.log(
        `${megabytes(statSync(log).size)}: replay ${figures.replay.toFixed(2)} s, gawk ${figures.gawk.toFixed(2)} s, ` +
          `ratio ${figures.ratio.toFixed(2)}, memory ${megabytes(figures.bytes)}`,
      )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main()
