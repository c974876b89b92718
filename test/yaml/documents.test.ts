/** Reading any text gives objects or problems. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeText } from '../../src/yaml/decode.ts'
import { readDocuments } from '../../src/yaml/documents.ts'
import { createLocator } from '../../src/yaml/locate.ts'
import { casesOf } from '../support/cases.ts'
import { holds, holdsFor } from '../support/holds.ts'
import { blockYaml, flowYaml, json, written } from './generate.ts'

const { cases } = casesOf(import.meta.url)

const everything = { mentions: /(?:)/ }

test('JSON is read as the object that it was written from', () =>
  holds(written, ({ from, text }) => {
    const [document] = readDocuments(text, everything)
    expect(document?.problems).toEqual([])
    expect(document?.value).toEqual(from)
  }))

test('JSON objects in a row are as many documents', () =>
  holds(fc.array(written, { minLength: 1, maxLength: 4 }), fc.constantFrom('', ' ', '\n'), (objects, space) => {
    const texts = objects.map(({ text }) => text)
    const values = readDocuments(texts.join(space), everything).map(({ value }) => value)
    expect(values).toEqual(objects.map(({ from }) => from))
  }))

test('joined documents are split again', () =>
  holds(fc.array(blockYaml, { minLength: 1, maxLength: 4 }), (texts) => {
    const text = texts.join('---\n')
    expect(readDocuments(text, everything).map(({ start, end }) => text.slice(start, end))).toEqual(texts)
  }))

const crumb = fc.oneof(
  fc.constantFrom(...cases<string[]>('crumb')),
  fc.constantFrom(...cases<string[]>('crumb (1)')),
  fc.string({ maxLength: 3 }),
)
const chaos = fc
  .array(fc.oneof(crumb, crumb, crumb, fc.oneof(blockYaml, flowYaml, json)), { maxLength: 8 })
  .map((parts) => parts.join(''))

test('no text makes the reader throw, and every range that it returns is within the text', () =>
  holdsFor(2000)(chaos, (text) => {
    for (const document of readDocuments(text, everything)) {
      const locate = createLocator(text, document)
      const places = [document, ...document.problems, locate(''), locate('/a/0'), locate('/a', { at: 'key' })]
      for (const { start, end } of places)
        expect([0, start, end, text.length]).toEqual([0, start, end, text.length].toSorted((a, b) => a - b))
    }
  }))

test('a document that cannot be read has a problem', () =>
  holdsFor(500)(chaos, (text) => {
    for (const { value, problems } of readDocuments(text, everything))
      expect(value !== undefined || problems.length > 0).toBe(true)
  }))

test('aliases of one anchor share one object', () => {
  const [document] = readDocuments('a: &a {b: 1}\nc: *a\nd: *a\n', everything)
  expect(document?.value).toEqual({ a: { b: 1 }, c: { b: 1 }, d: { b: 1 } })
})

test('a key with the name of a member of every object is a member of its own', () => {
  for (const text of ['__proto__:\n  a: 1\n', '{"__proto__": {"a": 1}}']) {
    const value = readDocuments(text, everything)[0]?.value
    expect(Object.entries(value ?? {})).toEqual([['__proto__', { a: 1 }]])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  }
})

/** Files are decoded as kubectl decodes them, except for invalid bytes. */

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
