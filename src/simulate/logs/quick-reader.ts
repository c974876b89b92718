/**
 * The quick way through logs in nginx's own formats: bytes to numbers without making texts, wherever places and keys
 * depend on address and request line only. What it says of a line is what reading it in full would say.
 */
import { type CleanLine, createLocalTimeReader, emptyCleanLine, scanLine } from '../../traffic/clean-line.ts'
import type { BatchBuilder } from '../core/batch.ts'
import type { Dictionary } from '../core/dictionary.ts'
import { isAddressKey } from '../core/keys.ts'
import { createExpressionsOf } from '../core/plan.ts'
import { createRequestMemory } from '../core/request-memory.ts'
import type { EncoderOptions } from './encoder-options.ts'
import { ADDRESS, createQuickTexts } from './quick-texts.ts'

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
  const requests = createRequestMemory(texts, dictionary)
  const isAddress = options.plan.expressions.map((parts, index) => isAddressKey(parts) && texts.uses[index] === ADDRESS)
  const expressionsOf = createExpressionsOf(options.plan)
  const timeOf = createLocalTimeReader()
  const line = emptyCleanLine()

  const addKey = (expression: number, request: number, bytes: Buffer): void => {
    if (isAddress[expression]) builder.addKey(line.ipv4 >>> 0)
    else if (((texts.uses[expression] ?? 0) & ADDRESS) !== 0) {
      builder.addKey(
        dictionary.number(expression, texts.key(expression, addressOf(bytes, line), requestOf(bytes, line))),
      )
    } else builder.addKey(requests.key(expression, request, () => requestOf(bytes, line)))
  }
  return {
    read(bytes, start) {
      if (!scanLine(bytes, start, quoted, line) || !line.isIpv4) return -1
      const { requestStart, requestEnd } = line
      const time = timeOf(bytes, line.timeStart)
      if (Number.isNaN(time) || requestEnd - requestStart > LONGEST_REQUEST) return -1
      const request = requests.number(bytes, requestStart, requestEnd, line.requestHash)
      const code = requests.code(request, bytes, requestStart, requestEnd)
      builder.add(time, code)
      builder.logged(time)
      const expressions = expressionsOf(code)
      for (let index = 0; index < expressions.length; index += 1) addKey(expressions[index] ?? 0, request, bytes)
      return line.next
    },
    forget: requests.forgetKeys,
  }
}

const addressOf = (bytes: Buffer, { addressStart, addressEnd }: CleanLine): string =>
  bytes.toString('latin1', addressStart, addressEnd)
const requestOf = (bytes: Buffer, { requestStart, requestEnd }: CleanLine): string =>
  bytes.toString('latin1', requestStart, requestEnd)
