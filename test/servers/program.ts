/** The built program as a server: started, spoken to over TLS, ended. `npm test` builds it before. */
import { request } from 'node:https'
import { connect } from 'node:tls'
import { onTestFinished } from 'vitest'
import { createFolder } from '../files/folder.ts'
import { type Serving, serve } from '../serving.ts'
import { reviewOf } from './reviews.ts'

export const HOST = '127.0.0.1'

/** Starts `sluice serve` on free ports, in an environment without a cluster. It is killed after the test. */
export const startProgram = (
  [server = '', ...flags]: readonly string[],
  cwd = createFolder(),
  env: Readonly<Record<string, string>> = {},
): Promise<Serving> =>
  serve(server, ['--port', '0', '--health-port', '0', ...flags], {
    ...{ cwd, env: { KUBERNETES_SERVICE_HOST: undefined, ...env }, ends: onTestFinished },
  })

/** Starts the webhook. */
export const start = (flags: readonly string[], cwd?: string, env?: Readonly<Record<string, string>>) =>
  startProgram(['admission', ...flags], cwd, env)

/** Sends a review over a connection of its own. */
export const validate = ({ port }: Serving, ca: string, object: unknown): Promise<{ response: { allowed: boolean } }> =>
  new Promise((done, failed) => {
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

export const serialOf = ({ port }: Serving, ca: string) =>
  new Promise<string>((done, failed) => {
    const socket = connect({ host: HOST, servername: 'localhost', port, ca }, () => {
      done(socket.getPeerCertificate().serialNumber)
      socket.end()
    }).on('error', failed)
  })

/** The authority of a certificate that the server made for itself; undefined before it has printed that. */
export function authorityOf({ said }: Serving): string | undefined {
  const encoded = /caBundle: (\S+)/.exec(said())?.[1]
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString()
}
