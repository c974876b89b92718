/** Large files and streams in blocks of whole lines, in constant memory. Lines over 1 MiB are cut. */
import { readSync } from 'node:fs'
import { BLOCK_BYTES, LONGEST_LINE } from '../core/log-reading.ts'
import type { Chunks } from './gunzip.ts'

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

/**
 * Cuts a stream into blocks of whole lines; the last line may lack its line break. Each block has its own buffer. Where
 * the stream fails, what came before is returned first.
 */
export async function* blocksOf(chunks: Chunks, block = BLOCK_BYTES): AsyncIterable<Uint8Array<ArrayBuffer>> {
  const cutter = createCutter()
  const failures: unknown[] = []
  for await (const chunk of untilFailure(chunks, failures)) {
    cutter.add(chunk)
    const lines = cutter.bytes >= block ? cutter.take() : undefined
    if (lines) yield lines
  }
  /** Where the stream failed, the last line is cut off. */
  const rest = failures.length > 0 ? cutter.take() : cutter.rest()
  if (rest && rest.length > 0) yield rest
  for (const failure of failures) throw failure
}

async function* untilFailure(chunks: Chunks, failures: unknown[]): AsyncIterable<Uint8Array> {
  try {
    yield* chunks
  } catch (error) {
    failures.push(error)
  }
}

/** Collects chunks and returns their whole lines. */
function createCutter() {
  let kept: Uint8Array[] = []
  let bytes = 0
  /** True inside a line that is too long, whose beginning was returned already. */
  let skipping = false
  const keep = (chunk: Uint8Array): void => {
    kept.push(chunk)
    bytes += chunk.length
  }
  return {
    get bytes() {
      return bytes
    },
    add(chunk: Uint8Array): void {
      const newline = skipping ? chunk.indexOf(LF) : -1
      if (skipping && newline < 0) return
      skipping = false
      keep(chunk.subarray(newline + 1))
    },
    take(): Uint8Array<ArrayBuffer> | undefined {
      const whole = Buffer.concat(kept, bytes)
      const end = whole.lastIndexOf(LF) + 1
      skipping = end === 0 && bytes > LONGEST_LINE
      kept = []
      bytes = 0
      if (skipping) return new Uint8Array(whole)
      keep(whole.subarray(end))
      return end === 0 ? undefined : new Uint8Array(whole.subarray(0, end))
    },
    rest: (): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.concat(kept, bytes)),
  }
}
