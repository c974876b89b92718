/** The standard input as sources. */

import type { TextSource } from '../../project/source.ts'
import { MENTIONS } from '../../registry.ts'
import { decodeText } from '../../yaml/decode.ts'
import { partByTemplate } from '../helm/helm-stream.ts'
import { type InputProblem, reasonOf } from '../problem.ts'
import { MAX_FILE_BYTES, mentionsIn } from './read-file.ts'

/** How the report names the standard input. */
export const STDIN = '<stdin>'

/** What came in. */
export type Input = {
  /** Those that name a judged kind. */
  readonly sources: readonly TextSource[]
  /** The texts that Helm has rendered, by the names of their templates. */
  readonly rendered: readonly string[]
  /** How many texts came: one, or as many as templates. */
  readonly files: number
  readonly problems: readonly InputProblem[]
}

/** Where nothing is read. */
export const NO_INPUT: Input = { sources: [], rendered: [], files: 0, problems: [] }

export type InputOptions = {
  readonly stdin: Iterable<Uint8Array>
  /** The namespace of manifests that name none. */
  readonly namespace: string | undefined
  /** The input is one text, whatever Helm says of its parts: for who prints it again. */
  readonly isInputWhole?: boolean
}

/** Reads all of it. The texts of Helm's templates get their names, unless one of the other sources has it. */
export function readStdin({ stdin, namespace, isInputWhole }: InputOptions, others: readonly TextSource[]): Input {
  const bytes = join(stdin)
  if ('reason' in bytes) return { ...NO_INPUT, files: 1, problems: [{ file: STDIN, reason: bytes.reason }] }
  if (!mentionsIn(bytes, bytes.length, MENTIONS)) return { ...NO_INPUT, files: 1 }
  const hint = namespace === undefined ? {} : { namespace: { fallback: namespace } }
  const whole = { file: STDIN, ...decodeText(bytes), ...hint }
  const parts = whole.problem || isInputWhole ? [] : partByTemplate(whole.text, STDIN)
  const taken = new Set(others.map(({ file }) => file))
  if (parts.length === 0 || parts.some(({ file }) => taken.has(file)))
    return { ...NO_INPUT, files: 1, sources: [whole] }
  const sources = parts.filter(({ text }) => MENTIONS.test(text)).map((part) => ({ ...part, ...hint }))
  const rendered = sources.map(({ file }) => file).filter((file) => file !== STDIN)
  return { ...NO_INPUT, files: parts.length, sources, rendered }
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
