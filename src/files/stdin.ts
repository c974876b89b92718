/** The standard input as a source. */
import { decodeText } from '../documents/decode.ts'
import type { Source } from '../lint/source.ts'
import { type InputProblem, reasonOf } from './problem.ts'
import { MAX_FILE_BYTES, mentionsIn } from './read-file.ts'

/** How the report names the standard input. */
export const STDIN = '<stdin>'

/** Reads all of it. Undefined where it names no judged kind. */
export function readStdin(
  chunks: Iterable<Uint8Array>,
  mentions: RegExp,
): Pick<Source, 'file' | 'text' | 'problem'> | InputProblem | undefined {
  const bytes = join(chunks)
  if ('reason' in bytes) return { file: STDIN, reason: bytes.reason }
  if (!mentionsIn(bytes, bytes.length, mentions)) return undefined
  return { file: STDIN, ...decodeText(bytes) }
}

function join(chunks: Iterable<Uint8Array>): Buffer | { readonly reason: string } {
  const parts: Uint8Array[] = []
  let length = 0
  try {
    for (const chunk of chunks) {
      length += chunk.length
      if (length > MAX_FILE_BYTES) return { reason: 'more than 64 MiB; split it' }
      parts.push(chunk)
    }
  } catch (error) {
    return { reason: reasonOf(error) }
  }
  return Buffer.concat(parts)
}
