/** Lines of a log to requests as numbers. */

import type { Row } from '../../traffic/line-reader.ts'
import { openLog } from '../../traffic/log.ts'
import type { Variables } from '../../traffic/variables.ts'
import { type Batch, type BatchBuilder, createBatchBuilder } from '../core/batch.ts'
import { createDictionary, type Dictionary } from '../core/dictionary.ts'
import { createExpressionsOf } from '../core/plan.ts'
import { createCodeReader, createKeyReaders } from '../core/request-reader.ts'
import { LONGEST_LINE } from './blocks.ts'
import type { EncoderOptions } from './encoder-options.ts'
import { BOM } from './log-input.ts'
import { createQuickReader, type QuickReader } from './quick-reader.ts'

/** Reads blocks of whole lines, one after another. */
export type Encoder = (block: Uint8Array) => Batch

const LF = 10
const CR = 13

export function createEncoder(options: EncoderOptions): Encoder {
  const dictionary = createDictionary(options.plan)
  const builder = createBatchBuilder()
  const readLine = lineEncoder(options, dictionary, builder)
  const quick: QuickReader | undefined = options.quick ? createQuickReader(options, dictionary, builder) : undefined
  return (block) => {
    const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength)
    const reset = dictionary.begin()
    if (reset) quick?.forget()
    let lines = 0
    for (let start = 0; start < bytes.length; lines += 1) {
      const next = quick ? quick.read(bytes, start) : -1
      start = next >= 0 ? next : readFull(bytes, start, (text) => readLine(text, lines + 1))
    }
    return builder.finish({ reset, fresh: dictionary.fresh(), lines })
  }
}

/** Hands on the text of the line at `start`, but not an empty one; the position behind it. */
function readFull(bytes: Buffer, start: number, read: (text: string) => void): number {
  const newline = bytes.indexOf(LF, start)
  const end = newline < 0 ? bytes.length : newline
  const text = bytes.toString('latin1', start, end > start && bytes[end - 1] === CR ? end - 1 : end)
  if (text !== '') read(text)
  return end + 1
}

/** Reads a line in full, whatever the format and whatever the keys are made of. */
function lineEncoder(
  { kind, constants, plan, platform }: EncoderOptions,
  dictionary: Dictionary,
  builder: BatchBuilder,
): (text: string, line: number) => void {
  const log = openLog(kind, new Map(constants))
  const encode = createRowEncoder({ plan, platform, variables: log.variables }, dictionary, builder)
  const read = log.reader()
  return (text, line) => {
    if (text.length > LONGEST_LINE) return builder.addBad(line, 'long', text)
    const row = read(line === 1 ? text.replace(BOM, '') : text)
    if (!row) return builder.addBad(line, 'format', text)
    const time = log.arrival(row)
    if (Number.isNaN(time)) return builder.addBad(line, 'time', text)
    builder.logged(log.logged(row))
    encode(time, row)
  }
}

/** Adds a request to the batch at hand. */
export type RowEncoder = (time: number, row: Row) => void

/** Turns rows of any traffic into requests of a batch. */
export function createRowEncoder(
  { plan, platform, variables }: Pick<EncoderOptions, 'plan' | 'platform'> & { readonly variables: Variables },
  dictionary: Dictionary,
  builder: BatchBuilder,
): RowEncoder {
  const codeReader = createCodeReader(plan, variables)
  const keyReaders = createKeyReaders(plan, variables, platform)
  const expressionsOf = createExpressionsOf(plan)
  return (time, row) => {
    const code = codeReader(row)
    builder.add(time, code)
    for (const expression of expressionsOf(code)) {
      builder.addKey(dictionary.number(expression, keyReaders[expression]?.(row) ?? ''))
    }
  }
}
