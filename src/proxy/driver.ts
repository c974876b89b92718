/**
 * Drives an nginx: gives it one wanted configuration after another, and says what is really in force. Knows no product: a
 * configuration is files in parts, and what is wrong with one of the parts does not keep the others out.
 */
import { type FSWatcher, realpathSync, watch } from 'node:fs'
import { resolve } from 'node:path'
import { keptAfterReload } from '../nginx/version.ts'
import { applyTo, type Result } from './apply.ts'
import type { Forms, Wanted } from './configuration.ts'
import { type ErrorLog, openErrorLog } from './error-log.ts'
import { DriverFailure, withFiles } from './failure.ts'
import { makeFolder, openFolder } from './folder.ts'
import { type Cost, createInstance, type InstanceOptions, type Step } from './instance.ts'
import { takeLock } from './lock.ts'
import { boundLogs, LARGEST_LOG } from './log-size.ts'
import { type Limits, stopMaster } from './master.ts'
import { isAlive, type ProcessIdentity } from './processes.ts'
import { versionOf } from './program.ts'

/** What came of a wanted configuration. */
export type Outcome = (
  | Result
  /** It could not be tried, or not to its end; what was in force stays, unless nginx has ended. */
  | { readonly result: 'failed'; readonly failure: DriverFailure }
) & {
  /** Counts the configurations that were tried by this driver, from 1. */
  readonly revision: number
  /** What is in force now; undefined where no nginx runs. */
  readonly forms: Forms | undefined
  readonly cost: Cost
}

/** What happens without being asked for. */
export type DriverEvent =
  /** nginx has ended by itself; it is started again in `pause` milliseconds. */
  | { readonly event: 'ended'; readonly pause: number }
  /** What came of starting it again. */
  | { readonly event: 'restarted'; readonly outcome: Outcome }

export type DriverOptions = {
  /**
   * The folder for everything: nginx's prefix. Made where it is missing, never removed. Sockets that nginx listens on belong
   * into it: those of an nginx that was killed are removed before the next start.
   */
  readonly folder: string
  /** The program: a path, or a name on PATH. */
  readonly nginx: string
  readonly limits?: Partial<Limits>
  /** Bytes of a log of nginx before it is moved to `*.log.1`; default: {@link LARGEST_LOG}. */
  readonly largestLog?: number
  readonly onEvent?: (event: DriverEvent) => void
  /** Gets each line that nginx writes to its error log from now on; `parseRecord` reads it. */
  readonly onLogLine?: (line: string) => void
  /** Called between any two steps; for tests. */
  readonly onStep?: (step: Step) => void
}

export type Driver = {
  /** `1.22.1`. */
  readonly version: string
  /** The nginx that runs, which this driver or one before it has started. */
  master(): ProcessIdentity | undefined
  /** What is in force now; undefined where no nginx runs, or a driver before this one has left that open. */
  inForce(): Forms | undefined
  /**
   * Puts a configuration into force. While one is being applied only the newest of the others waits: the ones between them
   * have its outcome. Rejects only where `compose` breaks its contract.
   */
  apply(wanted: Wanted): Promise<Outcome>
  /** Ends the driver and nginx, which gets `grace` milliseconds to finish its requests (default: none). */
  stop(grace?: number): Promise<void>
  /** Ends the driver. nginx goes on, and the next driver in this folder takes it up. */
  leave(): Promise<void>
}

/** Default limits in milliseconds: a slow machine reads a large configuration in seconds. */
const LIMITS: Limits = { test: 60_000, load: 60_000, stop: 5_000, healthy: 60_000 }

/** Milliseconds between two looks at nginx and its log, which is also read when the system reports a change. */
const TICK = 1_000

/** Milliseconds before nginx is started again: doubled each time up to the last, and the first after a healthy life. */
const RESTART = { first: 500, last: 30_000 }

/** Opens a folder. Throws a {@link DriverFailure} where that cannot be done. */
export async function openDriver(options: DriverOptions): Promise<Driver> {
  const limits = { ...LIMITS, ...options.limits }
  const version = await versionOf(options.nginx, limits.test)
  const path = withFiles(() => {
    makeFolder(resolve(options.folder))
    return realpathSync(options.folder)
  })
  const unlock = await takeLock(path)
  try {
    const folder = openFolder(path)
    const log = openErrorLog(folder.errorLog)
    if (options.onLogLine) log.subscribe(options.onLogLine)
    const onStep = options.onStep ?? (() => {})
    onStep('locked')
    return runDriver(
      { folder, program: options.nginx, log, limits, kept: keptAfterReload(version), onStep },
      {
        ...{ ...options, version, unlock },
        largestLog: options.largestLog ?? LARGEST_LOG,
      },
    )
  } catch (error) {
    unlock()
    throw error
  }
}

type Running = Pick<DriverOptions, 'onEvent'> & {
  readonly version: string
  readonly largestLog: number
  readonly unlock: () => void
}

type Waiting = {
  wanted: Wanted
  readonly outcome: Promise<Outcome>
  readonly resolve: (outcome: Outcome | Promise<Outcome>) => void
}

function runDriver(options: InstanceOptions, { version, largestLog, unlock, onEvent = () => {} }: Running): Driver {
  const instance = createInstance(options)
  let waiting: Waiting | undefined
  let work: Promise<void> | undefined
  let latest: Wanted | undefined
  let revision = 0
  let isClosed = false

  async function applyNow(wanted: Wanted): Promise<Outcome> {
    revision += 1
    latest = wanted
    const common = () => ({ revision, forms: instance.master() && instance.accepted(), cost: instance.takeCost() })
    try {
      return { ...(await applyTo(instance, wanted)), ...common() }
    } catch (failure) {
      if (failure instanceof DriverFailure) return { result: 'failed', failure, ...common() }
      throw failure
    }
  }

  async function workOff(): Promise<void> {
    for (let next = waiting; next; next = waiting) {
      waiting = undefined
      const outcome = applyNow(next.wanted)
      next.resolve(outcome)
      await outcome.catch(() => {})
    }
    work = undefined
  }

  function apply(wanted: Wanted): Promise<Outcome> {
    if (isClosed) return Promise.reject(new Error('the driver has ended'))
    if (waiting) waiting.wanted = wanted
    waiting ??= newWaiting(wanted)
    const { outcome } = waiting
    work ??= workOff()
    return outcome
  }

  const endSupervision = supervise({
    log: options.log,
    folder: options.folder.path,
    largestLog,
    healthy: options.limits.healthy,
    started: instance.started,
    isBusy: () => work !== undefined,
    onEnded: (pause) => onEvent({ event: 'ended', pause }),
    async restart() {
      if (!isClosed && latest) onEvent({ event: 'restarted', outcome: await apply(latest) })
    },
  })

  async function close(): Promise<void> {
    isClosed = true
    endSupervision()
    await work
  }

  return {
    version,
    master: instance.master,
    inForce: () => (instance.isKnown() ? instance.accepted() : undefined),
    apply,
    async stop(grace = 0) {
      await close()
      await stopMaster(instance.master(), options, grace)
      options.log.read()
      options.log.close()
      unlock()
    },
    async leave() {
      await close()
      options.log.close()
      unlock()
    },
  }
}

function newWaiting(wanted: Wanted): Waiting {
  let resolve: Waiting['resolve'] = () => {}
  const outcome = new Promise<Outcome>((done) => {
    resolve = done
  })
  return { wanted, outcome, resolve }
}

type Supervised = {
  readonly log: ErrorLog
  readonly folder: string
  readonly largestLog: number
  readonly healthy: number
  /** The nginx that was started last, dead or alive. */
  started(): ProcessIdentity | undefined
  /** True while a configuration is being applied. */
  isBusy(): boolean
  onEnded(pause: number): void
  restart(): Promise<void>
}

/** Reads the log as it grows and keeps it small, and starts nginx again where it has ended. Returns what ends it. */
function supervise({ log, folder, largestLog, healthy, started, isBusy, onEnded, restart }: Supervised): () => void {
  let known: { readonly master: ProcessIdentity; readonly since: number } | undefined
  let pause = RESTART.first
  let timer: NodeJS.Timeout | undefined
  const look = () => {
    log.read()
    if (isBusy() || timer) return
    const master = started()
    if (master && master.pid !== known?.master.pid) known = { master, since: performance.now() }
    // A restart that fails leaves no master: the one before is still the one that has ended.
    if (!known || isAlive(known.master)) return
    if (performance.now() - known.since > healthy) pause = RESTART.first
    // The time that failed restarts take does not count as time in which nginx ran.
    known = { ...known, since: performance.now() }
    onEnded(pause)
    timer = setTimeout(async () => {
      await restart()
      timer = undefined
    }, pause).unref()
    pause = Math.min(2 * pause, RESTART.last)
  }
  let isOver = false
  let isBounding = false
  const mayCut = () => {
    // What came of a reload is read in the log, and must have been read before it is cut.
    log.read()
    return !isBusy() && !isOver
  }
  const ticks = setInterval(() => {
    look()
    if (isBounding) return
    isBounding = true
    // What cannot be read or written now is looked at again at the next tick.
    boundLogs({ folder, largest: largestLog, mayCut })
      .catch(() => {})
      .finally(() => {
        isBounding = false
      })
  }, TICK).unref()
  const watcher = watchFolder(folder, log)
  return () => {
    isOver = true
    clearInterval(ticks)
    clearTimeout(timer)
    watcher?.close()
  }
}

/** Reads the log as soon as it grows; undefined where the system has no more watches, so that only ticks remain. */
function watchFolder(folder: string, log: ErrorLog): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, () => log.read())
    return watcher.once('error', () => watcher.close())
  } catch {
    return undefined
  }
}
