/** A real API server with its etcd on free ports of the loopback interface. */
import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { programOf } from '../../scripts/kube-apiserver.ts'
import { freePorts } from '../free-ports.ts'
import { compact } from './etcd.ts'
import { writeKubeconfig } from './kubeconfig.ts'
import { ADMIN, ROBOT, type User } from './users.ts'

/** A running control plane. */
export type ControlPlane = {
  readonly url: string
  /** Holds the certificate of the API server, `apiserver.crt`, and what a test writes; gone after `stop`. */
  readonly folder: string
  /** Path of a kubeconfig; with a URL, by that way, and with an authority, where that vouches for who is there. */
  kubeconfig(user: User, url?: string, authority?: string): string
  /** Stops the API server alone; etcd keeps what it has. */
  stopServer(): Promise<void>
  /** Starts it again where it was stopped. */
  startServer(): Promise<void>
  /** Ends etcd and starts it again; waits until the API server has found it. */
  restartEtcd(): Promise<void>
  /** Has etcd forget every version of an object but the last. */
  compact(): Promise<void>
  stop(): Promise<void>
}

/** More flags for an API server whose folder is there. */
export type MoreFlags = (folder: string) => readonly string[] | Promise<readonly string[]>

/** Starts etcd and the API server; ready means ready. */
export async function startControlPlane(
  moreFlags: MoreFlags = () => [],
): Promise<ControlPlane & { readonly etcd: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-cluster-'))
  const [etcdPort = 0, peerPort = 0, port = 0] = await freePorts(3)
  const url = `https://127.0.0.1:${port}`
  writeCredentials(folder)
  const more = await moreFlags(folder)
  const etcd = `http://127.0.0.1:${etcdPort}`
  const startEtcd = () => start('etcd', etcdFlags(folder, etcdPort, peerPort), folder)
  let database = startEtcd()
  let server: ChildProcess | undefined
  const stopServer = async (): Promise<void> => {
    if (server) await end(server)
    server = undefined
  }
  const startServer = async (): Promise<void> => {
    if (server) return
    server = start('kube-apiserver', [...serverFlags(folder, etcdPort, port), ...more], folder)
    await untilReady(url, server, folder)
  }
  const restartEtcd = async (): Promise<void> => {
    await end(database)
    database = startEtcd()
    if (server) await untilReady(url, server, folder)
  }
  const stop = async (): Promise<void> => {
    await stopServer()
    await end(database)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
  try {
    await startServer()
  } catch (error) {
    await stop()
    throw error
  }
  return {
    url,
    folder,
    kubeconfig: (user, other = url, authority) =>
      writeKubeconfig({ folder, url: other, user, ...(authority === undefined ? {} : { authority }) }),
    stopServer,
    startServer,
    restartEtcd,
    stop,
    etcd,
    compact: () => compact(etcd),
  }
}

const etcdFlags = (folder: string, port: number, peerPort: number): readonly string[] => [
  `--data-dir=${join(folder, 'etcd')}`,
  `--listen-client-urls=http://127.0.0.1:${port}`,
  `--advertise-client-urls=http://127.0.0.1:${port}`,
  `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
  // What a test stores need not outlive the machine.
  '--unsafe-no-fsync',
]

const serverFlags = (folder: string, etcdPort: number, port: number): readonly string[] => [
  `--etcd-servers=http://127.0.0.1:${etcdPort}`,
  `--cert-dir=${folder}`,
  `--secure-port=${port}`,
  '--bind-address=127.0.0.1',
  '--service-cluster-ip-range=10.0.0.0/24',
  '--service-account-issuer=https://kubernetes.default.svc',
  `--service-account-key-file=${join(folder, 'sa.pub')}`,
  `--service-account-signing-key-file=${join(folder, 'sa.key')}`,
  '--authorization-mode=RBAC',
  `--token-auth-file=${join(folder, 'tokens.csv')}`,
  '--disable-admission-plugins=ServiceAccount',
]

function writeCredentials(folder: string): void {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  writeFileSync(join(folder, 'sa.key'), privateKey, { mode: 0o600 })
  writeFileSync(join(folder, 'sa.pub'), publicKey)
  const lines = [ADMIN, ROBOT].map(({ token, name, groups }) => `${token},${name},${name},"${groups.join(',')}"\n`)
  writeFileSync(join(folder, 'tokens.csv'), lines.join(''), { mode: 0o600 })
}

/** Starts a program whose output goes to a file of its own. */
function start(program: string, parameters: readonly string[], folder: string): ChildProcess {
  const log = openSync(join(folder, `${program}.log`), 'a')
  const child = spawn(programOf(program), parameters, { stdio: ['ignore', log, log] })
  closeSync(log)
  return child
}

/** Ends a process by its own id and waits for it. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  const patience = setTimeout(() => child.kill('SIGKILL'), 5000)
  await gone
  clearTimeout(patience)
}

async function untilReady(url: string, server: ChildProcess, folder: string): Promise<void> {
  for (const last = Date.now() + 240_000; Date.now() < last; await sleep(100)) {
    if (server.exitCode !== null) break
    if ((await readiness(url, folder)) === 200) return
  }
  const log = readFileSync(join(folder, 'kube-apiserver.log'), 'utf8')
  throw new Error(`the API server did not become ready:\n${log.slice(-4000)}`)
}

/** The status of the readiness, told to everybody: zero where nobody answers, or somebody else's server. */
const readiness = (url: string, folder: string): Promise<number> =>
  new Promise((resolve) => {
    const certificate = join(folder, 'apiserver.crt')
    if (!existsSync(certificate)) return resolve(0)
    const outgoing = request(`${url}/readyz`, { ca: readFileSync(certificate), agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    outgoing.once('error', () => resolve(0))
    outgoing.end()
  })
