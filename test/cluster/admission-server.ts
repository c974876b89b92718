/** The real `sluice serve admission` as a process, and the shipped webhook configurations pointing at it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { load } from 'js-yaml'
import { findFaketime } from '../../scripts/provide.ts'
import { createAuthority, issueServing } from '../../src/http/authority.ts'
import type { TlsMaterial } from '../../src/http/listen.ts'
import type { Kubectl } from './kubectl.ts'
import { must } from './kubectl.ts'

const ROOT = join(import.meta.dirname, '../..')
/** Runs the command line from its sources: `node -e START sluice COMMAND`. */
export const START = `import(${JSON.stringify(join(ROOT, 'src/cli/process.ts'))}).then(({ runProcess }) => runProcess())`

/** A running webhook. */
export type AdmissionServer = {
  readonly port: number
  readonly healthPort: number
  /** Its log so far, a line each. */
  readonly log: readonly string[]
  /** The text of `/metrics`. */
  metrics(): Promise<string>
  /** True where every watch is synced. */
  isSynced(): Promise<boolean>
  /** The status of `/readyz`. */
  ready(): Promise<number>
  /** Sends a signal and waits for the end; gives the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** What a start may choose. */
export type Start = {
  /** By default a free one. */
  readonly port?: number
  /** Seconds by which the clock of the process goes before that of the machine. */
  readonly clock?: number
}

/** Starts the command with flags; ready means that its ports are known. */
export async function startAdmission(
  flags: readonly string[],
  { port = 0, clock }: Start = {},
): Promise<AdmissionServer> {
  const fixed = ['--host', '127.0.0.1', '--port', String(port), '--health-port', '0']
  const child = spawn(process.execPath, ['-e', START, 'sluice', 'serve', 'admission', ...fixed, ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...(clock === undefined ? {} : movedClock(clock)) },
  })
  const log: string[] = []
  child.stderr.setEncoding('utf8').on('data', (text: string) => log.push(text))
  const ports = await new Promise<{ port: number; healthPort: number }>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      log.push(line)
      const { port, healthPort } = JSON.parse(line)
      if (typeof port === 'number') resolve({ port, healthPort })
    })
    child.once('exit', (code) => reject(new Error(`the webhook ended with ${code}:\n${log.join('\n')}`)))
  })
  const health = (path: string) => fetch(`http://127.0.0.1:${ports.healthPort}${path}`)
  const metrics = async () => (await health('/metrics')).text()
  return {
    ...ports,
    log,
    metrics,
    isSynced: async () => /^sluice_watches_synced 1$/m.test(await metrics()),
    ready: async () => (await health('/readyz')).status,
    stop: (signal = 'SIGTERM') => end(child, signal),
  }
}

/** True where a process can have another clock; under CI it must. */
export const hasOtherClocks = findFaketime() !== undefined || process.env.CI !== undefined

/** Moves the clock of a process by some seconds; how long things last stays true. */
function movedClock(seconds: number): Record<string, string> {
  const library = findFaketime()
  if (library === undefined) throw new Error('libfaketime is missing; `node scripts/provide.ts` provides it')
  const moved = `${seconds < 0 ? '' : '+'}${seconds}s`
  return { LD_PRELOAD: library, FAKETIME: moved, FAKETIME_DONT_FAKE_MONOTONIC: '1' }
}

function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode)
  return new Promise((resolve) => {
    child.once('exit', resolve)
    child.kill(signal)
  })
}

/** A certificate on disk, and who vouches for it. */
export type CertificateFiles = { readonly flags: readonly string[]; readonly authority: TlsMaterial }

const HOUR = 3_600_000

/** Makes a certificate for the loopback interface, by an authority of its own or a given one. */
export async function writeCertificate(folder: string, known?: TlsMaterial): Promise<CertificateFiles> {
  const validity = { from: Date.now() - HOUR, until: Date.now() + 24 * HOUR }
  const authority = known ?? (await createAuthority('test', validity))
  const { cert, key } = await issueServing(authority, ['localhost', '127.0.0.1'], validity)
  const [certFile, keyFile] = [join(folder, 'webhook.crt'), join(folder, 'webhook.key')]
  writeFileSync(keyFile, key, { mode: 0o600 })
  writeFileSync(certFile, cert)
  return { flags: ['--cert', certFile, '--key', keyFile], authority }
}

type Configuration = {
  readonly webhooks: readonly { readonly clientConfig: { readonly service: { readonly path: string } } }[]
}

/** What a test changes about the shipped configurations. */
export type Installation = {
  readonly port: number
  /** Undefined where somebody else tells the API server whom to trust. */
  readonly authority?: TlsMaterial
  readonly failurePolicy?: 'Fail' | 'Ignore'
}

/** Installs the shipped webhook configurations for a server on this machine. */
export async function installWebhooks(kubectl: Kubectl, installation: Installation): Promise<void> {
  const configurations = ['validating', 'mutating'].map((kind) => {
    const file = join(ROOT, `webhook-config/base/${kind}-webhook-configuration.yaml`)
    return pointed(load(readFileSync(file, 'utf8')) as Configuration, installation)
  })
  await must(kubectl('apply -f -', configurations))
}

const pointed = (configuration: Configuration, { port, authority, failurePolicy }: Installation) => ({
  ...configuration,
  webhooks: configuration.webhooks.map((webhook) => ({
    ...webhook,
    ...(failurePolicy && { failurePolicy }),
    clientConfig: {
      url: `https://127.0.0.1:${port}${webhook.clientConfig.service.path}`,
      ...(authority && { caBundle: Buffer.from(authority.cert).toString('base64') }),
    },
  })),
})
