/**
 * The quick way through logs in nginx's own formats: from bytes to numbers without making strings, wherever locations
 * and keys depend only on the address and the request line. The result is the same as when lines are read in full, which
 * takes three times as long: the replay would miss its bar beside gawk by far (docs/benchmarks.md, replay).
 */

import { unescapeValue } from '../../traffic/escaping.ts'
import type { LogRow } from '../../traffic/line-reader.ts'
import { openLog } from '../../traffic/log.ts'
import type { BatchBuilder } from '../core/batch.ts'
import { createByteTable } from '../core/byte-table.ts'
import { type Dictionary, isAddressKey } from '../core/keys.ts'
import type { BlockText, EncoderOptions } from '../core/log-reading.ts'
import { createExpressionsOf } from '../core/plan.ts'
import { createCodeReader, createKeyReaders } from '../core/request-reader.ts'
import { type CleanLine, createLocalTimeReader, emptyCleanLine, scanLine } from './clean-line.ts'

/** Reads plain lines. */
export type QuickReader = {
  /** The position behind the line at `start`; -1 where the line must be read in full. `text` is the block's. */
  read(block: Uint8Array, start: number, text: BlockText): number
  /** To be called when the dictionary starts to number its keys again. */
  forgetKeys(): void
}

/** Requests longer than this, in bytes, are read in full: remembering them would not pay. */
const LONGEST_REQUEST = 2048

/** A reader, or undefined where the format, the locations or the keys need lines to be read in full. */
export function createQuickReader(
  options: EncoderOptions,
  dictionary: Dictionary,
  builder: BatchBuilder,
): QuickReader | undefined {
  const quoted = options.kind.lines.type === 'text' ? options.kind.lines.quoted : undefined
  const fields = quoted === undefined ? undefined : createFieldReader(options)
  if (quoted === undefined || !fields) return undefined
  const requests = createRequestMemory(fields, dictionary)
  const isAddress = options.plan.expressions.map(
    (parts, index) => isAddressKey(parts) && fields.uses[index] === ADDRESS,
  )
  const expressionsOf = createExpressionsOf(options.plan)
  const timeOf = createLocalTimeReader()
  const line = emptyCleanLine()

  const addKey = (expression: number, request: number, text: BlockText): void => {
    if (isAddress[expression]) builder.addKey(line.ipv4 >>> 0)
    else if (((fields.uses[expression] ?? 0) & ADDRESS) !== 0) {
      const address = text(line.addressStart, line.addressEnd)
      builder.addKey(dictionary.number(expression, fields.key(expression, address, requestOf(text, line))))
    } else builder.addKey(requests.key(expression, request, () => requestOf(text, line)))
  }
  return {
    read(block, start, text) {
      if (!scanLine(block, start, quoted, line)) return -1
      const { requestStart, requestEnd } = line
      const time = timeOf(block, line.timeStart)
      if (Number.isNaN(time) || requestEnd - requestStart > LONGEST_REQUEST) return -1
      const request = requests.number(block, requestStart, requestEnd, line.requestHash)
      const code = requests.code(request, text, line)
      builder.add(time, code)
      builder.logged(time)
      const expressions = expressionsOf(code)
      for (let index = 0; index < expressions.length; index += 1) addKey(expressions[index] ?? 0, request, text)
      return line.next
    },
    forgetKeys: requests.forgetKeys,
  }
}

const requestOf = (text: BlockText, { requestStart, requestEnd }: CleanLine): string => text(requestStart, requestEnd)

/** Fields of a line that a key can depend on, as bits. */
const ADDRESS = 1
const REQUEST = 2

/** Codes and keys from the address and the request as they stand in the line. */
type FieldReader = {
  /** The fields that the key of each expression depends on. */
  readonly uses: readonly number[]
  code(request: string): number
  key(expression: number, address: string, request: string): string
}

/** Undefined where codes or keys depend on any other field. */
export function createFieldReader({ kind, constants, plan, platform }: EncoderOptions): FieldReader | undefined {
  const open = () => openLog(kind, new Map(constants))
  /** The variables that are wanted before codes and keys are compiled: those for the time. */
  const times = new Set(open().wanted)
  if (plan.expressions.flat().some((part) => part.type === 'variable' && times.has(part.name))) return undefined
  const fieldsOf = (compile: (log: ReturnType<typeof open>) => void): number | undefined => {
    const log = open()
    compile(log)
    const names = log.wanted.filter((name) => !times.has(name))
    if (names.some((name) => name !== 'remote_addr' && name !== 'request')) return undefined
    return (names.includes('remote_addr') ? ADDRESS : 0) | (names.includes('request') ? REQUEST : 0)
  }
  const ofCodes = fieldsOf((log) => createCodeReader(plan, log.variables))
  const uses = plan.expressions.map((parts) =>
    fieldsOf((log) => createKeyReaders({ ...plan, expressions: [parts] }, log.variables, platform)),
  )
  if (ofCodes === undefined || (ofCodes & ADDRESS) !== 0) return undefined
  if (!uses.every((fields) => fields !== undefined)) return undefined
  const log = open()
  const [codeReader, keyReaders] = [
    createCodeReader(plan, log.variables),
    createKeyReaders(plan, log.variables, platform),
  ]
  const rowOf = (address: string, request: string): LogRow =>
    log.wanted.map((name) =>
      name === 'remote_addr'
        ? unescapeValue(address, 'default')
        : name === 'request'
          ? unescapeValue(request, 'default')
          : '',
    )
  return {
    uses,
    code: (request) => codeReader(rowOf('', request)),
    key: (expression, address, request) => keyReaders[expression]?.(rowOf(address, request)) ?? '',
  }
}

/** How many requests are remembered, and bytes of them. */
const MEMORY_LIMITS = { entries: 2 ** 18, bytes: 2 ** 24 }

/** Remembers the codes and keys of request lines, so that each is parsed once. */
type RequestMemory = {
  /** The number of the request `block[start, end)`; `hash` is its hash. */
  number(block: Uint8Array, start: number, end: number, hash: number): number
  /** The code of the request with a number, which stands in `line`. */
  code(number: number, text: BlockText, line: CleanLine): number
  /** The number of an expression's key that depends on the request alone, or on nothing. */
  key(expression: number, number: number, request: () => string): number
  forgetKeys(): void
}

function createRequestMemory(fields: FieldReader, dictionary: Dictionary): RequestMemory {
  const table = createByteTable(MEMORY_LIMITS)
  const codes = createNumberMemo()
  const keys = fields.uses.map(createNumberMemo)
  const forgetKeys = (): void => {
    for (const memo of keys) memo.clear()
  }
  const learn = (number: number, request: string): number => {
    const code = fields.code(request)
    codes.set(number, code)
    return code
  }
  return {
    number(block, start, end, hash) {
      const known = table.number(block, start, end, hash)
      if (known >= 0) return known
      /** Full: everything is forgotten. */
      table.clear()
      codes.clear()
      forgetKeys()
      return table.number(block, start, end, hash)
    },
    code(number, text, line) {
      const known = codes.get(number)
      return known === NOTHING ? learn(number, requestOf(text, line)) : known
    },
    key(expression, number, request) {
      const owner = fields.uses[expression] === REQUEST ? number : 0
      const memo = keys[expression]
      const known = memo ? memo.get(owner) : NOTHING
      if (known !== NOTHING) return known
      const key = dictionary.number(expression, fields.key(expression, '', request()))
      memo?.set(owner, key)
      return key
    },
    forgetKeys,
  }
}

/** Remembers numbers of -1 or more by small numbers, such as those that tables assign. */
type NumberMemo = {
  /** The number that is remembered; {@link NOTHING} where there is none. */
  get(number: number): number
  set(number: number, value: number): void
  clear(): void
}

const NOTHING = -2

function createNumberMemo(): NumberMemo {
  /** Values less NOTHING, so that fresh memory means NOTHING. */
  let values = new Float64Array(1024)
  return {
    get: (number) => (values[number] ?? 0) + NOTHING,
    set(number, value) {
      if (number >= values.length) {
        const larger = new Float64Array(2 ** Math.ceil(Math.log2(number + 1)))
        larger.set(values)
        values = larger
      }
      values[number] = value - NOTHING
    },
    clear: () => void values.fill(0),
  }
}
