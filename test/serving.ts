/** `sluice serve …` of the built program as a process of its own: what it says, and how it ends. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

/** The built program. */
export const PROGRAM = resolve('dist/cli.js')

type Line = Readonly<Record<string, unknown>>

/** A server that listens. */
export type Serving = {
  readonly child: ChildProcessByStdio<null, Readable, Readable>
  readonly pid: number
  readonly port: number
  readonly healthPort: number
  /** Lines of its log and texts on stderr so far. */
  readonly log: readonly string[]
  /** The lines of its log so far, and the first one. */
  readonly lines: readonly Line[]
  readonly first: Line
  /** Its standard error so far. */
  said(): string
  readonly ended: Promise<number | null>
  /** The text of `/metrics`. */
  metrics(): Promise<string>
  /** The status of `/readyz`. */
  ready(): Promise<number>
  /** Sends a signal and waits for the end; gives the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

type Surroundings = {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Words before those of the program. */
  readonly before?: readonly string[]
  /** Registers what kills it and its workers, which are then a process group of their own. */
  readonly ends?: (kill: () => void) => void
}

/** Starts one on the loopback interface, and waits until it listens; throws with its log where it ends before. */
export async function serve(what: string, flags: readonly string[], around: Surroundings = {}): Promise<Serving> {
  const { before = [], cwd, env = {}, ends } = around
  const own = [process.execPath, PROGRAM, 'serve', what, '--host', '127.0.0.1']
  const [program = '', ...words] = [...before, ...own, ...flags]
  const options = { cwd, env: { ...process.env, ...env }, detached: ends !== undefined }
  const child = spawn(program, words, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  ends?.(() => endGroup(child.pid))
  const log: string[] = []
  const lines: Line[] = []
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log.push(text)
    stderr += text
  })
  const ended = new Promise<number | null>((done) => child.once('exit', done))
  await new Promise<void>((listening, failed) => {
    createInterface(child.stdout).on('line', (line) => {
      log.push(line)
      if (line.startsWith('{')) lines.push(JSON.parse(line))
      if (line.includes('"msg":"listening"')) listening()
    })
    child.once('close', (code) => failed(new Error(`serve ${what} ended with ${code}: ${log.join('\n')}`)))
  })
  const [first = {}] = lines
  const { port, healthPort } = lines.find(({ msg }) => msg === 'listening') ?? {}
  const health = (path: string) => fetch(`http://127.0.0.1:${healthPort}${path}`)
  return {
    ...{ child, pid: child.pid ?? 0, port: Number(port), healthPort: Number(healthPort), log, lines, first, ended },
    said: () => stderr,
    metrics: async () => (await health('/metrics')).text(),
    ready: async () => (await health('/readyz')).status,
    async stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit')
        child.kill(signal)
        await ended
      }
      return child.exitCode
    },
  }
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {} // It has ended.
}
