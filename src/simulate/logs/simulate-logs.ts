/** Simulates access logs in files and streams, larger than memory. */
import type { Logs, ReadResult } from '../core/log-reading.ts'
import type { SimulationReport } from '../report/report.ts'
import { type LogTraffic, type Simulation, startSimulation } from '../simulate.ts'
import type { LogInput } from './log-input.ts'
import { readLogs } from './replay.ts'

/** Logs to simulate, and how they are read. */
export type LogFiles = Logs<LogInput> & {
  readonly spread: LogTraffic['spread']
  /** The host of all requests, where the log does not have it. */
  readonly host: string | undefined
  /** Lines that may be unreadable before reading stops. */
  readonly maxBadLines: number
  /** How many other threads read. */
  readonly threads: number
  /** Called with the numbers of stored bytes of which reading begins. */
  onBytes(bytes: number): void
  /** Called now and then with the number of lines that were read. */
  onLines(lines: number): void
}

/** Simulates. Throws the operating system's error where a file cannot be read. */
export async function simulateLogs(
  simulation: Simulation,
  files: LogFiles,
): Promise<{ readonly report: SimulationReport; readonly reading: ReadResult }> {
  const { kind, logs, spread, host } = files
  const running = startSimulation(simulation, { type: 'log', kind, spread, host, files: logs.map(({ name }) => name) })
  const { plan, platform, constants, run } = running
  const encoder = { kind, constants: [...constants], plan, platform, quick: true }
  const reading = await readLogs({ ...files, encoder }, run)
  return { report: running.finish(reading), reading }
}
