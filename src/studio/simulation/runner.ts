/** Runs simulations beside the page, one at a time: of those that are asked for meanwhile only the newest follows. */
import type { Problem, ShapeTraffic, SimulateOptions, SimulationReport, TextSource } from '../../browser.ts'
import { openLibrary } from '../library/library.ts'

/** What is simulated, with what. */
type SimulationRequest = {
  readonly sources: readonly TextSource[]
  readonly options: SimulateOptions
  readonly traffic: ShapeTraffic | LogFile
}

/** A log of the user's disk. */
export type LogFile = {
  readonly file: File
  /** As `--log-format`; empty to detect it. */
  readonly format: string
  /** The host of all requests, where the log does not have it; empty for none. */
  readonly host: string
}

/** How far the runner is, and the last result. */
export type RunState = {
  readonly isBusy: boolean
  /** The share of a log that was read, from 0 to 1. */
  readonly progress?: number
  readonly report?: SimulationReport
  /** Why there is no report. */
  readonly problems?: readonly string[]
}

export type Runner = {
  run(request: SimulationRequest): void
  /** Ends what is running, and forgets what waits. */
  cancel(): void
  /** Writes a report in a format of `sluice simulate`. */
  format(report: SimulationReport, format: 'svg' | 'csv'): Promise<string>
  close(): void
}

/** A runner with a worker of its own, whose end is the one way to stop a simulation. */
export function createRunner(onState: (change: (state: RunState) => RunState) => void): Runner {
  let worker = openLibrary()
  let running: SimulationRequest | undefined
  let next: SimulationRequest | undefined
  const start = async (request: SimulationRequest): Promise<void> => {
    const mine = worker
    running = request
    onState(({ progress: _, ...state }) => ({ ...state, isBusy: true }))
    const onProgress = (progress: number) => mine === worker && onState((state) => ({ ...state, progress }))
    const result = await simulated(mine.library, request, onProgress)
    if (mine !== worker) return
    running = undefined
    const { value: report, problems } = result
    onState(() => ({ isBusy: next !== undefined, ...(report ? { report } : { problems }) }))
    follow()
  }
  const follow = (): void => {
    const request = next
    next = undefined
    if (request) void start(request)
  }
  const cancel = (): void => {
    next = undefined
    if (!running) return
    worker.close()
    worker = openLibrary()
    running = undefined
    onState(({ progress: _, ...state }) => ({ ...state, isBusy: false }))
  }
  return {
    run(request) {
      // A log may take long: what follows does not wait for it.
      if (running && 'file' in running.traffic) cancel()
      next = request
      if (!running) follow()
    },
    cancel,
    async format(report, format) {
      const result = await worker.library.formatSimulation(report, format)
      if (result.ok) return result.value
      throw new Error(result.problems.map(({ message }) => message).join('; '))
    },
    close: () => worker.close(),
  }
}

async function simulated(
  library: ReturnType<typeof openLibrary>['library'],
  { sources, options, traffic }: SimulationRequest,
  onProgress: (share: number) => void,
): Promise<{ readonly value?: SimulationReport; readonly problems: readonly string[] }> {
  if (!('file' in traffic)) return outcome(await library.simulate(sources, traffic, options))
  const { file, format, host } = traffic
  const { port1, port2 } = new MessageChannel()
  port1.addEventListener('message', ({ data }: MessageEvent<number>) => onProgress(data / file.size))
  port1.start()
  const how = {
    file,
    name: file.name,
    ...(format === '' ? {} : { logFormat: format }),
    ...(host === '' ? {} : { host }),
  }
  const result = await library.simulateFile(sources, how, options, port2)
  port1.close()
  return outcome(result)
}

const outcome = (result: Awaited<ReturnType<ReturnType<typeof openLibrary>['library']['simulate']>>) =>
  result.ok ? { value: result.value, problems: [] } : { problems: result.problems.map(problemText) }

/** What is wrong with the traffic needs no path: there is one. */
const problemText = ({ path, message }: Problem): string =>
  path === '' || path.startsWith('traffic.') ? message : `${path}: ${message}`
