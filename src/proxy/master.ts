/** The nginx that runs: started, reloaded and stopped, and each time what really came of it. */
import { spawn } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { ErrorLog } from './error-log.ts'
import { DriverFailure, withFiles } from './failure.ts'
import type { Folder } from './folder.ts'
import {
  childrenOf,
  commandOf,
  errorLogOf,
  identify,
  isAlive,
  type ProcessIdentity,
  processesWriting,
  signal,
} from './processes.ts'
import { killGroup, missing } from './program.ts'
import { isAboutRequest, judgeLog, type Verdict } from './words.ts'

/** Time limits in milliseconds. A hang is reported when one is over; nothing else waits for them. */
export type Limits = {
  /** For `nginx -t`. */
  readonly test: number
  /** For a start, and for a reload. */
  readonly load: number
  /** For a stop, before nginx is killed. */
  readonly stop: number
  /** For nginx to live, after which it is started again with the shortest pause. */
  readonly healthy: number
}

export type MasterOptions = {
  readonly folder: Folder
  readonly program: string
  readonly log: ErrorLog
  readonly limits: Limits
  /** Milliseconds after a reload in which old workers may answer with the old configuration. */
  readonly kept: number
  /** Told before a start and a reload are waited for. */
  onStep(step: 'started' | 'signalled'): void
}

/** What nginx reads, in its folder. */
const MAIN = 'conf/nginx.conf'

/** Milliseconds between two looks while something is waited for. */
const SOON = 10

/** Milliseconds that new workers of a fresh nginx must live: one that cannot run ends at once. */
const STEADY = 100

/**
 * The nginx of a folder that runs: the process of the pid file, or else the one that was noted. One that only starts is none
 * yet: it forgets signals until it has its title, which it takes after it has written the pid file.
 */
export function findMaster(folder: Folder): ProcessIdentity | undefined {
  const written = identify(pidIn(folder.pidFile))
  return [written, folder.state().master].find((one) => one && isAlive(one) && isOwnMaster(one, folder))
}

/**
 * True for the master of an nginx that was started in this folder. Its title says so: the number of a process may have been
 * given to another one, and the files of a folder copied to another.
 */
export const isOwnMaster = ({ pid }: ProcessIdentity, { path }: Pick<Folder, 'path'>): boolean => {
  const title = commandOf(pid)
  return isMaster(title) && title.includes(` -p ${path} -c ${MAIN} `)
}

const isMaster = (command: string): boolean => command.startsWith('nginx: master process')

function pidIn(pidFile: string): number {
  try {
    return Number.parseInt(readFileSync(pidFile, 'utf8'), 10) || 0
  } catch {
    return 0
  }
}

/**
 * Starts nginx with what `conf` leads to. Workers whose master has died, and a start that did not get to the end, hold the
 * addresses and are killed before. Throws a failure where nginx hangs, or ends without a reason.
 */
export async function start(options: MasterOptions): Promise<Verdict> {
  const { folder, program, log, limits, onStep } = options
  await killAll(options)
  withFiles(() => {
    rmSync(folder.pidFile, { force: true })
    removeSockets(folder.path)
  })
  const output = withFiles(() => openSync(folder.errorLog, 'a'))
  const { lines, stop } = collectLines(log)
  const args = ['-p', folder.path, '-c', MAIN, '-e', folder.errorLog, '-g', 'daemon off;']
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', output], detached: true })
  closeSync(output)
  child.unref()
  let problem: DriverFailure | undefined
  let ending: string | undefined
  child.once('error', (error) => {
    problem = missing(program, error)
  })
  child.once('exit', (code, name) => {
    ending = name === null ? `with code ${code}` : `on ${name}`
  })
  const judge = () => {
    log.read()
    return judgeLog(lines, { folder: folder.path, reloads: undefined, old: [] })
  }
  try {
    onStep('started')
    const first = await until(limits.load, () => {
      if (problem) throw problem
      const judged = judge()
      if (judged?.accepted === false || (judged && haveWorkersBegun(pidIn(folder.pidFile)))) return judged
      if (ending === undefined) return undefined
      throw new DriverFailure('crash', [`nginx ended ${ending}`, ...lines.slice(-1)].join(': '))
    })
    if (first?.accepted) await pause(STEADY)
    const verdict = first?.accepted ? judge() : first
    if (verdict?.accepted) return verdict
    killGroup(child)
    await killAll(options)
    if (verdict) return verdict
    throw new DriverFailure('hang', `nginx has no workers ${limits.load} ms after its start`)
  } finally {
    stop()
  }
}

/** Collects what nginx says of itself from now on. */
function collectLines(log: ErrorLog): { readonly lines: readonly string[]; stop(): void } {
  const lines: string[] = []
  return { lines, stop: log.subscribe((line) => isAboutRequest(line) || lines.push(line)) }
}

/** True when each worker has the title that it takes after its set-up; before, it has that of its master, and none when it has ended. */
function haveWorkersBegun(master: number): boolean {
  const titles = childrenOf(master).map((pid) => commandOf(pid))
  return master > 0 && titles.every((title) => title.startsWith('nginx: ') && !isMaster(title))
}

/** Removes the sockets of an nginx that was killed: it leaves them, and the next one finds their addresses in use. */
function removeSockets(folder: string): void {
  const entries = readdirSync(folder, { withFileTypes: true })
  for (const entry of entries) if (entry.isSocket()) rmSync(join(folder, entry.name), { force: true })
}

/**
 * Makes a master read what `conf` leads to, and waits until its new workers run and the old ones accept no request any
 * longer. Throws a failure where that does not happen in time, or the master ends.
 */
export async function reload(master: ProcessIdentity, options: MasterOptions): Promise<Verdict> {
  const { folder, log, limits, kept, onStep } = options
  await reopenLog(master, options)
  const { lines, stop } = collectLines(log)
  const workers = childrenOf(master.pid).filter((pid) => commandOf(pid) === 'nginx: worker process')
  try {
    signal(master, 'SIGHUP')
    onStep('signalled')
    const verdict = await until(limits.load, () => {
      log.read()
      const old = workers.filter((pid) => identify(pid) !== undefined)
      const judged = judgeLog(lines, { folder: folder.path, reloads: master.pid, old })
      if (!judged && !isAlive(master)) throw new DriverFailure('crash', 'nginx ended while it was to reload')
      // The old workers may have gone before a new one finds that it cannot run.
      return judged?.accepted && !haveWorkersBegun(master.pid) ? undefined : judged
    })
    if (verdict?.accepted) await pause(kept)
    if (verdict) return verdict
    throw new DriverFailure('hang', `nginx has not reloaded ${limits.load} ms after the signal`)
  } finally {
    stop()
  }
}

/** Lets nginx open its error log anew where that was moved away: what comes of a reload is read in it. */
async function reopenLog(master: ProcessIdentity, { folder, limits }: MasterOptions): Promise<void> {
  const isOpen = () => [undefined, folder.errorLog].includes(errorLogOf(master.pid))
  if (isOpen()) return
  signal(master, 'SIGUSR1')
  await until(limits.stop, () => isOpen() || undefined)
}

/**
 * Ends nginx: at once, or after its requests where `grace` gives them milliseconds. What does not end is killed, and so are
 * workers whose master has died.
 */
export async function stopMaster(
  master: ProcessIdentity | undefined,
  { folder, limits }: Pick<MasterOptions, 'folder' | 'limits'>,
  grace: number,
): Promise<void> {
  const ended = () => (master && isAlive(master) ? undefined : true)
  if (master && grace > 0) {
    signal(master, 'SIGQUIT')
    await until(grace, ended)
  }
  if (master && signal(master, 'SIGTERM')) await until(limits.stop, ended)
  await killAll({ folder, limits })
}

/** Kills everything that writes to the error log, and waits until it has ended. */
async function killAll({ folder, limits }: Pick<MasterOptions, 'folder' | 'limits'>): Promise<void> {
  for (const left of processesWriting(folder.errorLog)) signal(left, 'SIGKILL')
  await until(limits.stop, () => (processesWriting(folder.errorLog).length > 0 ? undefined : true))
}

/** The first result within `limit` milliseconds; undefined where there is none. */
async function until<Result>(limit: number, look: () => Result | undefined): Promise<Result | undefined> {
  const end = performance.now() + limit
  for (;;) {
    const result = look()
    if (result !== undefined || performance.now() > end) return result
    await pause(SOON)
  }
}
