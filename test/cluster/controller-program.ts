/** The real `sluice serve controller` as a process. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { PROGRAM } from './program.ts'

/** A running controller. */
export type RunningController = {
  readonly healthPort: number
  readonly pid: number
  /** Its log so far, a line each. */
  readonly log: readonly string[]
  /** The text of `/metrics`. */
  metrics(): Promise<string>
  /** The status of `/readyz`. */
  ready(): Promise<number>
  /** Sends a signal and waits for the end; gives the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** Starts the command with flags; ready means that its port is known. */
export async function startController(flags: readonly string[]): Promise<RunningController> {
  const fixed = ['serve', 'controller', '--host', '127.0.0.1', '--health-port', '0', '--verbose']
  const child = spawn(process.execPath, [PROGRAM, ...fixed, ...flags], { stdio: ['ignore', 'pipe', 'pipe'] })
  const log: string[] = []
  child.stderr.setEncoding('utf8').on('data', (text: string) => log.push(text))
  const healthPort = await new Promise<number>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      log.push(line)
      const { healthPort: port } = JSON.parse(line)
      if (typeof port === 'number') resolve(port)
    })
    child.once('exit', (code) => reject(new Error(`the controller ended with ${code}:\n${log.join('\n')}`)))
  })
  const health = (path: string) => fetch(`http://127.0.0.1:${healthPort}${path}`)
  return {
    healthPort,
    pid: child.pid ?? 0,
    log,
    metrics: async () => (await health('/metrics')).text(),
    ready: async () => (await health('/readyz')).status,
    stop: (signal = 'SIGTERM') => end(child, signal),
  }
}

function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode)
  return new Promise((resolve) => {
    child.once('exit', resolve)
    child.kill(signal)
  })
}
