/** `sluice serve …` of the built program as a process of its own: what it says, and how it ends. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'

/** The built program. */
export const PROGRAM = resolve('dist/cli.js')

/** A server that listens. */
export type Serving = {
  readonly pid: number
  readonly port: number
  readonly healthPort: number
  /** Lines of its log and texts on stderr so far. */
  readonly log: readonly string[]
  /** The text of `/metrics`. */
  metrics(): Promise<string>
  /** The status of `/readyz`. */
  ready(): Promise<number>
  /** Sends a signal and waits for the end; gives the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

type Surroundings = {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Words before those of the program. */
  readonly before?: readonly string[]
}

/** Starts one on the loopback interface, and waits until it listens; throws with its log where it ends before. */
export async function serve(what: string, flags: readonly string[], around: Surroundings = {}): Promise<Serving> {
  const { before = [], cwd, env = {} } = around
  const [program = '', ...words] = [
    ...before,
    process.execPath,
    PROGRAM,
    'serve',
    what,
    '--host',
    '127.0.0.1',
    ...flags,
  ]
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], cwd, env: { ...process.env, ...env } })
  const log: string[] = []
  child.stderr.setEncoding('utf8').on('data', (text: string) => log.push(text))
  const { port, healthPort } = await new Promise<{ readonly port: number; readonly healthPort: number }>(
    (listening, failed) => {
      createInterface(child.stdout).on('line', (line) => {
        log.push(line)
        if (line.includes('"msg":"listening"')) listening(JSON.parse(line))
      })
      child.once('exit', (code) => failed(new Error(`serve ${what} ended with ${code}:\n${log.join('\n')}`)))
    },
  )
  const health = (path: string) => fetch(`http://127.0.0.1:${healthPort}${path}`)
  return {
    ...{ pid: child.pid ?? 0, port, healthPort, log },
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
