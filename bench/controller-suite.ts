/** The controller beside a real API server with thousands of policies: a start where all statuses are there, and idleness. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasControlPlane, programOf } from '../scripts/kube-apiserver.ts'
import type { ControlPlane } from '../test/cluster/control-plane.ts'
import { gatewayClass } from '../test/cluster/resources.ts'
import { ADMIN } from '../test/cluster/users.ts'
import { createAll, fill, startCluster } from './cluster.ts'
import { median } from './measure.ts'
import { PROGRAM, processorTime, type Server, startNode, stopAll } from './server.ts'
import { type Measured, notMeasured, type Suite } from './suite.ts'

const POLICIES = 5_000
const BAR = 3
/** Seconds of watching an idle controller, and of processor time that it may use in them: a hundredth. */
const IDLE = { seconds: 60, most: 0.6 }

export const CONTROLLER_SUITE: Suite = {
  name: 'controller-start',
  what: `start of the controller until the statuses of ${POLICIES} policies are compared : kubectl get of the policies`,
  bar: String(BAR),
  async measure(folder, runs) {
    if (!hasControlPlane())
      return notMeasured('kube-apiserver and etcd are not installed: node scripts/kube-apiserver.ts')
    const plane = await startCluster()
    try {
      await createAll(plane, [gatewayClass('nginx', 'gateway.nginx.org/nginx-gateway-controller')])
      await fill(plane, POLICIES)
      return await measureStarts(plane, folder, runs)
    } finally {
      await plane.stop()
    }
  },
}

async function measureStarts(plane: ControlPlane, folder: string, runs: number): Promise<Measured> {
  const start = () => startController(plane, join(folder, 'controller.log'))
  const first = await start()
  const begun = performance.now()
  await untilWritten(first)
  const writing = (performance.now() - begun) / 1000
  await stopAll([first])
  const times: Record<'start' | 'list', number[]> = { start: [], list: [] }
  for (let run = 0; run < runs; run++) {
    times.list.push(list(plane))
    const started = performance.now()
    const controller = await start()
    await until('all statuses are compared', async () => (await numberOf(controller, COMPARED)) > 0)
    times.start.push((performance.now() - started) / 1000)
    await stopAll([controller])
  }
  const [started, listed] = [median(times.start), median(times.list)]
  const idle = await idleTime(await start())
  return {
    figure: (started / listed).toFixed(2),
    kept: started / listed <= BAR,
    details: `${started.toFixed(2)} s : ${listed.toFixed(2)} s; all statuses written for the first time within ${writing.toFixed(0)} s`,
    beside: [
      {
        what: `processor time of the idle controller in ${IDLE.seconds} s`,
        bar: `${IDLE.most} s`,
        figure: `${idle.toFixed(2)} s`,
        kept: idle <= IDLE.most,
        details: 'of one core',
      },
    ],
  }
}

const COMPARED = 'sluice_controller_reconcile_duration_seconds_count'
const WAITING = 'sluice_controller_writes_waiting'

const startController = (plane: ControlPlane, log: string): Promise<Server> =>
  startNode(log, [
    PROGRAM,
    ...['serve', 'controller', '--kubeconfig', plane.kubeconfig(ADMIN)],
    ...['--host', '127.0.0.1', '--health-port', '0'],
  ])

/** Seconds. */
function list(plane: ControlPlane): number {
  const begun = performance.now()
  const parameters = [`--kubeconfig=${plane.kubeconfig(ADMIN)}`, 'get', 'ratelimitpolicies', '-A', '-o', 'json']
  const { status } = spawnSync(programOf('kubectl'), parameters, { stdio: 'ignore' })
  if (status !== 0) throw new Error('kubectl cannot list the policies')
  return (performance.now() - begun) / 1000
}

/** Waits until nothing is left to write, twice in a row: a write may be followed by others. */
async function untilWritten(controller: Server): Promise<void> {
  let quiet = 0
  await until('all statuses are written', async () => {
    const isQuiet = (await numberOf(controller, COMPARED)) > 0 && (await numberOf(controller, WAITING)) === 0
    quiet = isQuiet ? quiet + 1 : 0
    return quiet > 50
  })
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const last = Date.now() + 600_000; Date.now() < last; await sleep(20)) if (await holds()) return
  throw new Error(`waited in vain: ${what}`)
}

async function numberOf({ healthPort }: Server, series: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${healthPort}/metrics`)).text()
  return Number(new RegExp(`^${series} (\\S+)$`, 'm').exec(text)?.[1] ?? 0)
}

/** Seconds of processor time that the controller uses once it has nothing to do. Ends it. */
async function idleTime(controller: Server): Promise<number> {
  try {
    await untilWritten(controller)
    await sleep(10_000)
    const before = processorTime(controller.child.pid)
    await sleep(IDLE.seconds * 1000)
    return (processorTime(controller.child.pid) - before) / 1_000_000
  } finally {
    await stopAll([controller])
  }
}
