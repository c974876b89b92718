/** A wire between clients and servers that a test can cut, or have swallow what is sent. */
import { connect, createServer, type Socket } from 'node:net'

/** A wire; `url` is that of the servers behind it. */
export type Wire = {
  readonly url: string
  /** Ends every connection and refuses new ones. */
  cut(): void
  /** Takes new connections and closes none, and from now on nothing arrives: neither way, nor the news of an end. */
  swallow(): void
  /** New connections work again; what was swallowed never arrives. */
  repair(): void
  stop(): Promise<void>
}

type State = 'sound' | 'cut' | 'swallowing'

/** Two ends of a connection; one whose packets were swallowed once stays dead. */
type Line = { readonly near: Socket; readonly far: Socket; isDead: boolean }

function join(line: Line, forget: () => void): void {
  const { near, far } = line
  for (const [socket, other] of [
    [near, far],
    [far, near],
  ] as const)
    socket
      .on('error', () => undefined)
      .on('data', (chunk) => void (line.isDead || other.write(chunk)))
      .on('close', () => {
        if (!line.isDead) other.destroy()
        if (near.destroyed && far.destroyed) forget()
      })
}

/** Lays a wire to HTTPS servers on the loopback interface, which take turns; one that is not there is passed over. */
export function layWire(...targets: readonly string[]): Promise<Wire> {
  const ports = targets.map((target) => Number(new URL(target).port))
  const lines = new Set<Line>()
  let state: State = 'sound'
  let turn = 0
  const end = (): void => {
    for (const { near, far } of lines) for (const socket of [near, far]) socket.destroy()
  }
  const cut = (): void => {
    state = 'cut'
    end()
  }
  const open = (near: Socket, index: number, others = ports.length - 1): void => {
    const far = connect(ports[index % ports.length] ?? 0, '127.0.0.1')
    const passOver = (): void => (others > 0 ? open(near, index + 1, others - 1) : void near.destroy())
    far.once('error', passOver).once('connect', () => {
      far.off('error', passOver)
      const line: Line = { near, far, isDead: state === 'swallowing' }
      lines.add(line)
      join(line, () => lines.delete(line))
      if (near.destroyed || state === 'cut') far.destroy()
    })
  }
  const server = createServer((near) => {
    near.on('error', () => undefined)
    if (state === 'cut') near.destroy()
    else open(near, turn++)
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      const local = typeof address === 'object' && address ? address.port : 0
      resolve({
        url: `https://127.0.0.1:${local}`,
        cut,
        swallow() {
          state = 'swallowing'
          for (const line of lines) line.isDead = true
        },
        repair() {
          state = 'sound'
        },
        stop() {
          cut()
          return new Promise((done) => server.close(() => done()))
        },
      })
    })
  })
}
