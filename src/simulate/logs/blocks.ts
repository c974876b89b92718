/** Large files in blocks of whole lines, in constant memory. Lines over 1 MiB are cut. */
import { readSync } from 'node:fs'
import { BLOCK_BYTES, LONGEST_LINE } from '../core/log-reading.ts'

const LF = 10

/** A part of a file by offsets in bytes. Its block has the lines that begin in it. */
export type Range = { readonly start: number; readonly end: number }

/** The parts of a file of `size` bytes. */
export function rangesOf(size: number, block = BLOCK_BYTES): readonly Range[] {
  return Array.from({ length: Math.ceil(size / block) }, (_, index) => ({
    start: index * block,
    end: Math.min(size, (index + 1) * block),
  }))
}

/** Reads blocks of an open file. The bytes are valid until the next call. */
type RangeReader = (descriptor: number, range: Range) => Uint8Array

/** A reader with its own buffer, which grows with the longest line. */
export function createRangeReader(): RangeReader {
  let buffer = Buffer.alloc(0)
  return (descriptor, { start, end }) => {
    /** Whether a line begins at `start` is decided by the byte before it. */
    const base = Math.max(0, start - 1)
    if (end - base > buffer.length) buffer = Buffer.alloc(end - base + TAIL_BYTES)
    const length = fill(descriptor, buffer, { at: 0, to: end - base, position: base })
    const first = start === 0 ? 0 : buffer.subarray(0, length).indexOf(LF) + 1
    if (length === 0 || (start > 0 && first === 0)) return buffer.subarray(0, 0)
    const finished = finishLine(descriptor, { buffer, length, base })
    buffer = finished.buffer
    return buffer.subarray(first, finished.length)
  }
}

/** Bytes that are read at once to find the end of a block's last line. */
const TAIL_BYTES = 4096

type Filled = { readonly buffer: Buffer<ArrayBuffer>; readonly length: number; readonly base: number }

/** Reads on until the last line ends, the file ends, or the line is too long. */
function finishLine(descriptor: number, { buffer: first, length: before, base }: Filled): Filled {
  const lineStart = first.subarray(0, before).lastIndexOf(LF) + 1
  let [buffer, length] = [first, before]
  while (lineStart < length && length - lineStart <= LONGEST_LINE) {
    if (length + TAIL_BYTES > buffer.length) buffer = enlarge(buffer)
    const read = fill(descriptor, buffer, { at: length, to: length + TAIL_BYTES, position: base + length })
    const newline = buffer.subarray(length, read).indexOf(LF)
    if (newline >= 0) return { buffer, length: length + newline + 1, base }
    if (read === length) break
    length = read
  }
  return { buffer, length, base }
}

function enlarge(buffer: Buffer): Buffer<ArrayBuffer> {
  const larger = Buffer.alloc(Math.max(buffer.length * 2, buffer.length + TAIL_BYTES))
  buffer.copy(larger)
  return larger
}

type Gap = { readonly at: number; readonly to: number; readonly position: number }

/** Reads until a gap of the buffer is filled or the file ends. Returns how far the buffer is filled. */
function fill(descriptor: number, buffer: Buffer, { at, to, position }: Gap): number {
  let filled = at
  while (filled < to) {
    const read = readSync(descriptor, buffer, filled, to - filled, position + filled - at)
    if (read === 0) break
    filled += read
  }
  return filled
}
