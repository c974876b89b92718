/** Processes by pid and start time, so that a pid that was given away again is not taken for the old process. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { succeeds, systemErrorCode } from '../text/system-error.ts'

/** A process for as long as the machine is up. Where there is no `/proc`, the pid alone. */
export type ProcessIdentity = {
  readonly pid: number
  /** Boot of the machine, and clock ticks from there to the start of the process (proc(5), field 22 of `stat`). */
  readonly started: string
}

/** Where Linux shows its processes; tests show others, or none as on other systems. */
const PROC = '/proc'

/** The process that has a pid now; undefined where there is none, or where it has ended and only waits to be reaped. */
export function identify(pid: number, proc = PROC): ProcessIdentity | undefined {
  const stat = read(`${proc}/${pid}/stat`)
  if (stat === undefined) return hasProcesses(proc) || !answers(pid) ? undefined : { pid, started: '' }
  // The name of the program, in parentheses, may contain anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state = ''] = fields
  return state === 'Z' ? undefined : { pid, started: `${BOOT}:${fields[19]}` }
}

/** True while that very process runs. */
export const isAlive = ({ pid, started }: ProcessIdentity): boolean => identify(pid)?.started === started

/** The command line of a process, which nginx replaces by a title: `nginx: worker process`. Empty where there is none. */
export const commandOf = (pid: number, proc = PROC): string =>
  (hasProcesses(proc) ? (read(`${proc}/${pid}/cmdline`) ?? '') : commandByPs(pid)).replaceAll('\0', ' ').trimEnd()

const commandByPs = (pid: number): string =>
  spawnSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? ''

/** Child processes; empty where the system does not tell. */
export const childrenOf = (pid: number, proc = PROC): readonly number[] =>
  (read(`${proc}/${pid}/task/${pid}/children`) ?? '').split(' ').filter(Boolean).map(Number)

/**
 * The processes whose standard error is a file: those of an nginx, which writes its error log there, and of its start. A
 * log that was moved beside (`error.log.1`) or deleted counts, as nginx goes on writing it until it is signalled.
 */
export function processesWriting(file: string, proc = PROC): readonly ProcessIdentity[] {
  if (!hasProcesses(proc)) return []
  const isLog = (link = '') => link.startsWith(file) && !link.includes('/', file.length)
  const pids = readdirSync(proc).map(Number)
  const writing = pids.filter((pid) => pid !== process.pid && isLog(linkAt(`${proc}/${pid}/fd/2`)))
  return writing.flatMap((pid) => identify(pid, proc) ?? [])
}

/** The path of the standard error of a process; undefined where the system does not tell. */
export const errorLogOf = (pid: number, proc = PROC): string | undefined => linkAt(`${proc}/${pid}/fd/2`)

/** Sends a signal; false where the process has ended. */
export const signal = (one: ProcessIdentity, name: NodeJS.Signals): boolean =>
  isAlive(one) && succeeds(() => process.kill(one.pid, name), 'ESRCH')

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

function answers(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // One of another user.
    return systemErrorCode(error) !== 'ESRCH'
  }
}

const hasProcesses = (proc: string): boolean => read(`${proc}/self/stat`) !== undefined
const BOOT = read('/proc/sys/kernel/random/boot_id')?.trim()
