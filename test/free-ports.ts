/** Ports for servers that tests start. */
import { createServer } from 'node:net'

/** Ports that no system gives to clients by itself, and none of the defaults of sluice. */
const PORTS = { first: 20_000, count: 10_000 }

/**
 * A port of the loopback interface that was free a moment ago. It is drawn by lot, so that what begins to listen there when
 * its server has ended, or is started anew, is by all odds not that of another test, and never the end of a connection.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.first + Math.floor(Math.random() * PORTS.count)
    if (await isFree(port)) return port
  }
}

/** Some of them, each another one. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>()
  while (ports.size < count) ports.add(await freePort())
  return [...ports]
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
