/**
 * Replaces one file: the new content is written beside it and renamed, so a reader sees the old file or the new one,
 * never half of one. Every file that sluice writes goes through here.
 */
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { systemErrorCode } from '../input-problem.ts'

/** The new content of a file, beside the place where it belongs. End it with {@link commitDraft} or {@link discardDraft}. */
export type FileDraft = {
  /** Absolute path of the file to replace. */
  readonly target: string
  /** Absolute path of the draft: a hidden name in the same folder. */
  readonly path: string
  /** The file to replace, as it was when its content was read; undefined where there was none. */
  readonly old: Stats | undefined
  /** False where the file would get another owner. */
  readonly keepsOwner: boolean
}

/** Permissions, with the set-user-ID, set-group-ID and sticky bits. */
const MODE_BITS = 0o7777
const DEFAULT_MODE = 0o666

/**
 * Writes a draft. It has the owner and the mode of the old file, whatever the umask. Throws the errors of `node:fs`;
 * nothing is left behind then. Drafts that a killed run left in the folder are removed.
 */
export function writeDraft(target: string, content: string | Uint8Array, old: Stats | undefined): FileDraft {
  const folder = dirname(target)
  removeLeftovers(folder)
  const path = join(folder, `${PREFIX}${process.pid}-${crypto.randomUUID()}`)
  const descriptor = openSync(path, 'wx', old ? old.mode & MODE_BITS : DEFAULT_MODE)
  try {
    writeFileSync(descriptor, content)
    const keepsOwner = old ? copyOwnerAndMode(descriptor, old) : true
    return { target, path, old, keepsOwner }
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  } finally {
    closeSync(descriptor)
  }
}

/** Drafts are hidden, and named after the process that writes them. */
const PREFIX = '.sluice-'
const DRAFT = /^\.sluice-(\d+)-[\da-f-]{36}$/

const cleaned = new Set<string>()

/** Removes the drafts of processes that have ended, once in each folder. */
function removeLeftovers(folder: string): void {
  if (cleaned.has(folder)) return
  cleaned.add(folder)
  for (const name of readdirSync(folder)) {
    const pid = Number(DRAFT.exec(name)?.[1])
    if (pid > 0 && !isRunning(pid)) rmSync(join(folder, name), { force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return systemErrorCode(error) !== 'ESRCH'
  }
}

/** Only root can change the owner of a file. False where the draft keeps its own. */
function copyOwnerAndMode(descriptor: number, old: Stats): boolean {
  const current = fstatSync(descriptor)
  const isSame = current.uid === old.uid && current.gid === old.gid
  const keepsOwner = isSame || changeOwner(descriptor, old)
  // After fchown, which clears the set-user-ID bit; and the umask has cut the mode that the draft was opened with.
  fchmodSync(descriptor, old.mode & MODE_BITS)
  return keepsOwner
}

function changeOwner(descriptor: number, { uid, gid }: Stats): boolean {
  try {
    fchownSync(descriptor, uid, gid)
    return true
  } catch (error) {
    // EINVAL: the user has no number in this container.
    if (['EPERM', 'EINVAL'].includes(systemErrorCode(error) ?? '')) return false
    throw error
  }
}

const syncFile = promisify(fsync)

/** Waits until a draft is on the disk. Rejects where it cannot be written there. */
export async function syncDraft({ path }: FileDraft): Promise<void> {
  const descriptor = openSync(path, SYNC_FLAGS)
  try {
    await syncFile(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Windows syncs only what is open for writing; elsewhere the mode of a file may forbid that. */
const SYNC_FLAGS = process.platform === 'win32' ? 'r+' : 'r'

/** False where the file was changed or replaced after it was read. Throws where it is gone. */
export function isTargetUnchanged({ target, old }: FileDraft): boolean {
  const { ino, mtimeMs, size } = statSync(target)
  return old !== undefined && ino === old.ino && mtimeMs === old.mtimeMs && size === old.size
}

/** Puts a draft in the place of its file. Throws the errors of `node:fs`; the draft is gone in any case. */
export function commitDraft({ path, target }: FileDraft): void {
  try {
    renameSync(path, target)
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  }
}

/** Removes a draft. The file stays as it is. */
export const discardDraft = ({ path }: FileDraft): void => rmSync(path, { force: true })
