/** The webhook listening within the test, and a client that trusts it. */
import { type Agent, request as secureRequest } from 'node:https'
import { RULES } from '../../rules/index.ts'
import { createReviewer } from '../../src/admission/reviewer.ts'
import { createAuthority, issueServing } from '../../src/http/authority.ts'
import type { TlsMaterial } from '../../src/http/listen.ts'
import type { Log } from '../../src/http/log.ts'
import { createMetrics } from '../../src/http/metrics.ts'
import { SYSTEMS } from '../../src/registry.ts'
import { type ServingAdmission, serveAdmission } from '../../src/servers/admission/serve.ts'
import { DEFAULT_PROJECT } from '../../src/settings/settings.ts'
import { unknownWorld } from '../subjects.ts'

export const HOST = '127.0.0.1'
export const JSON_TYPE = { 'content-type': 'application/json' }

const YEAR = 365 * 24 * 60 * 60 * 1000
const silent = () => {}
const SILENT: Log = { debug: silent, info: silent, warn: silent, error: silent }

type Got = {
  readonly status: number
  readonly body: { readonly message?: string; readonly response?: { allowed: boolean } }
}

export type Sent = {
  readonly path?: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly agent?: Agent
  /** The authority to trust instead of that of the first certificate. */
  readonly ca?: string
}

/** A listening webhook. */
export type Served = {
  readonly serving: ServingAdmission
  /** The certificate that clients trust. */
  readonly authority: string
  /** Makes another certificate of the same authority. */
  issue(): Promise<TlsMaterial>
  setNotReady(reason: string | undefined): void
  /** Sends a body; by default a review to `/validate`. */
  send(body: string | Buffer, sent?: Sent): Promise<Got>
}

/** Starts it; `log` gets what it logs. */
export async function startServed(log: Log = SILENT): Promise<Served> {
  const validity = { from: Date.now() - YEAR, until: Date.now() + YEAR }
  const authority = await createAuthority('test', validity)
  const issue = () => issueServing(authority, ['localhost', HOST], validity)
  const reviewer = createReviewer(DEFAULT_PROJECT, { rules: RULES, systems: SYSTEMS })
  const view = { world: unknownWorld(), synced: true, notSynced: [] }
  let notReady: string | undefined
  const serving = await serveAdmission({
    ...{ host: HOST, port: 0, healthPort: 0, material: await issue(), log, metrics: createMetrics('0.1.0') },
    reviewer: () => reviewer,
    world: () => view,
    notReady: () => notReady,
    now: () => performance.now(),
    wallClock: Date.now,
  })
  const address = { host: HOST, port: serving.port, servername: 'localhost', ca: authority.cert }
  return {
    serving,
    authority: authority.cert,
    issue,
    setNotReady(reason) {
      notReady = reason
    },
    send: (body, { path = '/validate', method = 'POST', headers = JSON_TYPE, agent, ca = authority.cert } = {}) =>
      new Promise((resolve, reject) => {
        const options = { ...address, ca, path, method, headers, ...(agent ? { agent } : {}) }
        const request = secureRequest(options, (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString()
            resolve({ status: response.statusCode ?? 0, body: text === '' ? {} : JSON.parse(text) })
          })
        })
        request.on('error', reject)
        request.end(body)
      }),
  }
}
