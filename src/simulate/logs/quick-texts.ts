/** What a log tells by address and request line alone. */
import { unescapeValue } from '../../traffic/escaping.ts'
import type { Row } from '../../traffic/line-reader.ts'
import { openLog } from '../../traffic/log.ts'
import { createCodeReader, createKeyReaders } from '../core/request-reader.ts'
import type { EncoderOptions } from './encoder-options.ts'

/** Fields of a line that a key can depend on, as bits. */
export const ADDRESS = 1
export const REQUEST = 2

/** Places and keys by the two fields, as they stand in the line. */
export type QuickTexts = {
  /** The fields that the key of each expression depends on. */
  readonly uses: readonly number[]
  code(request: string): number
  key(expression: number, address: string, request: string): string
}

/** Undefined where places or keys depend on anything else. */
export function createQuickTexts({ kind, constants, plan, platform }: EncoderOptions): QuickTexts | undefined {
  const open = () => openLog(kind, new Map(constants))
  /** What is wanted before anybody asks tells times. */
  const times = new Set(open().wanted)
  if (plan.expressions.flat().some((part) => part.type === 'variable' && times.has(part.name))) return undefined
  const fieldsOf = (ask: (log: ReturnType<typeof open>) => void): number | undefined => {
    const log = open()
    ask(log)
    const names = log.wanted.filter((name) => !times.has(name))
    if (names.some((name) => name !== 'remote_addr' && name !== 'request')) return undefined
    return (names.includes('remote_addr') ? ADDRESS : 0) | (names.includes('request') ? REQUEST : 0)
  }
  const ofPlaces = fieldsOf((log) => createCodeReader(plan, log.variables))
  const uses = plan.expressions.map((parts) =>
    fieldsOf((log) => createKeyReaders({ ...plan, expressions: [parts] }, log.variables, platform)),
  )
  if (ofPlaces === undefined || (ofPlaces & ADDRESS) !== 0) return undefined
  if (!uses.every((fields) => fields !== undefined)) return undefined
  const log = open()
  const [codeReader, keyReaders] = [
    createCodeReader(plan, log.variables),
    createKeyReaders(plan, log.variables, platform),
  ]
  const rowOf = (address: string, request: string): Row =>
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
