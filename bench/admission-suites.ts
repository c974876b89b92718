/** What is measured of the webhook, against what, and the bars. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { median } from './measure.ts'
import { findOpa, startOpa } from './opa.ts'
import { CHANGE, CREATION, writeScript } from './reviews.ts'
import {
  describeLoads,
  hasWrk,
  LOAD_SECONDS,
  load,
  processorTime,
  type Server,
  sideBySide,
  startNode,
  startWebhook,
  stopAll,
  workersOf,
} from './server.ts'
import { type Measured, notMeasured, type Suite } from './suite.ts'
import { measureWorld } from './world-suite.ts'

const ECHO = fileURLToPath(new URL('./echo-server.ts', import.meta.url))
const NO_WRK = notMeasured('wrk is not installed')

export const ADMISSION_SUITES: readonly Suite[] = [
  {
    name: 'admission',
    what: 'processor time of a review, a policy that kubectl creates, of the webhook with all rules : of a bare HTTPS echo',
    bar: '1.5',
    measure: (folder, runs) => (hasWrk() ? againstEcho(folder, runs, 1.5) : NO_WRK),
  },
  {
    name: 'admission-opa',
    what: 'requests per second of an OPA server with five rules : of the webhook, the same review',
    bar: '0.5',
    measure: (folder, runs) => againstOpa(folder, runs, 1 / 2),
  },
  {
    name: 'admission-world',
    what: 'requests per second of the webhook that watches a cluster without them : with 10,000 policies and 5,000 routes',
    bar: '1.11',
    measure: (folder, runs) => (hasWrk() ? measureWorld(folder, runs, 1 / 0.9) : NO_WRK),
  },
  {
    name: 'admission-workers',
    what: 'reviews per second of the webhook : of the webhook with two workers, on two cores',
    bar: '0.625',
    measure: (folder, runs) => (hasWrk() ? withWorkers(folder, runs, 1 / 1.6) : NO_WRK),
  },
  {
    name: 'admission-ready',
    what: 'from the start of the webhook, without a cluster, to its being ready',
    bar: '1.0 s',
    measure: untilReady,
  },
]

async function againstEcho(folder: string, runs: number, bar: number): Promise<Measured> {
  const servers: Server[] = []
  try {
    const webhook = await startWebhook(join(folder, 'webhook.log'), ['--standalone'])
    servers.push(webhook)
    const echo = await startNode(join(folder, 'echo.log'), [ECHO])
    servers.push(echo)
    const figureOf = (name: string, review: object) => {
      const script = writeScript(folder, { reviews: [review], name })
      const { a, b } = sideBySide(
        () => load(webhook, { script }),
        () => load(echo, { script }),
        runs,
      )
      const ratio = a.cpu / b.cpu
      return { figure: ratio.toFixed(2), kept: ratio <= bar, details: describeLoads(a, b) }
    }
    const created = figureOf('creation', CREATION)
    const what = 'the same, a policy that gets another rate'
    return { ...created, beside: [{ what, bar: String(bar), ...figureOf('change', CHANGE) }] }
  } finally {
    await stopAll(servers)
  }
}

function againstOpa(folder: string, runs: number, bar: number): Promise<Measured> | Measured {
  const program = findOpa()
  if (!program) return notMeasured('opa is not installed')
  if (!hasWrk()) return NO_WRK
  return compared({ folder, runs, bar, peer: () => startOpa(program, folder), path: '/' })
}

type Comparison = {
  readonly folder: string
  readonly runs: number
  readonly bar: number
  peer(): Promise<Server>
  /** Where the peer takes reviews. */
  readonly path?: string
}

/** The webhook, which stands alone, beside another server. */
async function compared({ folder, runs, bar, peer, path }: Comparison): Promise<Measured> {
  const script = writeScript(folder)
  const servers: Server[] = []
  try {
    const webhook = await startWebhook(join(folder, 'webhook.log'), ['--standalone'])
    servers.push(webhook)
    const other = await peer()
    servers.push(other)
    const both = sideBySide(
      () => load(other, { script, ...(path ? { path } : {}) }),
      () => load(webhook, { script }),
      runs,
    )
    const ratio = both.a.rate / both.b.rate
    return { figure: ratio.toFixed(2), kept: ratio <= bar, details: describeLoads(both.a, both.b) }
  } finally {
    await stopAll(servers)
  }
}

/** wrk needs a core of its own: where there are two, the processor time says what two free cores would do. */
async function withWorkers(folder: string, runs: number, bar: number): Promise<Measured> {
  const script = writeScript(folder)
  const servers: Server[] = []
  try {
    const one = await startWebhook(join(folder, 'one.log'), ['--standalone'])
    servers.push(one)
    const two = await startWebhook(join(folder, 'two.log'), ['--standalone', '--workers', '2'])
    servers.push(two)
    const shares: number[][] = []
    const loadTwo = () => {
      const before = workersOf(two).map(processorTime)
      const measured = load(two, { script })
      shares.push(workersOf(two).map((pid, index) => processorTime(pid) - (before[index] ?? 0)))
      return { ...measured, cpu: sum(shares.at(-1) ?? []) / (measured.rate * LOAD_SECONDS) }
    }
    const both = sideBySide(() => load(one, { script }), loadTwo, runs)
    const ratio = both.a.rate / both.b.rate
    const busiest = median(shares.map((share) => Math.max(...share) / sum(share)))
    const details = `${describeLoads(both.a, both.b)}; the busier worker did ${(busiest * 100).toFixed(0)} % of the work`
    return {
      figure: ratio.toFixed(2),
      kept: ratio <= bar,
      details,
      beside: [ofCores(both.a.cpu, both.b.cpu * busiest, bar)],
    }
  } finally {
    await stopAll(servers)
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

/** What the processor times mean for two cores on which nothing else runs: the busier worker is full first. */
const ofCores = (one: number, busier: number, bar: number) => ({
  what: 'processor time of the busier of two workers : of one process, for the same reviews',
  bar: bar.toFixed(3),
  figure: (busier / one).toFixed(2),
  kept: busier / one <= bar,
  details: `${busier.toFixed(0)} : ${one.toFixed(0)} µs a review`,
})

async function untilReady(folder: string, runs: number): Promise<Measured> {
  const seconds: number[] = []
  for (let run = 0; run < runs; run++) {
    const begun = performance.now()
    const server = await startWebhook(join(folder, `${run}.log`), ['--standalone'])
    try {
      while ((await fetch(`http://127.0.0.1:${server.healthPort}/readyz`)).status !== 200) await sleep(5)
      seconds.push((performance.now() - begun) / 1000)
    } finally {
      await stopAll([server])
    }
  }
  const middle = median(seconds)
  return { figure: `${middle.toFixed(2)} s`, kept: middle <= 1, details: `median of ${runs} starts` }
}
