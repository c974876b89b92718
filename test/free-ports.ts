/** Ports for servers that tests start. */
import { createServer } from 'node:net'

/** Ports that no system gives to clients by itself, and none of the defaults of sluice: so many for each test process. */
const PORTS = { first: 20_000, count: 1_000, processes: 10 }

/** The first port of this process: no two test processes that run at the same time have the same number. */
const FIRST = PORTS.first + PORTS.count * (Number(process.env.VITEST_POOL_ID ?? 0) % PORTS.processes)

const given = new Set<number>()

/**
 * A port of the loopback interface that is free, and is given once. It is drawn by lot, so that what begins to listen there
 * when its server has ended, or is started anew, is by all odds not that of another test, and never the end of a
 * connection.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * PORTS.count)
    if (given.has(port)) continue
    given.add(port)
    if (await isFree(port)) return port
  }
}

/** Some of them. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const ports: number[] = []
  while (ports.length < count) ports.push(await freePort())
  return ports
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
