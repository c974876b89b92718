/** The upstream of `sluice try`: answers HTTP/1.1, and gRPC over HTTP/2 without TLS, on one port. */
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttp2, type ServerHttp2Stream } from 'node:http2'
import { createServer, type Socket } from 'node:net'

/** An upstream that runs. */
export type Echo = {
  /** `127.0.0.1:PORT` */
  readonly address: string
  close(): void
}

/** What a client of HTTP/2 sends first. Source: RFC 9113, section 3.4. */
const HTTP2_BEGINS = 'PRI '

/** Starts it on a free port of this machine. */
export function startEcho(): Promise<Echo> {
  const sockets = new Set<Socket>()
  const http = createHttp({ keepAliveTimeout: 0 }, answerHttp)
  const http2 = createHttp2().on('stream', answerGrpc)
  http2.on('sessionError', () => {})
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket)).on('error', () => socket.destroy())
    socket.once('data', (first: Buffer) => {
      socket.pause()
      socket.unshift(first)
      const isHttp2 = first.subarray(0, HTTP2_BEGINS.length).toString('latin1') === HTTP2_BEGINS
      // HTTP/2 takes what is in the buffer of the socket by itself.
      if (isHttp2) http2.emit('connection', socket)
      else {
        http.emit('connection', socket)
        socket.resume()
      }
    })
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' && address ? address.port : 0
      resolve({
        address: `127.0.0.1:${port}`,
        close() {
          server.close()
          for (const socket of sockets) socket.destroy()
        },
      })
    })
  })
}

/** Every request gets 200, and the request itself as a text. */
function answerHttp(request: IncomingMessage, response: ServerResponse): void {
  const { method = '', url = '', headers } = request
  request.resume().once('end', () => {
    response.writeHead(200, { 'content-type': 'text/plain' })
    response.end(`${method} ${url}\nhost: ${headers.host ?? ''}\n`)
  })
}

/** Every message comes back as it was sent, and the call succeeds. Source: gRPC over HTTP/2. */
function answerGrpc(stream: ServerHttp2Stream): void {
  stream.on('error', () => stream.close())
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
  stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
  stream.pipe(stream)
}
