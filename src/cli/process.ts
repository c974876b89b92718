/** Runs the command line with the real process: its streams, its arguments, its exit code. */
import { fstatSync, readSync, statSync, writeSync } from 'node:fs'
import { describeSystemError, systemErrorCode } from '../files/input-problem.ts'
import { InputError, type Output } from './core/io.ts'
import { main } from './core/main.ts'

/** Runs the command line of this process. Resolves to true where the command did its work. */
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
    today: () => new Date().toISOString().slice(0, 'YYYY-MM-DD'.length),
    nodeVersion: process.versions.node,
    onWork: () => {
      hasWorked = true
    },
  })
  // What waits for a reader that does not read would keep the process from ending.
  if (READERS.size > 0) setTimeout(() => process.exit(), LAST_WORDS).unref()
  return hasWorked
}

/** The working directory; where that was removed, the path that it had. */
function workingFolder(): string {
  try {
    return process.cwd()
  } catch {
    return process.env.PWD ?? '/'
  }
}

/**
 * Writes synchronously: when a write returns, the whole text is in the file or the pipe, and the process may end. Node's
 * own streams take longer to load than a small run takes; only a terminal needs one.
 */
function createOutput(descriptor: number, stream: () => NodeJS.WriteStream): Output {
  const isTTY = mayBeTerminal(descriptor) && stream().isTTY
  const isFile = isRegular(descriptor)
  let isOpen = true
  let close: (value: undefined) => void = () => {}
  const closed = new Promise<undefined>((resolve) => {
    close = resolve
  })
  const offer = isTTY || isFile || !isStream(descriptor) ? offerToFile(descriptor) : offerToReader(stream)
  return {
    isTTY,
    isFile,
    closed,
    get columns() {
      return isTTY ? stream().columns : undefined
    },
    write: (text) => {
      if (!isOpen) return
      isOpen = writeAll(descriptor, Buffer.from(text))
      if (!isOpen) close(undefined)
    },
    offer: (text, _syntax, onLost) => offer(text, onLost),
  }
}

type Offer = (text: string, onLost: (reason: string) => void) => void

/** For what is written at once: a file, a terminal, a device. */
function offerToFile(descriptor: number): Offer {
  /** True where the line before is not whole. */
  let isTorn = false
  let isSafe = false
  return (text, onLost) => {
    // The signal of a file that has its largest size (ulimit -f) would end the process.
    if (!isSafe) process.on('SIGXFSZ', () => {})
    isSafe = true
    const bytes = Buffer.from(isTorn ? `\n${text}` : text)
    let written = 0
    try {
      while (written < bytes.length) written += writeSync(descriptor, bytes, written)
      isTorn = false
    } catch (error) {
      isTorn ||= written > 0
      onLost(systemErrorCode(error) === undefined ? 'it cannot be written' : describeSystemError(error))
    }
  }
}

/** Bytes that wait for a reader; more are lost. */
const MOST_WAITING = 1024 * 1024

/** Milliseconds that what waits has at the end of the process. */
const LAST_WORDS = 1_000

/** Pipes and sockets that a server has written to. */
const READERS = new Set<NodeJS.WriteStream>()

/** For a pipe or a socket, whose reader may be slow or gone. */
function offerToReader(stream: () => NodeJS.WriteStream): Offer {
  let opened: NodeJS.WriteStream | undefined
  let isClosed = false
  const open = () => {
    const made = stream()
    made.on('error', () => {
      isClosed = true
    })
    READERS.add(made)
    return made
  }
  return (text, onLost) => {
    opened ??= open()
    if (isClosed) onLost('its reader has closed it')
    else if (opened.writableLength > MOST_WAITING) onLost('its reader does not read it')
    else opened.write(text, (error) => error && onLost('its reader has closed it'))
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

function isRegular(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isFile()
  } catch {
    return false
  }
}

function isStream(descriptor: number): boolean {
  try {
    const stats = fstatSync(descriptor)
    return stats.isFIFO() || stats.isSocket()
  } catch {
    return false
  }
}

/** False where the reader has closed the pipe: `sluice rules | head -1` is not an error. */
function writeAll(descriptor: number, bytes: Buffer): boolean {
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(descriptor, bytes, written)
    } catch (error) {
      if (systemErrorCode(error) === 'EPIPE') return false
      if (systemErrorCode(error) !== 'EAGAIN')
        throw new InputError(`the output cannot be written: ${describeSystemError(error)}`)
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
    if (systemErrorCode(error) === 'EOF') return 0
    if (systemErrorCode(error) !== 'EAGAIN') throw error
    pause()
    return -1
  }
}

/** Waits 2 ms: the descriptor is non-blocking, and the other end is slower. */
const pause = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2)
