/**
 * Unpacks gzip as far as it goes. Node's own stream loses what it has unpacked last where the data ends early, is
 * damaged, or has something else behind it. Source: RFC 1952.
 */

import { createInflateRaw, type InflateRaw, crc32 as nodeCrc32 } from 'node:zlib'
import type { Chunks } from '../core/line-blocks.ts'

/** Data that is cut off, damaged, or not gzip at some point: everything before that was unpacked. */
export class BrokenLog extends Error {}

/** True for data that begins as gzip does. */
export const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

/** Unpacks one packed member after another. Throws {@link BrokenLog} behind the last byte that could be unpacked. */
export async function* gunzip(chunks: Chunks): AsyncIterable<Uint8Array> {
  const input = createInput(chunks)
  let start = await input.read(2)
  for (; isGzip(start); start = await input.read(2)) yield* unpackMember(input)
  if (!(await onlyZeros(start, input)))
    throw new BrokenLog('behind the packed data is something else, which is not read')
}

async function* unpackMember(input: Input): AsyncIterable<Uint8Array> {
  await skipHeader(input)
  let [size, checksum] = [0, 0]
  for await (const bytes of inflate(input)) {
    size += bytes.length
    if (crc32) checksum = crc32(bytes, checksum)
    yield bytes
  }
  const trailer = Buffer.from(await exactly(TRAILER, input))
  if (trailer.readUInt32LE(4) !== size % 2 ** 32) throw new BrokenLog(DAMAGED)
  if (crc32 && trailer.readUInt32LE(0) !== checksum) throw new BrokenLog(WRONG_CHECKSUM)
}

/** Node has it since 20.15 and 22.2. Before, only the size is checked. */
const crc32: typeof nodeCrc32 | undefined = nodeCrc32

const DAMAGED = 'the packed data is damaged'
const WRONG_CHECKSUM = 'the packed data is damaged: its checksum does not match, so some of its lines may be wrong'
const CUT_OFF = 'the packed data is cut off'

/** Bytes of the fixed part of a header behind its first two, and of the checksum and size behind the data. */
const [HEADER, TRAILER] = [8, 8]
/** Flags of a header: which parts of variable length it has. */
const [HAS_CHECKSUM, HAS_EXTRA, HAS_NAME, HAS_COMMENT] = [2, 4, 8, 16]

async function skipHeader(input: Input): Promise<void> {
  const [method, flags = 0] = await exactly(HEADER, input)
  if (method !== 8) throw new BrokenLog(DAMAGED)
  if (flags & HAS_EXTRA) {
    const [low = 0, high = 0] = await exactly(2, input)
    await exactly(low + high * 256, input)
  }
  for (const flag of [HAS_NAME, HAS_COMMENT]) {
    if (flags & flag) while ((await exactly(1, input))[0] !== 0);
  }
  if (flags & HAS_CHECKSUM) await exactly(2, input)
}

async function exactly(count: number, input: Input): Promise<Uint8Array> {
  const bytes = await input.read(count)
  if (bytes.length < count) throw new BrokenLog(CUT_OFF)
  return bytes
}

/** Some programs fill the last block of a tape or a disk. */
async function onlyZeros(start: Uint8Array, input: Input): Promise<boolean> {
  for (let bytes = start; bytes.length > 0; bytes = await input.chunk())
    if (bytes.some((byte) => byte !== 0)) return false
  return true
}

/** Unpacks up to the end of one member, and leaves the rest in the input. */
async function* inflate(input: Input): AsyncIterable<Uint8Array> {
  const stream = createInflateRaw()
  const unpacked: Uint8Array[] = []
  stream.on('data', (bytes: Uint8Array) => unpacked.push(bytes))
  try {
    for (let fed = 0, ended = false; !ended; ) {
      const bytes = await input.chunk()
      if (bytes.length === 0) throw new BrokenLog(CUT_OFF)
      const error = await write(stream, bytes)
      yield* unpacked.splice(0)
      if (error) throw new BrokenLog(DAMAGED)
      fed += bytes.length
      const left = fed - stream.bytesWritten
      ended = left > 0
      input.putBack(bytes.subarray(bytes.length - left))
    }
  } finally {
    stream.destroy()
  }
}

/** Returns the error that unpacking some bytes leads to; undefined where there is none. */
const write = (stream: InflateRaw, bytes: Uint8Array): Promise<Error | undefined> =>
  new Promise((resolve) => {
    stream.once('error', resolve)
    stream.write(bytes, (error) => {
      stream.off('error', resolve)
      /** What was unpacked is delivered until then. */
      setImmediate(() => resolve(error ?? undefined))
    })
  })

/** Bytes to be read in pieces of a known length, or as they come. */
type Input = {
  /** Up to `count` bytes; fewer only at the end. */
  read(count: number): Promise<Uint8Array>
  /** The next bytes, as many as there are at once; none at the end. */
  chunk(): Promise<Uint8Array>
  putBack(bytes: Uint8Array): void
}

function createInput(chunks: Chunks): Input {
  const iterator = Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]()
  let kept: Uint8Array = new Uint8Array(0)
  const chunk = async (): Promise<Uint8Array> => {
    const bytes = kept
    kept = new Uint8Array(0)
    if (bytes.length > 0) return bytes
    for (let next = await iterator.next(); !next.done; next = await iterator.next())
      if (next.value.length > 0) return next.value
    return bytes
  }
  return {
    chunk,
    async read(count) {
      let bytes = await chunk()
      while (bytes.length < count) {
        const more = await chunk()
        if (more.length === 0) break
        bytes = Buffer.concat([bytes, more])
      }
      kept = bytes.subarray(count)
      return bytes.subarray(0, count)
    },
    putBack(bytes) {
      kept = bytes
    },
  }
}
