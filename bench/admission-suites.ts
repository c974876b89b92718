/** What is measured of the webhook, against what, and the bars. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { median } from './measure.ts'
import { findOpa, startOpa } from './opa.ts'
import { writeScript } from './reviews.ts'
import { describeLoads, hasWrk, load, type Server, sideBySide, startNode, startWebhook, stopAll } from './server.ts'
import { type Measured, notMeasured, type Suite } from './suite.ts'
import { measureWorld } from './world-suite.ts'

const ECHO = fileURLToPath(new URL('./echo-server.ts', import.meta.url))
const NO_WRK = notMeasured('wrk is not installed')

export const ADMISSION_SUITES: readonly Suite[] = [
  {
    name: 'admission',
    what: 'requests per second of a bare HTTPS echo : of the webhook, all rules, an update',
    bar: '1.43',
    measure: (folder, runs) => againstEcho(folder, runs, 1 / 0.7),
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
    name: 'admission-ready',
    what: 'from the start of the webhook, without a cluster, to its being ready',
    bar: '1.0 s',
    measure: untilReady,
  },
]

function againstEcho(folder: string, runs: number, bar: number): Promise<Measured> | Measured {
  if (!hasWrk()) return NO_WRK
  return compared({ folder, runs, bar, peer: () => startNode(join(folder, 'echo.log'), [ECHO]) })
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
async function compared({ folder, runs, bar, peer, path = '/validate' }: Comparison): Promise<Measured> {
  const script = writeScript(folder)
  const servers: Server[] = []
  try {
    const webhook = await startWebhook(join(folder, 'webhook.log'), ['--standalone'])
    servers.push(webhook)
    const other = await peer()
    servers.push(other)
    const both = sideBySide(
      () => load(other, { script, path }),
      () => load(webhook, { script }),
      runs,
    )
    const ratio = both.a.rate / both.b.rate
    return { figure: ratio.toFixed(2), kept: ratio <= bar, details: describeLoads(both.a, both.b) }
  } finally {
    await stopAll(servers)
  }
}

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
