/** What of the library runs in the worker of the page. A log of the user's disk is read there in parts, and is sent nowhere. */
import {
  admit,
  effective,
  explain,
  formatEffective,
  formatSimulation,
  formatStatus,
  type LogStreamTraffic,
  lint,
  type Result,
  render,
  type SimulateOptions,
  type SimulationReport,
  simulate,
  simulateStream,
  status,
  type TextSource,
} from '../../browser.ts'

/** Its functions by name. */
export const FUNCTIONS = {
  admit,
  effective,
  explain,
  formatEffective,
  formatSimulation,
  formatStatus,
  lint,
  render,
  simulate,
  simulateFile,
  status,
} as const

export type Functions = typeof FUNCTIONS

/** A call, to the worker. */
export type Asked = { readonly id: number; readonly name: keyof Functions; readonly given: readonly unknown[] }

/** What came of it, from the worker. */
export type Answered = { readonly id: number; readonly value: unknown }

/** A log and how it is read. */
type FileTraffic = Omit<LogStreamTraffic, 'chunks'> & {
  /** As it is, or packed with gzip. */
  readonly file: Blob
}

/**
 * Runs the requests of a file through the limits, as `sluice simulate --log` does. `progress` gets the number of bytes of
 * the file that were read, now and then.
 */
async function simulateFile(
  sources: readonly TextSource[],
  { file, ...traffic }: FileTraffic,
  options: SimulateOptions,
  progress: MessagePort,
): Promise<Result<SimulationReport>> {
  const isPacked = (await bytesOf(file, 0, 2)).join() === '31,139'
  const chunks = isPacked ? unpackedChunks(file, progress) : chunksOf(file, progress)
  return await simulateStream(sources, { ...traffic, chunks }, options)
}

/** Bytes that are read at once. */
const PART = 1 << 22

const bytesOf = async (file: Blob, start: number, length: number): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await file.slice(start, start + length).arrayBuffer())

async function* chunksOf(file: Blob, progress: MessagePort): AsyncIterable<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < file.size; at += PART) {
    yield await bytesOf(file, at, PART)
    progress.postMessage(Math.min(at + PART, file.size))
  }
}

async function* unpackedChunks(file: Blob, progress: MessagePort): AsyncIterable<Uint8Array> {
  const parts = chunksOf(file, progress)[Symbol.asyncIterator]()
  const packed = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const next = await parts.next()
      if (next.done) controller.close()
      else controller.enqueue(next.value)
    },
  })
  const reader = packed.pipeThrough(new DecompressionStream('gzip')).getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
}
