import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBatchBuilder } from '../../src/simulate/core/batch.ts'
import { createByteTable } from '../../src/simulate/core/byte-table.ts'
import { createNumberMap } from '../../src/simulate/core/key-index.ts'
import { parseIpv4, printIpv4 } from '../../src/simulate/core/keys.ts'
import { createTextPacker } from '../../src/simulate/core/packed-texts.ts'
import { holds, holdsFor } from '../support/holds.ts'

describe('a byte table', () => {
  it('keeps through sweeps what is in use, and uses free numbers again', () => {
    const step = fc.record({ text: fc.nat(300).map(String), kept: fc.option(fc.integer({ min: 1, max: 4 })) })
    holds(fc.array(step, { maxLength: 400, size: 'max' }), (steps) => {
      const table = createByteTable({ entries: 1000, bytes: 10_000 })
      let known = new Map<number, string>()
      for (const { text, kept } of steps) {
        const number = table.number(Buffer.from(text), 0, text.length, text.length)
        expect(known.get(number) ?? text).toBe(text)
        known.set(number, text)
        if (kept === null) continue
        known = new Map([...known].filter(([other]) => other % kept === 0))
        table.sweep((mark) => [...known.keys()].forEach(mark))
      }
      expect(table.size).toBe(known.size)
      expect(new Set(known.values()).size).toBe(known.size)
      expect([...known.keys()].map((number) => Buffer.from(table.bytes(number)).toString())).toEqual([
        ...known.values(),
      ])
    })
  })

  it('numbers like a map, whatever the hashes', () => {
    const text = fc.string({ unit: 'binary-ascii', maxLength: 5 })
    holdsFor(30)(fc.array(text, { maxLength: 3000 }), fc.integer({ min: 1, max: 4 }), (texts, spread) => {
      const table = createByteTable({ entries: 10_000, bytes: 100_000 })
      const known = new Map<string, number>()
      for (const one of texts) {
        if (!known.has(one)) known.set(one, known.size)
        const bytes = Buffer.from(`<${one}>`)
        expect(table.number(bytes, 1, bytes.length - 1, one.length % spread)).toBe(known.get(one))
      }
      expect(table.size).toBe(known.size)
    })
  })

  it('reports when it is full, and starts again', () => {
    const table = createByteTable({ entries: 2, bytes: 100 })
    const number = (text: string) => table.number(Buffer.from(text), 0, text.length, 7)
    expect(['a', 'b', 'a', 'c', 'b'].map(number)).toEqual([0, 1, 0, -1, 1])
    table.clear()
    expect(['c', 'a'].map(number)).toEqual([0, 1])
  })

  it('has room again for the bytes that a sweep has freed', () => {
    const table = createByteTable({ entries: 100, bytes: 10 })
    const number = (text: string) => table.number(Buffer.from(text), 0, text.length, 7)
    for (let round = 0; round < 3; round += 1) {
      expect(['abcde', 'fghij', 'k'].map(number)).toEqual([0, 1, -1])
      table.sweep((mark) => mark(0))
      expect([table.size, number('abcde')]).toEqual([1, 0])
    }
  })
})

it('a batch has all requests and keys that were added, and the next one only its own', () => {
  const builder = createBatchBuilder()
  for (const count of [40_000, 3]) {
    const numbers = Array.from({ length: count }, (_, index) => index)
    for (const number of numbers) {
      builder.add(number, number)
      builder.addKey(number)
      builder.addKey(-number)
      builder.logged(count - number)
      builder.addBad(number, 'time', `${count} ${'x'.repeat(300)}`)
      builder.addWithoutAddress(`${count}.example ${number}`)
    }
    const { times, codes, keys, badLines, ...rest } = builder.finish({ reset: false, newTexts: [], lines: count })
    expect([[...times], [...codes]]).toEqual([numbers, numbers])
    expect([...keys]).toEqual(numbers.flatMap((number) => [number, -number]))
    const bad = numbers
      .slice(0, 5)
      .map((line) => ({ line, reason: 'time', text: `${count} ${'x'.repeat(300)}`.slice(0, 200) }))
    expect(badLines).toEqual(bad)
    const withoutAddress = { withoutAddress: count, addressExample: `${count}.example 0` }
    expect(rest).toEqual({ reset: false, newTexts: [], lines: count, bad: count, latest: count, ...withoutAddress })
  }
})

it('packed texts are what was added since the last time, however many', () => {
  const packer = createTextPacker()
  const lists = [Array.from({ length: 1000 }, (_, index) => `${index}`), ['x'.repeat(50_000), '', 'y'], []]
  for (const texts of lists) {
    for (const text of texts) packer.add(Buffer.from(text))
    const { bytes, ends } = packer.take()
    const all = [...ends].map((end, index) => Buffer.from(bytes.subarray(ends[index - 1] ?? 0, end)).toString())
    expect(all).toEqual(texts)
    expect(bytes.length).toBe(texts.join('').length)
  }
})

it('a number map is a map', () => {
  const key = fc.oneof(fc.integer(), fc.integer({ min: -3, max: 3 }), fc.integer({ min: 0, max: 500 }))
  const step = fc.record({ key, isRemoval: fc.boolean() })
  holds(fc.array(step, { maxLength: 2000, size: 'max' }), (steps) => {
    const map = createNumberMap()
    const known = new Map<number, number>()
    for (const [index, { key: at, isRemoval }] of steps.entries()) {
      expect(map.get(at)).toBe(known.get(at) ?? 0)
      if (isRemoval) {
        map.remove(at)
        known.delete(at)
      } else if (!known.has(at)) {
        map.add(at, index + 1)
        known.set(at, index + 1)
      }
    }
    for (const [at, value] of known) expect(map.get(at)).toBe(value)
    expect(map.size).toBe(known.size)
  })
})

describe('an IPv4 address', () => {
  it('is one number', () => holds(fc.ipV4(), (text) => void expect(printIpv4(parseIpv4(text) ?? 0)).toBe(text)))
  it.each(['', '1.2.3', '01.2.3.4', '1.2.3.256', '1.2.3.4 ', '::1', 'a.b.c.d', '1.2.3.4.5'])('is not "%s"', (text) =>
    expect(parseIpv4(text)).toBeUndefined(),
  )
})
