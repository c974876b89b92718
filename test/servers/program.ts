/** The built program as a server: started, spoken to over TLS, ended. `npm test` builds it before. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { request } from 'node:https'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { connect } from 'node:tls'
import { onTestFinished } from 'vitest'
import { createFolder } from '../files/folder.ts'
import { reviewOf } from './reviews.ts'

const CLI = resolve('dist/cli.js')
export const HOST = '127.0.0.1'

type Line = Readonly<Record<string, unknown>>

/** The program as a process that listens. */
export type Program = {
  readonly child: ChildProcessWithoutNullStreams
  /** The first line of its log. */
  readonly first: Line
  /** The log so far. */
  readonly lines: readonly Line[]
  /** Its standard error so far. */
  said(): string
  readonly ended: Promise<number | null>
}

export type Webhook = Program & { readonly port: number; readonly healthPort: number }

/** Each has a process group of its own, with its workers. */
function endGroup({ pid }: ChildProcessWithoutNullStreams): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {} // It has ended.
}

/** Starts `sluice serve` on free ports, in an environment without a cluster. It is killed after the test. */
export async function startProgram(
  [server = '', ...flags]: readonly string[],
  cwd = createFolder(),
  more: Readonly<Record<string, string>> = {},
): Promise<Program> {
  const own = ['serve', server, '--port', '0', '--health-port', '0']
  const { KUBERNETES_SERVICE_HOST: _, ...env } = process.env
  const child = spawn(process.execPath, [CLI, ...own, ...flags], { cwd, env: { ...env, ...more }, detached: true })
  onTestFinished(() => endGroup(child))
  const lines: Line[] = []
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const ended = new Promise<number | null>((done) => child.once('exit', done))
  const first = await new Promise<Line>((done, failed) => {
    createInterface(child.stdout).on('line', (line) => {
      lines.push(JSON.parse(line))
      if (lines[0]) done(lines[0])
    })
    void ended.then((code) => failed(new Error(`ended with ${code}: ${stderr}`)))
  })
  return { child, first, lines, said: () => stderr, ended }
}

/** Starts the webhook. */
export async function start(
  flags: readonly string[],
  cwd?: string,
  more?: Readonly<Record<string, string>>,
): Promise<Webhook> {
  const program = await startProgram(['admission', '--host', HOST, ...flags], cwd, more)
  const { port, healthPort } = program.first
  return { ...program, port: Number(port), healthPort: Number(healthPort) }
}

/** Sends a review over a connection of its own. */
export function validate({ port }: Webhook, ca: string, object: unknown): Promise<{ response: { allowed: boolean } }> {
  return new Promise((done, failed) => {
    const headers = { 'content-type': 'application/json' }
    request(
      { host: HOST, servername: 'localhost', port, ca, path: '/validate', method: 'POST', headers, agent: false },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
        })
        response.on('end', () => done(JSON.parse(text)))
      },
    )
      .on('error', failed)
      .end(JSON.stringify(reviewOf({ object })))
  })
}

export const metricsOf = async ({ healthPort }: Webhook) => (await fetch(`http://${HOST}:${healthPort}/metrics`)).text()

export const serialOf = ({ port }: Webhook, ca: string) =>
  new Promise<string>((done, failed) => {
    const socket = connect({ host: HOST, servername: 'localhost', port, ca }, () => {
      done(socket.getPeerCertificate().serialNumber)
      socket.end()
    }).on('error', failed)
  })

/** The authority of a certificate that the server made for itself; undefined before it has printed that. */
export function authorityOf({ said }: Webhook): string | undefined {
  const encoded = /caBundle: (\S+)/.exec(said())?.[1]
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString()
}
