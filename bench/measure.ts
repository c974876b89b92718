/** Runs programs side by side and compares their times. Times of different runs are never compared. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** A program to run. */
export type Command = {
  readonly program: string
  readonly parameters: readonly string[]
  /** Exit codes that mean it did its work; findings are work. Default: 0. */
  readonly exits?: readonly number[]
  /** What is done before each run, outside of its time. */
  readonly prepare?: () => void
}

/** Seconds that a program took: the median of its runs. */
export type Timing = { readonly a: number; readonly b: number; readonly ratio: number }

/** Runs one program to its end, its output thrown away; gives seconds. Throws where it did not do its work. */
function run({ program, parameters, exits = [0], prepare }: Command): number {
  prepare?.()
  const started = process.hrtime.bigint()
  const { status, signal, error } = spawnSync(program, parameters, { stdio: 'ignore' })
  const seconds = Number(process.hrtime.bigint() - started) / 1e9
  if (error) throw error
  if (status === null || !exits.includes(status))
    throw new Error(`${[program, ...parameters].join(' ')} ended with ${signal ?? status}`)
  return seconds
}

/** Runs two programs in turns (A B A B …) after a turn to warm up; their medians and the ratio of the medians. */
export function compare(a: Command, b: Command, runs: number): Timing {
  run(a)
  run(b)
  const turns = Array.from({ length: runs }, () => ({ a: run(a), b: run(b) }))
  const [medianA, medianB] = [median(turns.map((turn) => turn.a)), median(turns.map((turn) => turn.b))]
  return { a: medianA, b: medianB, ratio: medianA / medianB }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((x, y) => x - y)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

const PRELOAD = fileURLToPath(new URL('./peak-memory.mjs', import.meta.url))

/** The most memory, in bytes, that a program of Node held at any time of one run: the median of several. */
export function peakMemory(script: string, parameters: readonly string[], runs: number): number {
  const peaks = Array.from({ length: runs }, () => {
    const { status, output } = spawnSync(process.execPath, ['--import', PRELOAD, script, ...parameters], {
      stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
      encoding: 'utf8',
    })
    const bytes = Number(output?.[3])
    if (status === null || !(bytes > 0)) throw new Error(`${script} did not tell its peak memory`)
    return bytes
  })
  return median(peaks)
}
