/** Reads files, and keeps the bytes of those only in which a pattern matches. */
import { closeSync, fstatSync, readSync } from 'node:fs'
import { openRegularFile } from '../../disk/read-regular-file.ts'
import { describeBytes } from '../../limits/size.ts'
import { decodeText, isUtf16 } from '../../yaml/decode.ts'
import { DISK, MAX_FILE_BYTES } from './file-tree.ts'
import { describeUnopened } from './unopened.ts'

/** What is looked for in texts. */
export type Pattern = Pick<RegExp, 'test'>

/** The result of reading a file. */
type FileContent =
  /** The pattern does not match in it. */
  | { readonly type: 'uninteresting' }
  /** Valid until the next file is read. */
  | { readonly type: 'bytes'; readonly bytes: Buffer }
  | { readonly type: 'problem' | 'too-large'; readonly reason: string }

const UNINTERESTING = { type: 'uninteresting' } as const

/** Reads the file at a path. One buffer serves all files. */
export type FileReader = (path: string) => FileContent

/** Options of a reader. */
export type ReaderOptions = {
  /** Default: {@link MAX_FILE_BYTES}. */
  readonly maxBytes?: number
  /** Is called with the bytes of every file that is read whole, whether or not the pattern matches. */
  readonly onBytes?: ((path: string, bytes: Buffer) => void) | undefined
}

/** Prepares a reader. The pattern consists of ASCII characters. */
export function createFileReader(mentions: Pattern, options: ReaderOptions = {}): FileReader {
  const { maxBytes = MAX_FILE_BYTES, onBytes } = options
  const buffer = Buffer.allocUnsafeSlow(256 * 1024)
  return (path) => {
    let descriptor: number | undefined
    try {
      descriptor = openRegularFile(path)
      const judge = (from: Buffer, length: number): FileContent => {
        const bytes = from.subarray(0, length)
        onBytes?.(path, bytes)
        return contentOf(bytes, mentions)
      }
      return readOpen(descriptor, buffer, { mentions, maxBytes, judge })
    } catch (error) {
      return { type: 'problem', reason: describeUnopened(error, path, DISK) }
    } finally {
      if (descriptor !== undefined) closeSync(descriptor)
    }
  }
}

type Reading = {
  readonly mentions: Pattern
  readonly maxBytes: number
  judge(buffer: Buffer, length: number): FileContent
}

function readOpen(descriptor: number, buffer: Buffer, { mentions, maxBytes, judge }: Reading): FileContent {
  const length = fill(descriptor, buffer, 0)
  if (length < buffer.length) return judge(buffer, length)
  const { size } = fstatSync(descriptor)
  if (size > maxBytes) return searchLarge(descriptor, buffer, size, mentions)
  const whole = Buffer.allocUnsafeSlow(Math.max(size, length))
  buffer.copy(whole)
  return judge(whole, length + fill(descriptor, whole, length))
}

/** Bytes. The blocks of file systems are multiples of this. */
const BLOCK = 512

/** Reads until the buffer is full or the file ends. Fewer bytes than asked for, but whole blocks, are not the end. */
function fill(descriptor: number, buffer: Buffer, from: number): number {
  let length = 0
  while (from + length < buffer.length) {
    const read = readSync(descriptor, buffer, from + length, buffer.length - from - length, null)
    length += read
    if (read % BLOCK !== 0 || read === 0) break
  }
  return length
}

/** The content of a file with these bytes. */
export const contentOf = (bytes: Buffer, mentions: Pattern): FileContent =>
  mentionsIn(bytes, bytes.length, mentions) ? { type: 'bytes', bytes } : UNINTERESTING

/** Searches the first bytes of a buffer in any encoding: UTF-16 without its mark, and UTF-32, are ASCII between zeros. */
export function mentionsIn(buffer: Buffer, length: number, mentions: Pattern): boolean {
  const bytes = buffer.subarray(0, length)
  if (isUtf16(bytes)) return mentions.test(decodeText(bytes).text)
  const text = bytes.toString('latin1')
  return mentions.test(isWide(buffer) ? text.replaceAll('\0', '') : text)
}

/** True where there are zeros among the first bytes. */
function isWide(buffer: Buffer): boolean {
  const first = [buffer[0], buffer[1], buffer[2], buffer[3]]
  return first.includes(0) && first.some((byte) => byte !== 0)
}

/** Larger files, in bytes, are not even searched: a few in `/proc` claim more than any disk has. */
const MAX_SEARCHED = 1024 ** 3

/** Bytes that two pieces of a large file share: longer than anything that the pattern matches in practice. */
const OVERLAP = 1024

function searchLarge(descriptor: number, buffer: Buffer, size: number, mentions: Pattern): FileContent {
  const tooLarge: FileContent = { type: 'too-large', reason: `too large: ${describeBytes(size)}; split it` }
  if (size > MAX_SEARCHED) return tooLarge
  let length = buffer.length
  while (length > 0) {
    if (mentionsIn(buffer, length, mentions)) return tooLarge
    if (length < buffer.length) break
    buffer.copy(buffer, 0, length - OVERLAP)
    length = OVERLAP + fill(descriptor, buffer, OVERLAP)
    if (length === OVERLAP) break
  }
  return UNINTERESTING
}
