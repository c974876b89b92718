/** The real `sluice serve admission` as a process, and the shipped webhook configurations pointing at it. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from 'js-yaml'
import { findFaketime } from '../../scripts/provide.ts'
import { createAuthority, issueServing } from '../../src/http/authority.ts'
import type { TlsMaterial } from '../../src/http/listen.ts'
import { type Serving, serve } from '../serving.ts'
import { type Kubectl, must } from './kubectl.ts'

const ROOT = join(import.meta.dirname, '../..')

/** A running webhook. */
export type AdmissionServer = Serving & {
  /** True where every watch is synced. */
  isSynced(): Promise<boolean>
}

/** What a start may choose. */
export type Start = {
  /** By default a free one. */
  readonly port?: number
  /** Seconds by which the clock of the process goes before that of the machine; a file, in which they change (`+60s`). */
  readonly clock?: number | string
  /** Where it runs as in a container of a Pod: a folder that it sees as `/run`, and what is added to its environment. */
  readonly container?: { readonly run: string; readonly env: Readonly<Record<string, string>> }
}

/** Starts the command with flags. */
export async function startAdmission(
  flags: readonly string[],
  { port = 0, clock, container }: Start = {},
): Promise<AdmissionServer> {
  const ports = ['--port', String(port), '--health-port', '0']
  const server = await serve('admission', [...ports, ...flags], {
    before: container ? [...MOUNTED, container.run] : [],
    env: { ...container?.env, ...(clock === undefined ? {} : movedClock(clock)) },
  })
  return { ...server, isSynced: async () => /^sluice_watches_synced 1$/m.test(await server.metrics()) }
}

/** Runs the rest of a line with a folder, its first word, as `/run`, which nobody else sees. */
const MOUNTED = ['unshare', '--map-root-user', '--mount', 'sh', '-euc', 'mount --bind "$0" /run; exec "$@"'] as const

/** True where a process can see other files than the others; under CI as root it must. */
export const canMount =
  spawnSync('unshare', ['--map-root-user', '--mount', 'true']).status === 0 ||
  (process.env.CI !== undefined && process.getuid?.() === 0)

/** True where a process can have another clock; under CI it must. */
export const hasOtherClocks = findFaketime() !== undefined || process.env.CI !== undefined

/** Moves the clock of a process; how long things last stays true. */
function movedClock(clock: number | string): Record<string, string> {
  const library = findFaketime()
  if (library === undefined) throw new Error('libfaketime is missing; `node scripts/provide.ts` provides it')
  const moved =
    typeof clock === 'string'
      ? { FAKETIME_TIMESTAMP_FILE: clock, FAKETIME_NO_CACHE: '1' }
      : { FAKETIME: `${clock < 0 ? '' : '+'}${clock}s` }
  return { LD_PRELOAD: library, FAKETIME_DONT_FAKE_MONOTONIC: '1', ...moved }
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

/** Installs objects, of which the webhook configurations are asked for a server on this machine. */
export async function installObjects(
  kubectl: Kubectl,
  objects: readonly object[],
  installation: Installation,
): Promise<void> {
  const isConfiguration = (object: object): object is Configuration => 'webhooks' in object
  const local = objects.map((object) => (isConfiguration(object) ? pointed(object, installation) : object))
  await must(kubectl('apply --server-side -f -', local))
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
