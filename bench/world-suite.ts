/** The webhook beside a real API server: with thousands of objects in its watches, and without. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasControlPlane } from '../scripts/kube-apiserver.ts'
import type { ControlPlane } from '../test/cluster/control-plane.ts'
import { ADMIN } from '../test/cluster/users.ts'
import { fill, POLICIES, ROUTES, startCluster } from './cluster.ts'
import { writeScript } from './reviews.ts'
import { describeLoads, load, residentMemory, type Server, sideBySide, startWebhook, stopAll } from './server.ts'
import { type Measured, notMeasured } from './suite.ts'

export const MEGABYTE = 1_000_000
/** Resident memory, in bytes. */
export const LARGEST = 160 * MEGABYTE
/** Seconds. */
const SLOWEST = 0.002

/** Measures the ratio, and beside it memory and the time of the computing at half load. */
export async function measureWorld(folder: string, runs: number, bar: number): Promise<Measured> {
  if (!hasControlPlane())
    return notMeasured('kube-apiserver and etcd are not installed: node scripts/kube-apiserver.ts')
  const planes: ControlPlane[] = []
  const servers: Server[] = []
  try {
    const few = await startCluster()
    planes.push(few)
    const many = await startCluster()
    planes.push(many)
    await fill(many)
    const small = await serve(few, join(folder, 'few.log'))
    servers.push(small)
    const large = await serve(many, join(folder, 'many.log'))
    servers.push(large)
    await Promise.all([untilSynced(small, 2), untilSynced(large, 2 + POLICIES)])
    return await measureBoth(folder, runs, { small, large, bar })
  } finally {
    await stopAll(servers)
    for (const plane of planes) await plane.stop()
  }
}

export const serve = (plane: ControlPlane, log: string): Promise<Server> =>
  startWebhook(log, ['--kubeconfig', plane.kubeconfig(ADMIN)])

type Pair = { readonly small: Server; readonly large: Server; readonly bar: number }

async function measureBoth(folder: string, runs: number, { small, large, bar }: Pair): Promise<Measured> {
  const script = writeScript(folder)
  const both = sideBySide(
    () => load(small, { script }),
    () => load(large, { script }),
    runs,
  )
  const ratio = both.a.rate / both.b.rate
  const memory = residentMemory(large.child)
  const slow = await atHalfLoad(folder, large, both.b.rate / 2)
  return {
    figure: ratio.toFixed(2),
    kept: ratio <= bar,
    details: describeLoads(both.a, both.b),
    beside: [
      {
        what: `memory of the webhook with ${POLICIES} policies and ${ROUTES} routes, after all those reviews`,
        bar: `${LARGEST / MEGABYTE} MB`,
        figure: `${Math.round(memory.now / MEGABYTE)} MB`,
        kept: memory.now <= LARGEST,
        details: `at most ${Math.round(memory.most / MEGABYTE)} MB at any time`,
      },
      slow,
    ],
  }
}

/** The slowest of a hundred reviews, at about half of the most requests that the server bears. */
async function atHalfLoad(folder: string, server: Server, rate: number) {
  const pause = pauseFor(rate)
  const before = await durations(server)
  const reached = load(server, { script: writeScript(folder, { pause }), seconds: 10 })
  const after = await durations(server)
  const counts = after.map(({ bound, count }, index) => ({ bound, count: count - (before[index]?.count ?? 0) }))
  const all = counts.at(-1)?.count ?? 0
  const { bound } = counts.find(({ count }) => count >= 0.99 * all) ?? { bound: Number.POSITIVE_INFINITY }
  return {
    what: 'time of the webhook, there, from the whole body to the answer: 99 in 100 reviews, at half load',
    bar: `${SLOWEST * 1000} ms`,
    figure: `under ${bound * 1000} ms`,
    kept: bound <= SLOWEST,
    details: `${Math.round(reached.rate)} requests per second, all of ${all} reviews`,
  }
}

const CONNECTIONS = 16

/** Milliseconds between two requests of a connection, so that all together send so many in a second. */
export const pauseFor = (rate: number): number => Math.max(1, Math.round((CONNECTIONS / rate) * 1000))

/** The buckets of the webhook's own histogram. */
async function durations(server: Server): Promise<readonly { readonly bound: number; readonly count: number }[]> {
  const bucket = /^sluice_admission_review_duration_seconds_bucket\{le="([^"]+)",path="\/validate"\} (\d+)$/gm
  return [...(await metricsOf(server)).matchAll(bucket)].map(([, bound, count]) => ({
    bound: bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound),
    count: Number(count),
  }))
}

const metricsOf = async ({ healthPort }: Server): Promise<string> =>
  (await fetch(`http://127.0.0.1:${healthPort}/metrics`)).text()

export async function untilSynced(server: Server, policies: number): Promise<void> {
  const wanted = `sluice_watch_objects{kind="RateLimitPolicy"} ${policies}\n`
  for (const last = Date.now() + 60_000; Date.now() < last; await sleep(200)) {
    const text = await metricsOf(server)
    if (text.includes(wanted) && text.includes('\nsluice_watches_synced 1\n')) return
  }
  throw new Error('the watches do not see everything')
}
