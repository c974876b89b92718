/**
 * Reads files of which nothing is known: a link in somebody's repository may lead to `/dev/zero`, which has no end, to a
 * named pipe, which waits for a writer, or into `/proc`, where files say that they are empty.
 */
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { fileError, systemErrorCode } from '../text/system-error.ts'

/** Without O_NONBLOCK, opening a named pipe would wait for a writer. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** Opens a regular file; links are followed. Throws the errors of `node:fs`, and `NOT_A_FILE` for anything else. */
export function openRegularFile(path: string): number {
  const descriptor = openUnlinked(path) ?? openLinked(path)
  try {
    checkRegular(fstatSync(descriptor).isFile(), path)
    return descriptor
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}

/** Says that there is a link, or a socket, which cannot be opened. */
const NOT_OPENED: ReadonlySet<string | undefined> = new Set(['ELOOP', 'ENXIO'])

/** Opens what is no link; undefined for a link, or where the system cannot tell. */
function openUnlinked(path: string): number | undefined {
  const { O_NOFOLLOW } = constants
  if (O_NOFOLLOW === undefined) return undefined
  try {
    return openSync(path, READ | O_NOFOLLOW)
  } catch (error) {
    if (NOT_OPENED.has(systemErrorCode(error))) return undefined
    throw error
  }
}

/** A look at where the link leads before that is opened: to open a device may already do something. */
function openLinked(path: string): number {
  checkRegular(statSync(path).isFile(), path)
  return openSync(path, READ)
}

function checkRegular(isFile: boolean, path: string): void {
  if (isFile) return
  // As reading it would say.
  if (statSync(path).isDirectory()) throw fileError('EISDIR', path)
  throw fileError('NOT_A_FILE', path)
}

/** Bytes that are read at first from a file that says nothing of its size. */
const SMALLEST = 64 * 1024

/**
 * Reads a regular file of at most `maxBytes`, whatever size it claims to have. Throws the errors of `node:fs`,
 * `NOT_A_FILE` for what is no regular file, `EFBIG` where there is more.
 */
export function readRegularFile(path: string, maxBytes: number): Buffer {
  const descriptor = openRegularFile(path)
  try {
    const { size } = fstatSync(descriptor)
    if (size > maxBytes) throw fileError('EFBIG', path)
    let buffer = Buffer.allocUnsafeSlow(size === 0 ? SMALLEST : size + 1)
    let length = 0
    for (;;) {
      const read = readSync(descriptor, buffer, length, buffer.length - length, null)
      length += read
      if (length > maxBytes) throw fileError('EFBIG', path)
      if (read === 0) return buffer.subarray(0, length)
      if (length < buffer.length) continue
      const larger = Buffer.allocUnsafeSlow(2 * length)
      buffer.copy(larger)
      buffer = larger
    }
  } finally {
    closeSync(descriptor)
  }
}

/** More than settings, certificates and kubeconfigs ever have, in bytes. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024

/** Reads a small regular file. Throws as {@link readRegularFile} does. */
export const readSmallFile = (path: string): Buffer => readRegularFile(path, MAX_TEXT_BYTES)

/** Reads a small regular file as UTF-8. Throws as {@link readRegularFile} does. */
export const readSmallText = (path: string): string => readSmallFile(path).toString('utf8')
