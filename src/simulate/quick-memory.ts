/** Addresses and requests that were met, and what they mean: each is understood once. */
import { createByteTable } from '../traffic/byte-table.ts'
import { type CleanLine, hashBytes } from '../traffic/clean-line.ts'
import { createNumberTable } from '../traffic/number-table.ts'
import type { Dictionary } from './dictionary.ts'
import { createMemo } from './memo.ts'
import { ADDRESS, type QuickTexts, REQUEST } from './quick-texts.ts'

/** Numbers for the fields of the line at hand, and what they mean. */
export type QuickMemory = {
  address(bytes: Buffer, start: number, line: CleanLine): number
  request(bytes: Buffer, line: CleanLine): number
  /** The code of a request's number. */
  code(request: number): number
  /** The number of a key, by the numbers of the line at hand. */
  key(expression: number, address: number, request: number): number
  /** The keys' numbers begin anew. */
  forgetKeys(): void
}

/** How many addresses and requests are remembered, and bytes of them. */
const ENTRIES = 2 ** 18
const LIMITS = { entries: ENTRIES, bytes: 2 ** 24 }

export function createQuickMemory(texts: QuickTexts, dictionary: Dictionary): QuickMemory {
  const fields = createFields()
  const codes = createMemo()
  const keys = texts.uses.map(createMemo)
  const forgetKeys = (): void => {
    for (const memo of keys) memo.clear()
  }
  /** The owners' numbers begin anew with the tables. */
  const forget = (): void => {
    codes.clear()
    forgetKeys()
  }
  const learnCode = (request: number): number => {
    const code = texts.code(fields.requestText())
    codes.set(request, code)
    return code
  }
  return {
    address: (bytes, start, line) => fields.address(bytes, start, line, forget),
    request: (bytes, line) => fields.request(bytes, line, forget),
    code(request) {
      const known = codes.get(request)
      return known >= 0 ? known : learnCode(request)
    },
    key(expression, address, request) {
      const uses = texts.uses[expression] ?? 0
      const memo = uses === (ADDRESS | REQUEST) ? undefined : keys[expression]
      const owner = uses === ADDRESS ? address : uses === REQUEST ? request : 0
      const known = memo ? memo.get(owner) : -1
      if (known >= 0) return known - 1
      const key = dictionary.number(expression, texts.key(expression, fields.addressText(), fields.requestText()))
      /** One more, so that the key that skips its limit can be remembered too. */
      memo?.set(owner, key + 1)
      return key
    },
    forgetKeys,
  }
}

/** Numbers for the two fields, and the texts of those of the line at hand. */
function createFields() {
  const ipv4 = createNumberTable(ENTRIES)
  const others = createByteTable(LIMITS)
  const requests = createByteTable(LIMITS)
  let bytes: Buffer = Buffer.alloc(0)
  let [addressStart, addressEnd, requestStart, requestEnd] = [0, 0, 0, 0]

  /** A number of a table; where that is full, it begins anew. */
  const numberOf = (ask: () => number, begin: () => void): number => {
    const number = ask()
    if (number >= 0) return number
    begin()
    return ask()
  }
  return {
    addressText: () => bytes.toString('latin1', addressStart, addressEnd),
    requestText: () => bytes.toString('latin1', requestStart, requestEnd),
    address(block: Buffer, start: number, line: CleanLine, forget: () => void): number {
      bytes = block
      addressStart = start
      addressEnd = line.addressEnd
      const found = line.isIpv4 ? ipv4.number(line.ipv4) : -1
      if (found >= 0) return found
      return numberOf(
        () => {
          if (line.isIpv4) return ipv4.number(line.ipv4)
          const other = others.number(block, start, line.addressEnd, hashBytes(block, start, line.addressEnd))
          return other < 0 ? -1 : ENTRIES + other
        },
        () => {
          ipv4.clear()
          others.clear()
          forget()
        },
      )
    },
    request(block: Buffer, line: CleanLine, forget: () => void): number {
      requestStart = line.requestStart
      requestEnd = line.requestEnd
      const found = requests.number(block, requestStart, requestEnd, line.requestHash)
      if (found >= 0) return found
      return numberOf(
        () => requests.number(block, requestStart, requestEnd, line.requestHash),
        () => {
          requests.clear()
          forget()
        },
      )
    },
  }
}
