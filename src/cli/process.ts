/** The real process as a command's surroundings. */
import { fstatSync, readSync, statSync, writeSync } from 'node:fs'
import { codeOf, reasonOf } from '../files/problem.ts'
import { InputError, type Output } from './core/io.ts'
import { main } from './core/main.ts'

/** Runs the command line of this process. Answers true where it did what it is there for. */
export async function runProcess(): Promise<boolean> {
  let hasWorked = false
  process.exitCode = await main({
    argv: process.argv.slice(2),
    env: process.env,
    cwd: workingFolder(),
    stdin: readDescriptor(0),
    stdout: createOutput(1, () => process.stdout),
    stderr: createOutput(2, () => process.stderr),
    now: () => process.uptime() * 1000,
    nodeVersion: process.versions.node,
    onWork: () => {
      hasWorked = true
    },
  })
  return hasWorked
}

/** Where the process runs; where it ran, if somebody has removed that folder since. */
function workingFolder(): string {
  try {
    return process.cwd()
  } catch {
    return process.env.PWD ?? '/'
  }
}

/**
 * Writes at once and whole: when a write returns, the reader has the text or it is in the pipe. So the process can end
 * at any moment after it. Node's own streams take longer to load than a small run takes; only a terminal needs one.
 */
function createOutput(descriptor: number, stream: () => NodeJS.WriteStream): Output {
  const isTTY = mayBeTerminal(descriptor) && stream().isTTY
  let isOpen = true
  return {
    isTTY,
    get columns() {
      return isTTY ? stream().columns : undefined
    },
    write: (text) => {
      if (isOpen) isOpen = writeAll(descriptor, Buffer.from(text))
    },
  }
}

const NULL_DEVICE = process.platform === 'win32' ? '\\\\.\\nul' : '/dev/null'

/** False for files, pipes and the null device. */
function mayBeTerminal(descriptor: number): boolean {
  try {
    const stats = fstatSync(descriptor)
    return stats.isCharacterDevice() && stats.rdev !== statSync(NULL_DEVICE).rdev
  } catch {
    return false
  }
}

/** False where nobody reads any more: `sluice rules | head -1` is no error. */
function writeAll(descriptor: number, bytes: Buffer): boolean {
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(descriptor, bytes, written)
    } catch (error) {
      if (codeOf(error) === 'EPIPE') return false
      if (codeOf(error) !== 'EAGAIN') throw new InputError(`the output cannot be written: ${reasonOf(error)}`)
      pause()
    }
  }
  return true
}

/** The chunks of a descriptor until its end. */
function* readDescriptor(descriptor: number): Iterable<Uint8Array> {
  const buffer = Buffer.allocUnsafeSlow(64 * 1024)
  for (;;) {
    const length = readSome(descriptor, buffer)
    if (length === 0) return
    if (length > 0) yield Uint8Array.from(buffer.subarray(0, length))
  }
}

/** Bytes read, zero at the end, negative where there is nothing yet. */
function readSome(descriptor: number, buffer: Buffer): number {
  try {
    return readSync(descriptor, buffer)
  } catch (error) {
    if (codeOf(error) === 'EOF') return 0
    if (codeOf(error) !== 'EAGAIN') throw error
    pause()
    return -1
  }
}

/** The other end is slower, and the descriptor does not wait by itself. */
const pause = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2)
