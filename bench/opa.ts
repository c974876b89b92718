/** OPA, the peer that answers AdmissionReviews by rules in Rego: where it is, and how it is started. */
import { existsSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createAuthority, issueServing } from '../src/http/authority.ts'
import { freePorts } from '../test/free-ports.ts'
import { type Server, start, stopAll } from './server.ts'

const RULES = fileURLToPath(new URL('./opa.rego', import.meta.url))
const DAY = 86_400_000

/** Path of the program, or undefined where it is not installed. */
export function findOpa(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), join(homedir(), 'go', 'bin')]
  return folders.map((folder) => join(folder, 'opa')).find((path) => existsSync(path))
}

/** Starts the server with its five rules, on TLS as the API server would ask it; ready means ready. */
export async function startOpa(program: string, folder: string): Promise<Server> {
  const validity = { from: Date.now() - DAY, until: Date.now() + DAY }
  const { cert, key } = await issueServing(await createAuthority('bench', validity), ['localhost'], validity)
  const [certFile, keyFile] = [join(folder, 'opa.crt'), join(folder, 'opa.key')]
  writeFileSync(certFile, cert)
  writeFileSync(keyFile, key, { mode: 0o600 })
  const [port = 0] = await freePorts(1)
  const tls = ['--tls-cert-file', certFile, '--tls-private-key-file', keyFile]
  const flags = ['--addr', `127.0.0.1:${port}`, '--log-level', 'error', '--disable-telemetry', ...tls]
  const server = { child: start(program, ['run', '--server', ...flags, RULES], join(folder, 'opa.log')), port }
  for (const last = Date.now() + 10_000; Date.now() < last; await sleep(50))
    if (await isHealthy(port)) return { ...server, healthPort: 0 }
  await stopAll([server])
  throw new Error('the OPA server did not become healthy')
}

const isHealthy = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    get({ host: '127.0.0.1', port, path: '/health', rejectUnauthorized: false, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    }).once('error', () => resolve(false))
  })
