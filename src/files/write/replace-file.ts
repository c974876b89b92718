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
}

/** Permissions, with the set-user-ID, set-group-ID and sticky bits. */
const MODE_BITS = 0o7777
const DEFAULT_MODE = 0o666

/**
 * Writes a draft. It has the owner and the mode of the old file, whatever the umask. Throws the errors of `node:fs`;
 * nothing is left behind then.
 */
export function writeDraft(target: string, content: string | Uint8Array, old: Stats | undefined): FileDraft {
  const path = join(dirname(target), `.sluice-${crypto.randomUUID()}`)
  const descriptor = openSync(path, 'wx', old ? old.mode & MODE_BITS : DEFAULT_MODE)
  try {
    writeFileSync(descriptor, content)
    if (old) copyOwnerAndMode(descriptor, old)
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  } finally {
    closeSync(descriptor)
  }
  return { target, path, old }
}

/** Only root can change the owner of a file; for other users the draft keeps its own. */
function copyOwnerAndMode(descriptor: number, old: Stats): void {
  const current = fstatSync(descriptor)
  try {
    if (current.uid !== old.uid || current.gid !== old.gid) fchownSync(descriptor, old.uid, old.gid)
  } catch (error) {
    if (systemErrorCode(error) !== 'EPERM') throw error
  }
  // After fchown, which clears the set-user-ID bit; and the umask has cut the mode that the draft was opened with.
  fchmodSync(descriptor, old.mode & MODE_BITS)
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
