/** Where logs come from: files, packed or not, and the standard input. */
import { closeSync, createReadStream, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { blocksOf } from './blocks.ts'

/** A log to read. */
export type LogInput = {
  /** As messages name it; `-` for the standard input. */
  readonly name: string
  /** The path of a file whose bytes are the log itself, so that threads can read parts of it; undefined otherwise. */
  readonly path: string | undefined
  /** Bytes of the file as it is stored; undefined for a stream. */
  readonly size: number | undefined
  /** The first lines, one character a byte, to tell the format by. */
  readonly sample: readonly string[]
  /** True for a log of a few lines. */
  readonly isShort: boolean
  /** The whole log in blocks of whole lines; `onBytes` hears of the stored bytes that were read. */
  blocks(onBytes: (bytes: number) => void): AsyncIterable<Uint8Array<ArrayBuffer>>
}

/** A log that ends or breaks in its middle: what stands before was read. */
export class BrokenLog extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BrokenLog'
  }
}

/** Bytes that are looked at to tell how a log is written. */
const SAMPLE_BYTES = 64 * 1024
/** Lines that are looked at. */
const SAMPLE_LINES = 50

const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

/** Opens a file. Throws the operating system's error where that is impossible, {@link BrokenLog} where its packing is. */
export async function openLogFile(path: string, name: string): Promise<LogInput> {
  /** What is no plain file, such as a pipe, can be read only once. */
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

/** Takes chunks, such as those of the standard input, as a log. */
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

/** Chunks as they are, or unpacked; several packed members stand for their texts one after another. */
async function* unpacked(chunks: Chunks, packed: boolean, onBytes: (bytes: number) => void): AsyncIterable<Uint8Array> {
  const counted = count(chunks, onBytes)
  if (!packed) {
    yield* counted
    return
  }
  try {
    yield* pipeline(counted, createGunzip({ chunkSize: 256 * 1024 }), () => {})
  } catch (error) {
    throw isPacking(error) ? new BrokenLog(reasonOf(error)) : error
  }
}

type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

async function* count(chunks: Chunks, onBytes: (bytes: number) => void): AsyncIterable<Uint8Array> {
  for await (const chunk of chunks) {
    onBytes(chunk.length)
    yield chunk
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)
const isPacking = (error: unknown): boolean => String(codeOf(error)).startsWith('Z_')

const reasonOf = (error: unknown): string =>
  codeOf(error) === 'Z_BUF_ERROR' ? 'the packed data is cut off' : 'the packed data is damaged'

/** The first lines of blocks; a break behind them is not their affair. */
async function sampleOf(blocks: AsyncIterable<Uint8Array>): Promise<readonly string[]> {
  try {
    for await (const block of blocks) return linesOf(block.subarray(0, SAMPLE_BYTES), block.length <= SAMPLE_BYTES)
  } catch (error) {
    if (!(error instanceof BrokenLog)) throw error
  }
  return []
}

/** `whole` says that the last line has its end, whether or not a line break follows. */
function linesOf(bytes: Uint8Array, whole: boolean): readonly string[] {
  const text = Buffer.from(bytes).toString('latin1').replace(BOM, '')
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''))
  const complete = whole || lines.length < 2 ? lines : lines.slice(0, -1)
  return complete.slice(0, SAMPLE_LINES)
}

/** The mark that some editors put in front of UTF-8, one character a byte. */
export const BOM = /^\xef\xbb\xbf/
