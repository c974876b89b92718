/** Requests to a running nginx. */
import { type Agent, request } from 'node:http'
import { type RequestOptions, request as requestTls } from 'node:https'
import { connect } from 'node:net'

/** The status of a GET; without an agent each request has a connection of its own. */
export function statusOf(port: number, path: string, agent?: Agent): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path, agent: agent ?? false }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode))
    })
    outgoing.once('error', reject).end()
  })
}

/** The status of a GET with a connection of its own, by TLS with whatever certificate; 0 where none comes. */
export function statusByTls(port: number, options: RequestOptions = {}): Promise<number> {
  return new Promise((resolve) => {
    const all = { host: '127.0.0.1', port, rejectUnauthorized: false, agent: false, ...options }
    requestTls(all, (response) => response.resume().once('end', () => resolve(response.statusCode ?? 0)))
      .once('error', () => resolve(0))
      .end()
  })
}

/** Everything that nginx sends back before it closes the connection; empty where it just closes. */
export function sendRaw(port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
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
}
