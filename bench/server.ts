/** Servers as processes: started, put under load by `wrk`, looked at through /proc, ended. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { median } from './measure.ts'

export const PROGRAM = fileURLToPath(new URL('../dist/cli.js', import.meta.url))

/** A running server; `healthPort` is 0 where it has none. */
export type Server = { readonly child: ChildProcess; readonly port: number; readonly healthPort: number }

export const hasWrk = (): boolean => spawnSync('wrk', ['--version']).error === undefined

/** How the image starts Node: see the Dockerfile. */
const AS_THE_IMAGE = {
  flags: ['--max-semi-space-size=4', '--heap-growing-percent=20', '--no-allocation-site-pretenuring', '--no-maglev'],
  env: { MALLOC_ARENA_MAX: '2' },
}

/** Starts the webhook with further flags, in an environment like that of its image. */
export function startWebhook(log: string, flags: readonly string[]): Promise<Server> {
  const ports = ['--host', '127.0.0.1', '--port', '0', '--health-port', '0']
  const parameters = [...AS_THE_IMAGE.flags, PROGRAM, 'serve', 'admission', ...ports, ...flags]
  return startNode(log, parameters, AS_THE_IMAGE.env)
}

/** Starts a server of Node whose first line tells its ports. */
export async function startNode(
  log: string,
  parameters: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Server> {
  const child = start(process.execPath, parameters, log, env)
  for (const last = Date.now() + 10_000; Date.now() < last; await sleep(5)) {
    const [line, rest] = readFileSync(log, 'utf8').split('\n')
    if (!line || rest === undefined) continue
    const { port, healthPort = 0 } = JSON.parse(line)
    return { child, port, healthPort }
  }
  child.kill()
  throw new Error(`${parameters.join(' ')} does not listen`)
}

/** Starts a program whose output goes to a file. */
export function start(
  program: string,
  parameters: readonly string[],
  log: string,
  env: Readonly<Record<string, string>> = {},
): ChildProcess {
  const file = openSync(log, 'w')
  const child = spawn(program, parameters, { env: { ...process.env, ...env }, stdio: ['ignore', file, 'ignore'] })
  closeSync(file)
  return child
}

/** Ends servers by their own ids, and waits until they are gone. */
export async function stopAll(servers: readonly Pick<Server, 'child'>[]): Promise<void> {
  await Promise.all(
    servers.map(async ({ child }) => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill()
      await gone
    }),
  )
}

/** What a server did under load. */
export type Load = {
  /** Requests in a second. */
  readonly rate: number
  /** Microseconds of processor time that a request cost the server; NaN where there is no /proc. */
  readonly cpu: number
}

/** How long a server is under load. */
export const LOAD_SECONDS = 3

export type LoadOptions = {
  readonly script: string
  readonly path?: string
  readonly seconds?: number
  readonly scheme?: 'http' | 'https'
}

/** Puts a server under load: 16 connections. Throws where an answer was none. */
export function load(
  { child, port }: Server,
  { script, path = '/validate?timeout=10s', seconds = LOAD_SECONDS, scheme = 'https' }: LoadOptions,
): Load {
  const before = processorTime(child.pid)
  const parameters = ['-t1', '-c16', `-d${seconds}s`, '-s', script, `${scheme}://127.0.0.1:${port}${path}`]
  const { stdout } = spawnSync('wrk', parameters, { encoding: 'utf8' })
  const used = processorTime(child.pid) - before
  const [rate, requests] = [/Requests\/sec:\s*([\d.]+)/, /(\d+) requests in/].map((words) => {
    return Number(words.exec(stdout)?.[1])
  })
  if (!rate || !requests || /Non-2xx|Socket errors/.test(stdout)) throw new Error(`wrk says:\n${stdout}`)
  return { rate, cpu: used / requests }
}

/** Measures two servers in turns after one to warm up; medians. */
export function sideBySide(a: () => Load, b: () => Load, runs: number): { readonly a: Load; readonly b: Load } {
  a()
  b()
  const turns = Array.from({ length: runs }, () => ({ a: a(), b: b() }))
  return { a: middle(turns.map((turn) => turn.a)), b: middle(turns.map((turn) => turn.b)) }
}

const middle = (loads: readonly Load[]): Load => ({
  rate: median(loads.map(({ rate }) => rate)),
  cpu: median(loads.map(({ cpu }) => cpu)),
})

/** What stands behind a ratio of two servers. */
export const describeLoads = (a: Load, b: Load): string =>
  `${Math.round(a.rate)} : ${Math.round(b.rate)} requests per second; ${a.cpu.toFixed(0)} : ${b.cpu.toFixed(0)} µs of processor time each`

/** Microseconds: a tick of Linux is a hundredth of a second. */
const TICK = 10_000

/** Microseconds that a process has used so far; NaN where there is no /proc. */
export function processorTime(pid: number | undefined): number {
  const file = join('/proc', String(pid), 'stat')
  if (!existsSync(file)) return Number.NaN
  const fields = (readFileSync(file, 'utf8').split(') ').at(-1) ?? '').split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK
}

/** The processes that a server started. */
export function workersOf({ child: { pid } }: Pick<Server, 'child'>): readonly number[] {
  const file = join('/proc', String(pid), 'task', String(pid), 'children')
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ').map(Number) : []
}

/** Resident memory of a process in bytes, now and at most so far; NaN where there is no /proc. */
export function residentMemory({ pid }: ChildProcess): { readonly now: number; readonly most: number } {
  const file = join('/proc', String(pid), 'status')
  const status = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const bytes = (field: string) => Number(new RegExp(`${field}:\\s*(\\d+) kB`).exec(status)?.[1]) * 1024
  return { now: bytes('VmRSS'), most: bytes('VmHWM') }
}
