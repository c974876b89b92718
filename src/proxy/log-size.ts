/** Keeps the logs of an nginx from growing without end. */
import { closeSync, ftruncateSync, openSync, readdirSync, readSync, rmSync, statSync, writeSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Bytes that a log may have before it is cut; with what was cut last there are twice as many. */
export const LARGEST_LOG = 64 * 1024 * 1024

const CHUNK = 64 * 1024

export type LogSizeOptions = {
  /** nginx's prefix. */
  readonly folder: string
  readonly largest: number
  /** Asked right before a log is cut: false where it must stay as it is for now. */
  mayCut(): boolean
}

/**
 * Moves what each `*.log` of a folder has into `*.log.1`, where that is too much. The file stays the same one, as nginx goes
 * on writing at its end (`O_APPEND`): its workers may not be able to open another one. Where there is no space for the
 * copy, what it would hold is lost. Rejects where files cannot be read or written.
 */
export async function boundLogs({ folder, largest, mayCut }: LogSizeOptions): Promise<void> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (!name.endsWith('.log') || !mayCut() || sizeOf(path) <= largest) continue
    const copy = `${path}.1`
    rmSync(copy, { force: true })
    // Most of it while requests to this process go on.
    await copyFile(path, copy).catch(() => {})
    if (mayCut()) cut(path, copy)
  }
}

/** Copies the rest, and empties the file, so quickly that nginx hardly ever writes in between. */
function cut(path: string, copy: string): void {
  const file = openSync(path, 'r+')
  try {
    copyRest(file, copy)
  } catch {
    rmSync(copy, { force: true })
  }
  ftruncateSync(file, 0)
  closeSync(file)
}

function copyRest(file: number, copy: string): void {
  const buffer = Buffer.allocUnsafe(CHUNK)
  const target = openSync(copy, 'a')
  try {
    for (let offset = sizeOf(copy); ; ) {
      const length = readSync(file, buffer, 0, CHUNK, offset)
      if (length === 0) return
      writeSync(target, buffer, 0, length)
      offset += length
    }
  } finally {
    closeSync(target)
  }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0
