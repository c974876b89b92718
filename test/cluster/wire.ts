/** A wire between a client and the API server that a test can cut. */
import { connect, createServer, type Socket } from 'node:net'

/** A wire; `url` is the API server's behind it. */
export type Wire = {
  readonly url: string
  /** Ends every connection and refuses new ones. */
  cut(): void
  mend(): void
  stop(): Promise<void>
}

/** Lays a wire to an HTTPS server on the loopback interface. */
export function layWire(target: string): Promise<Wire> {
  const { port } = new URL(target)
  const sockets = new Set<Socket>()
  let isCut = false
  const cut = (): void => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  const server = createServer((near) => {
    if (isCut) return void near.destroy()
    const far = connect(Number(port), '127.0.0.1')
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(socket)
          other.destroy()
        })
      socket.pipe(other)
    }
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      const local = typeof address === 'object' && address ? address.port : 0
      resolve({
        url: `https://127.0.0.1:${local}`,
        cut,
        mend() {
          isCut = false
        },
        stop() {
          cut()
          return new Promise((done) => server.close(() => done()))
        },
      })
    })
  })
}
