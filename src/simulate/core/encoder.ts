/** From lines of a log to requests as numbers. */
import { isClientAddress } from '../../traffic/address.ts'
import { latin1Text } from '../../traffic/escaping.ts'
import type { LogRow } from '../../traffic/line-reader.ts'
import { openLog } from '../../traffic/log.ts'
import type { VariableGetters } from '../../traffic/variables.ts'
import { createUnwrapper } from '../../traffic/wrapper.ts'
import { createQuickReader, type QuickReader } from '../fast/quick-reader.ts'
import { type Batch, type BatchBuilder, createBatchBuilder } from './batch.ts'
import { createDictionary, type Dictionary } from './keys.ts'
import { type BlockText, type EncoderOptions, LONGEST_LINE, withoutBom } from './log-reading.ts'
import { createExpressionsOf, type Plan } from './plan.ts'
import { createCodeReader, createKeyReaders } from './request-reader.ts'
import { WINDOW } from './sequencer.ts'

/** Opens a block as text: a platform may have a faster way than {@link latin1Text}. */
type OpenBlock = (block: Uint8Array) => BlockText

/** Reads blocks of whole lines, one after another. */
type Encoder = (block: Uint8Array) => Batch

const LF = 10
const CR = 13

/** An encoder for one reader of a log. */
export function createEncoder(
  options: EncoderOptions,
  openBlock: OpenBlock = (block) => (start, end) => latin1Text(block, start, end),
): Encoder {
  const dictionary = createDictionary(options.plan)
  const builder = createBatchBuilder()
  const readLine = lineEncoder(options, dictionary, builder)
  const isQuick = options.quick && options.kind.wrapper === undefined
  const quick: QuickReader | undefined = isQuick ? createQuickReader(options, dictionary, builder) : undefined
  return (block) => {
    const text = openBlock(block)
    const reset = dictionary.begin()
    if (reset) quick?.forgetKeys()
    let lines = 0
    for (let start = 0; start < block.length; lines += 1) {
      const next = quick ? quick.read(block, start, text) : -1
      if (next >= 0) {
        start = next
        continue
      }
      const end = lineEnd(block, start)
      readLine(lineAt(block, text, start, end), lines + 1)
      start = end + 1
    }
    return builder.finish({ reset, newTexts: dictionary.takeTexts(), lines })
  }
}

function lineEnd(block: Uint8Array, start: number): number {
  const newline = block.indexOf(LF, start)
  return newline < 0 ? block.length : newline
}

/** A line without the carriage return that may end it. */
const lineAt = (block: Uint8Array, text: BlockText, start: number, end: number): string =>
  text(start, end > start && block[end - 1] === CR ? end - 1 : end)

/** Reads a line in full, for any format and any keys. */
function lineEncoder(
  { kind, constants, plan, platform }: EncoderOptions,
  dictionary: Dictionary,
  builder: BatchBuilder,
): (line: string, number: number) => void {
  const log = openLog(kind, new Map(constants))
  const encode = createRowEncoder({ plan, platform, variables: log.variables }, dictionary, builder)
  const countAddress = addressCounter(plan, log.variables, builder)
  const read = log.reader()
  const unwrap = kind.wrapper ? createUnwrapper(kind.wrapper) : (text: string) => ({ text, isError: false })
  return (line, number) => {
    const { text = '', isError = false } = unwrap(number === 1 ? withoutBom(line) : line) ?? {}
    if (text === '') return
    if (text.length > LONGEST_LINE) return builder.addBad(number, 'long', text)
    const row = read(text)
    if (!row) {
      /** The standard error has the error log, not requests. */
      if (!isError) builder.addBad(number, 'format', text)
      return
    }
    const [time, logged] = [log.arrival(row), log.logged(row)]
    if (Number.isNaN(time)) return builder.addBad(number, 'time', text)
    builder.logged(logged)
    /** A request that took longer would look like a clock that was set back. */
    const code = encode(Math.max(time, logged - WINDOW), row)
    countAddress(code, row)
  }
}

/** Counts requests that meet a limit by address and whose client has none. */
function addressCounter(
  plan: Plan,
  variables: VariableGetters,
  builder: BatchBuilder,
): (code: number, row: LogRow) => void {
  const address = variables('remote_addr')
  const hasAddress = plan.expressions.map((parts) =>
    parts.some((part) => part.type === 'variable' && /^(?:binary_)?remote_addr$/.test(part.name)),
  )
  const expressionsOf = createExpressionsOf(plan)
  const isByAddress: boolean[] = []
  return (code, row) => {
    isByAddress[code] ??= expressionsOf(code).some((expression) => hasAddress[expression])
    if (!address || !isByAddress[code]) return
    const text = address(row)
    if (!isClientAddress(text)) builder.addWithoutAddress(text)
  }
}

/** Adds a request to the current batch; `time` is in milliseconds. Returns the request's code. */
type RowEncoder = (time: number, row: LogRow) => number

/** Turns rows of a log into requests of a batch. */
export function createRowEncoder(
  { plan, platform, variables }: Pick<EncoderOptions, 'plan' | 'platform'> & { readonly variables: VariableGetters },
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
    return code
  }
}
