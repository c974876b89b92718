/** Files are decoded as kubectl decodes them, except for invalid bytes. */
import { expect, test } from 'vitest'
import { decodeText } from '../../src/yaml/decode.ts'

const bytes = (...values: number[]) => Uint8Array.from(values)

test('UTF-8 is decoded', () => {
  expect(decodeText(new TextEncoder().encode('a: é😀'))).toEqual({ text: 'a: é😀' })
  expect(decodeText(bytes())).toEqual({ text: '' })
})

test('the byte order mark of UTF-8 stays in the text', () =>
  expect(decodeText(bytes(0xef, 0xbb, 0xbf, 0x61))).toEqual({ text: '\uFEFFa' }))

test('UTF-16 is decoded where the file begins with a byte order mark', () => {
  expect(decodeText(bytes(0xff, 0xfe, 0x61, 0, 0xe9, 0))).toEqual({ text: 'aé' })
  expect(decodeText(bytes(0xfe, 0xff, 0, 0x61, 0, 0xe9))).toEqual({ text: 'aé' })
})

test('invalid bytes are a problem, at the first of them', () => {
  const problem = (reason: string) => ({ code: 'unreadable', cause: 'encoding', reason, start: 1, end: 2 })
  expect(decodeText(bytes(0x61, 0xff))).toEqual({ text: 'a\ufffd', problem: problem('not encoded in UTF-8') })
  expect(decodeText(bytes(0xff, 0xfe, 0x61, 0, 0x61)).problem).toEqual(problem('not encoded in UTF-16LE'))
})
