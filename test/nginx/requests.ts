/** Requests to a running nginx. */
import { type Agent, type IncomingHttpHeaders, request } from 'node:http'
import { type RequestOptions, request as requestTls } from 'node:https'
import { connect } from 'node:net'

export type Answer = {
  readonly code: number
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly body: string
}

/** One request; without an agent it has a connection of its own. Rejects where that ends without a response. */
export const ask = (
  { body, ...options }: RequestOptions & { readonly body?: Buffer | undefined },
  start: typeof request = request,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const outgoing = start({ host: '127.0.0.1', agent: false, ...options }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      const { statusCode: code = 0, headers, rawHeaders } = response
      response.once('end', () => resolve({ code, headers, rawHeaders, body: text }))
    })
    outgoing.once('error', reject).end(body)
  })

/** The status of a GET. */
export const statusOf = async (port: number, path: string, agent?: Agent): Promise<number> =>
  (await ask({ port, path, agent: agent ?? false })).code

/** The same by TLS with whatever certificate; 0 where none comes. */
export const statusByTls = (port: number, options: RequestOptions = {}): Promise<number> =>
  ask({ port, rejectUnauthorized: false, ...options }, requestTls).then(
    ({ code }) => code,
    () => 0,
  )

/** Everything that nginx sends back before it closes the connection; empty where it just closes. */
export const sendRaw = (port: number, path: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`),
    )
    socket.setEncoding('utf8')
    socket.on('data', (text: string) => {
      answer += text
    })
    socket.once('close', () => resolve(answer)).once('error', reject)
  })
