/**
 * `npm run soak -- [--minutes N]`: the webhook at half load beside a real API server, with 10,000 policies and 5,000 routes,
 * one of which changes every second. Prints its memory, and exits with 1 where that grows or is above the bar.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { callApi } from '../src/cluster/client/api.ts'
import { clusterOfFile } from '../src/cluster/client/kubeconfig.ts'
import type { ControlPlane } from '../test/cluster/control-plane.ts'
import { ADMIN } from '../test/cluster/users.ts'
import { fill, POLICIES, POLICIES_EACH, policyOf, SPACES, startCluster } from './cluster.ts'
import { median } from './measure.ts'
import { reviewOf, writeScript } from './reviews.ts'
import { load, residentMemory, type Server, start, stopAll } from './server.ts'
import { LARGEST, MEGABYTE, pauseFor, serve, untilSynced } from './world-suite.ts'

const MINUTE = 60_000
/** Milliseconds between two looks at the memory. */
const LOOK = 10_000
/** By so much may the memory of the last fifth differ from that of the second: the first fifth warms up. */
const FLAT = 0.05

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { minutes: { type: 'string' } } })
  const minutes = Number(values.minutes ?? 30)
  if (!(minutes > 0)) {
    console.error('usage: npm run soak -- [--minutes N]; N is more than 0, and 30 by default')
    return 2
  }
  if (!existsSync(new URL('../dist/cli.js', import.meta.url))) {
    console.error('dist/cli.js is missing: npm run build')
    return 2
  }
  const folder = mkdtempSync(join(tmpdir(), 'sluice-soak-'))
  const plane = await startCluster()
  const servers: Pick<Server, 'child'>[] = []
  const interrupted = new AbortController()
  process.once('SIGINT', () => interrupted.abort())
  try {
    console.log('filling the cluster …')
    await fill(plane)
    const server = await serve(plane, join(folder, 'webhook.log'))
    servers.push(server)
    await untilSynced(server, POLICIES + 2)
    return await soak({ folder, plane, server, minutes, servers, isInterrupted: () => interrupted.signal.aborted })
  } finally {
    await stopAll(servers)
    await plane.stop()
    rmSync(folder, { recursive: true })
  }
}

type Soak = {
  readonly folder: string
  readonly plane: ControlPlane
  readonly server: Server
  readonly minutes: number
  /** All that has to be stopped. */
  readonly servers: Pick<Server, 'child'>[]
  /** True after Ctrl-C. */
  isInterrupted(): boolean
}

async function soak({ folder, plane, server, minutes, servers, isInterrupted }: Soak): Promise<number> {
  // One policy of each namespace, so that all of them are read.
  const reviews = SPACES.map((space, index) => reviewOf(policyOf(index, space)))
  const most = load(server, { script: writeScript(folder, { reviews }), seconds: 5 }).rate
  const script = writeScript(folder, { pause: pauseFor(most / 2), reviews })
  const seconds = Math.ceil(minutes * 60)
  const wrk = start(
    'wrk',
    ['-t1', '-c16', `-d${seconds}s`, '-s', script, `https://127.0.0.1:${server.port}/validate?timeout=10s`],
    join(folder, 'wrk.log'),
  )
  servers.push({ child: wrk })
  const looks: number[] = []
  const until = Date.now() + minutes * MINUTE
  let changes = 0
  let looked = Date.now()
  console.log(`half load is ${Math.round(most / 2)} reviews per second\n\n| minute | memory | changes |\n|---|---|---|`)
  while (Date.now() < until && !isInterrupted()) {
    await change(plane, changes++)
    await sleep(1000)
    if (Date.now() - looked < LOOK) continue
    looked = Date.now()
    const { now } = residentMemory(server.child)
    looks.push(now)
    const minute = (minutes - (until - looked) / MINUTE).toFixed(1)
    console.log(`| ${minute} | ${Math.round(now / MEGABYTE)} MB | ${changes} |`)
  }
  return judge(looks, residentMemory(server.child).most)
}

/** Changes the rate of a policy, each time in another namespace. */
async function change(plane: ControlPlane, serial: number): Promise<void> {
  const space = SPACES[serial % SPACES.length] ?? ''
  const { apiVersion, metadata, spec } = policyOf(serial % POLICIES_EACH, space, 10 + (serial % 900))
  await callApi(clusterOfFile(plane.kubeconfig(ADMIN)), {
    method: 'PATCH',
    path: `/apis/${apiVersion}/namespaces/${space}/ratelimitpolicies/${metadata.name}`,
    contentType: 'application/merge-patch+json',
    body: { spec },
  })
}

function judge(looks: readonly number[], most: number): number {
  const fifth = Math.max(1, Math.floor(looks.length / 5))
  const [early, late] = [median(looks.slice(fifth, 2 * fifth)), median(looks.slice(-fifth))]
  const growth = late / early - 1
  const isFlat = Math.abs(growth) <= FLAT
  const isSmall = most <= LARGEST
  const inMegabytes = (bytes: number) => `${Math.round(bytes / MEGABYTE)} MB`
  console.log(`
memory: ${inMegabytes(early)} in the second fifth, ${inMegabytes(late)} in the last, ${(growth * 100).toFixed(1)} %: ${isFlat ? 'flat' : 'NOT FLAT'}
at most ${inMegabytes(most)}; the bar is ${inMegabytes(LARGEST)}: ${isSmall ? 'kept' : 'NOT KEPT'}`)
  return isFlat && isSmall ? 0 : 1
}

process.exitCode = await main()
