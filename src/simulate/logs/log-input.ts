/** Opens logs: files, packed with gzip or not, and streams such as the standard input. */
import { closeSync, createReadStream, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { blocksOf, type Chunks } from '../core/line-blocks.ts'
import { SAMPLE_BYTES, sampleLines } from '../core/log-reading.ts'
import { BrokenLog, gunzip, isGzip } from './gunzip.ts'

/** A log to read. */
export type LogInput = {
  /** The name in messages. */
  readonly name: string
  /** The path of a file whose bytes are the log itself, so that threads can read parts of it; undefined otherwise. */
  readonly path: string | undefined
  /** Bytes of the file as it is stored; undefined for a stream. */
  readonly size: number | undefined
  /** The first lines, one character a byte, from which the format is detected. */
  readonly sample: readonly string[]
  /** True for a log of a few lines. */
  readonly isShort: boolean
  /** The whole log in blocks of whole lines; `onBytes` is called with the numbers of stored bytes that were read. */
  blocks(onBytes: (bytes: number) => void): AsyncIterable<Uint8Array<ArrayBuffer>>
}

/** Opens a file. Throws the operating system's error where that fails. */
export async function openLogFile(path: string, name: string): Promise<LogInput> {
  /** Anything but a plain file, such as a pipe, can be read only once. */
  if (!statSync(path).isFile()) return await openLogStream(createReadStream(path), name)
  const { head, size } = readHead(path)
  const packed = isGzip(head)
  const blocks: LogInput['blocks'] = (onBytes) => blocksOf(unpacked(createReadStream(path), packed, onBytes))
  const sample = packed ? await sampleOf(blocks(() => {})) : linesOf(head, size <= head.length)
  return { name, path: packed ? undefined : path, size, sample, isShort: size <= head.length, blocks }
}

function readHead(path: string): { readonly head: Uint8Array; readonly size: number } {
  const descriptor = openSync(path, 'r')
  try {
    const buffer = Buffer.alloc(SAMPLE_BYTES)
    return {
      head: buffer.subarray(0, readSync(descriptor, buffer, 0, SAMPLE_BYTES, 0)),
      size: fstatSync(descriptor).size,
    }
  } finally {
    closeSync(descriptor)
  }
}

/** Opens chunks, such as those of the standard input, as a log. */
export async function openLogStream(chunks: Chunks, name: string): Promise<LogInput> {
  const iterator = Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]()
  const first: Uint8Array[] = []
  for (let bytes = 0; bytes < SAMPLE_BYTES; ) {
    const next = await iterator.next()
    if (next.done) break
    first.push(next.value)
    bytes += next.value.length
  }
  const head = Buffer.concat(first)
  const all = async function* () {
    yield* first.splice(0)
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value
  }
  const packed = isGzip(head)
  const sample = packed ? await sampleOf(blocksOf(unpacked([head], true, () => {}))) : linesOf(head, false)
  const blocks: LogInput['blocks'] = (onBytes) => blocksOf(unpacked(all(), packed, onBytes))
  return { name, path: undefined, size: undefined, sample, isShort: head.length < SAMPLE_BYTES, blocks }
}

/** Chunks as they are, or unpacked. */
function unpacked(chunks: Chunks, packed: boolean, onBytes: (bytes: number) => void): AsyncIterable<Uint8Array> {
  const counted = countBytes(chunks, onBytes)
  return packed ? gunzip(counted) : counted
}

async function* countBytes(chunks: Chunks, onBytes: (bytes: number) => void): AsyncIterable<Uint8Array> {
  for await (const chunk of chunks) {
    onBytes(chunk.length)
    yield chunk
  }
}

/** The first lines of blocks. If the packed data breaks behind them, reading the log will report it. */
async function sampleOf(blocks: AsyncIterable<Uint8Array>): Promise<readonly string[]> {
  try {
    for await (const block of blocks) return linesOf(block.subarray(0, SAMPLE_BYTES), block.length <= SAMPLE_BYTES)
  } catch (error) {
    if (!(error instanceof BrokenLog)) throw error
  }
  return []
}

const linesOf = (bytes: Uint8Array, isComplete: boolean): readonly string[] =>
  sampleLines(Buffer.from(bytes).toString('latin1'), isComplete)
