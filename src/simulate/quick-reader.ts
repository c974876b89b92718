/**
 * The quick way through logs in nginx's own formats: bytes to numbers without making texts, wherever places and keys
 * depend on address and request line only. What it says of a line is what reading it in full would say.
 */
import { createLocalTimeReader, emptyCleanLine, scanLine } from '../traffic/clean-line.ts'
import type { BatchBuilder } from './batch.ts'
import type { Dictionary } from './dictionary.ts'
import type { EncoderOptions } from './encoder-options.ts'
import { createExpressionsOf } from './plan.ts'
import { createQuickMemory } from './quick-memory.ts'
import { createQuickTexts } from './quick-texts.ts'

/** Reads plain lines. */
export type QuickReader = {
  /** The position behind the line at `start`; -1 where it must be read in full. */
  read(bytes: Buffer, start: number): number
  /** To be told when the dictionary begins anew. */
  forget(): void
}

/** Requests longer than this, in bytes, are read in full: remembering them would not pay. */
const LONGEST_REQUEST = 2048

/** A reader, or undefined where the format or what is asked for rules it out. */
export function createQuickReader(
  options: EncoderOptions,
  dictionary: Dictionary,
  builder: BatchBuilder,
): QuickReader | undefined {
  const quoted = options.kind.lines.type === 'text' ? options.kind.lines.quoted : undefined
  const texts = quoted === undefined ? undefined : createQuickTexts(options)
  if (quoted === undefined || !texts) return undefined
  const memory = createQuickMemory(texts, dictionary)
  const expressionsOf = createExpressionsOf(options.plan)
  const timeOf = createLocalTimeReader()
  const line = emptyCleanLine()
  return {
    read(bytes, start) {
      if (!scanLine(bytes, start, quoted, line) || line.requestEnd - line.requestStart > LONGEST_REQUEST) return -1
      const time = timeOf(bytes, line.timeStart)
      if (Number.isNaN(time)) return -1
      const address = memory.address(bytes, start, line)
      const request = memory.request(bytes, line)
      const code = memory.code(request)
      builder.add(time, code)
      builder.logged(time)
      const expressions = expressionsOf(code)
      for (let index = 0; index < expressions.length; index += 1) {
        builder.addKey(memory.key(expressions[index] ?? 0, address, request))
      }
      return line.next
    },
    forget: memory.forgetKeys,
  }
}
