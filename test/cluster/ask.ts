/** Requests to servers on this machine with certificates of a test: an API server, and what is behind it. */
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { type Agent, request } from 'node:https'
import { join } from 'node:path'
import type { TlsMaterial } from '../../src/http/listen.ts'
import type { User } from './users.ts'

/** Whom one asks, and what is sent. */
export type Asked = {
  readonly port: number
  readonly ca: string
  readonly tls?: Partial<TlsMaterial>
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly method?: string
  readonly body?: string
  /** Undefined: a connection of its own. */
  readonly agent?: Agent | undefined
}

/** A response; a body that is no JSON is its text. */
export type Answered = {
  readonly status: number
  readonly text: string
  readonly body: unknown
  readonly warnings: readonly string[]
}

/** One request. Rejects with the error of the connection. */
export const ask = (
  path: string,
  { port, ca, tls = {}, headers = {}, method = 'GET', body = '', agent }: Asked,
): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, method, ca, agent: agent ?? false, headers, ...tls }
    const outgoing = request(options, (response: IncomingMessage) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => {
        const warnings = response.headersDistinct.warning ?? []
        resolve({ status: response.statusCode ?? 0, text, body: parsed(text), warnings })
      })
    })
    outgoing.once('error', reject).end(body)
  })

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Where an API server is, and the folder with its certificate. */
type Place = { readonly url: string; readonly folder: string }

/** One request to an API server, as a user. */
export const askServer = (
  { url, folder }: Place,
  path: string,
  { token }: Pick<User, 'token'>,
  { type = 'application/json', ...more }: Partial<Asked> & { readonly type?: string } = {},
): Promise<Answered> =>
  ask(path, {
    port: Number(new URL(url).port),
    ca: readFileSync(join(folder, 'apiserver.crt'), 'utf8'),
    headers: { authorization: `Bearer ${token}`, ...(more.body ? { 'content-type': type } : {}) },
    ...more,
  })
