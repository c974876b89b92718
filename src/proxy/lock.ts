/** The lock of a folder: one driver at a time. */
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { succeeds } from '../text/system-error.ts'
import { DriverFailure, withFiles } from './failure.ts'
import { identify, isAlive, type ProcessIdentity } from './processes.ts'

/** Milliseconds after which a lock is looked at again: another process may just have moved it away with the stale one. */
const SETTLED = 50

/**
 * Takes the lock and returns what gives it back. The lock of a process that has ended is taken over; processes of other
 * containers cannot be seen, so a folder must not be shared by them. Throws a failure where another driver has it.
 */
export async function takeLock(folder: string): Promise<() => void> {
  const lock = join(folder, 'lock')
  const own = JSON.stringify(identify(process.pid))
  withFiles(() => place(lock, own))
  await pause(SETTLED)
  checkHolder(lock, own)
  return () => {
    if (readOrNothing(lock) === own) rmSync(lock)
  }
}

function place(lock: string, own: string): void {
  const draft = `${lock}.${process.pid}-${crypto.randomUUID()}`
  try {
    writeFileSync(draft, own)
    // A link is made whole or not at all, and never over a file that is there.
    while (!tryLink(draft, lock)) {
      checkHolder(lock, undefined)
      removeStale(lock)
    }
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Throws a failure where a process that runs has the lock, other than by the text `own`. */
function checkHolder(lock: string, own: string | undefined): void {
  const text = readOrNothing(lock)
  const holder = text === own ? undefined : holderOf(text)
  if (holder && isAlive(holder))
    throw new DriverFailure('locked', `${dirname(lock)} is in use by process ${holder.pid}`)
}

/** Moves a stale lock away; a fresh one that has just taken its place is put back. */
function removeStale(lock: string): void {
  const aside = `${lock}.stale-${crypto.randomUUID()}`
  if (!succeeds(() => renameSync(lock, aside), 'ENOENT')) return
  const holder = holderOf(readOrNothing(aside))
  if (holder && isAlive(holder)) tryLink(aside, lock)
  rmSync(aside)
}

const tryLink = (from: string, to: string): boolean => succeeds(() => linkSync(from, to), 'EEXIST')

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function holderOf(text: string): ProcessIdentity | undefined {
  const [, pid, started] = /^\{"pid":(\d+),"started":"([^"]*)"\}$/.exec(text) ?? []
  return pid === undefined || started === undefined ? undefined : { pid: Number(pid), started }
}
