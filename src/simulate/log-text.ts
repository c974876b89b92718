/** Simulates access logs in memory and in streams. Nothing here needs Node; logs/ reads files, with several threads. */
import type { QueryResult } from '../queries/find.ts'
import type { LogHints } from '../traffic/detect.ts'
import { latin1Text } from '../traffic/escaping.ts'
import { createEncoder } from './core/encoder.ts'
import { blocksOf, type Chunks } from './core/line-blocks.ts'
import {
  arrangeLogs,
  BLOCK_BYTES,
  createLineCounter,
  type ReadResult,
  SAMPLE_BYTES,
  sampleLines,
} from './core/log-reading.ts'
import type { SimulationReport } from './report/report.ts'
import { type LogTraffic, type Simulation, startSimulation } from './simulate.ts'

/** How a log that is not packed is read. */
type LogOptions = Partial<Pick<LogTraffic, 'spread' | 'host'>> &
  Partial<LogHints> & {
    /** The name in messages and in the report; `log` by default. */
    readonly name?: string
  }

/** A log in memory: a string, or the bytes of a file. */
export type LogText = LogOptions & { readonly text: string | Uint8Array }

/** A log in chunks of bytes, such as a stream; each is read as it comes, so that the log may be larger than memory. */
export type LogStream = LogOptions & { readonly chunks: Chunks }

type SimulatedLog = { readonly report: SimulationReport; readonly reading: ReadResult }

/** Simulates a log in memory. A problem, such as an unknown log format, is one line for the user. */
export function simulateLogText(simulation: Simulation, { text, ...options }: LogText): QueryResult<SimulatedLog> {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
  const started = startLog(simulation, bytes, options)
  if (!started.ok) return started
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(LF, start + BLOCK_BYTES)
    const end = newline < 0 ? bytes.length : newline + 1
    started.value.take(bytes.subarray(start, end))
    start = end
  }
  return { ok: true, value: started.value.finish() }
}

const LF = 10

/** Simulates a log in chunks. Throws what reading the chunks throws. */
export async function simulateLogStream(
  simulation: Simulation,
  { chunks, ...options }: LogStream,
): Promise<QueryResult<SimulatedLog>> {
  let started: ReturnType<typeof startLog> | undefined
  for await (const block of blocksOf(chunks)) {
    started ??= startLog(simulation, block, options)
    if (!started.ok) return started
    started.value.take(block)
  }
  const all = started ?? startLog(simulation, new Uint8Array(0), options)
  return all.ok ? { ok: true, value: all.value.finish() } : all
}

/** A log that is being read. */
type StartedLog = {
  /** Takes the next block of whole lines. */
  take(block: Uint8Array): void
  finish(): SimulatedLog
}

/** Starts with the format that the first bytes of the log have: all of them, or more than a sample needs. */
function startLog(
  simulation: Simulation,
  first: Uint8Array,
  { name = 'log', spread = 'even', host, format, fields = new Map() }: LogOptions,
): QueryResult<StartedLog> {
  const sample = sampleLines(latin1Text(first.subarray(0, SAMPLE_BYTES)), first.length <= SAMPLE_BYTES)
  const arranged = arrangeLogs([{ name, sample }], { format, fields })
  if (!arranged.ok) return arranged
  const { kind } = arranged.value
  const running = startSimulation(simulation, { type: 'log', kind, spread, host, files: [name] })
  const { plan, platform, constants, run } = running
  const encode = createEncoder({ kind, constants: [...constants], plan, platform, quick: true })
  const counter = createLineCounter([name], Number.POSITIVE_INFINITY)
  const take = (block: Uint8Array): void => {
    const batch = encode(block)
    counter.add(0, batch)
    run.take(0, batch)
  }
  const finish = (): SimulatedLog => {
    const reading = counter.result()
    return { report: running.finish(reading), reading }
  }
  return { ok: true, value: { take, finish } }
}
