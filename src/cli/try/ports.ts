/** Ports of this machine for the ports of listeners. */
import { createServer } from 'node:net'
import { InputError } from '../core/io.ts'

/** Hands out ports, each once. */
export type Ports = {
  /**
   * The ports for those of some listeners, the same as before where there was one. The first one ever gets the port that the
   * user named; another one stays where it is above 1023 and free. Throws {@link InputError} where the named one is taken.
   */
  take(wanted: readonly number[], known: ReadonlyMap<number, number>): Promise<ReadonlyMap<number, number>>
  /** Gives ports back. */
  release(ports: Iterable<number>): void
}

/** Begins the ports that need root: they would also be those of a real gateway. */
const PRIVILEGED_END = 1024
/** Added to a privileged port: 80 becomes 18080, 443 becomes 18443. */
const OFFSET = 18_000

/** `first`: the port that the user named. */
export function createPorts(first: number | undefined): Ports {
  const taken = new Set<number>()
  let next = first
  async function choose(port: number): Promise<number> {
    const named = next
    next = undefined
    const wanted = named ?? (port < PRIVILEGED_END ? port + OFFSET : port)
    if (!taken.has(wanted) && (await isFree(wanted))) return wanted
    if (named !== undefined) throw new InputError(`--port ${named}: something else listens there, or only root may`)
    return await freePort(taken)
  }
  return {
    async take(wanted, known) {
      const ports = new Map<number, number>()
      for (const port of wanted) {
        const at = known.get(port) ?? (await choose(port))
        taken.add(at)
        ports.set(port, at)
      }
      for (const [port, at] of known) if (!ports.has(port)) taken.delete(at)
      return ports
    },
    release(ports) {
      for (const port of ports) taken.delete(port)
    },
  }
}

const isFree = async (port: number): Promise<boolean> => (await listenOnce(port)) !== undefined

async function freePort(taken: ReadonlySet<number>): Promise<number> {
  for (;;) {
    const port = await listenOnce(0)
    if (port !== undefined && !taken.has(port)) return port
  }
}

/** Listens for a moment; the port, or undefined where that cannot be had. */
function listenOnce(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : undefined))
    })
  })
}
