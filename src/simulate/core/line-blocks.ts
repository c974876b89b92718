/** Streams of bytes in blocks of whole lines, in constant memory. Lines over 1 MiB are cut. */
import { BLOCK_BYTES, LONGEST_LINE } from './log-reading.ts'

const LF = 10

/** Chunks of bytes. */
export type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

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
      const whole = joined(kept, bytes)
      const end = whole.lastIndexOf(LF) + 1
      skipping = end === 0 && bytes > LONGEST_LINE
      kept = []
      bytes = 0
      if (skipping) return whole
      keep(whole.subarray(end))
      return end === 0 ? undefined : whole.slice(0, end)
    },
    rest: (): Uint8Array<ArrayBuffer> => joined(kept, bytes),
  }
}

function joined(chunks: readonly Uint8Array[], bytes: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(bytes)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}
