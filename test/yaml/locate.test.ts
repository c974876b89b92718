/** A pointer is located at the token that a person would point at. */
import { describe, expect, test } from 'vitest'
import { escapeToken, valueAt } from '../../src/json/pointer.ts'
import { readDocuments, type TextDocument } from '../../src/yaml/documents.ts'
import { createLineIndex, createLocator } from '../../src/yaml/locate.ts'
import { construct } from '../../src/yaml/parse/construct.ts'
import { parseYaml } from '../../src/yaml/parse/yaml.ts'
import { casesOf } from '../support/cases.ts'
import { holdsFor } from '../support/holds.ts'
import { blockYaml, flowYaml, json } from './generate.ts'

const { cases } = casesOf(import.meta.url)

const everything = { mentions: /(?:)/ }

function locateIn(text: string, index = 0) {
  const document = readDocuments(text, everything)[index]
  if (document === undefined) throw new Error('the text has no such document')
  const locate = createLocator(text, document)
  return (pointer: string, at: 'value' | 'key' = 'value') => {
    const { start, end } = locate(pointer, { at })
    return text.slice(start, end)
  }
}

const TEXT = cases<string>('TEXT')

describe('a value is', () => {
  const places = cases<Readonly<Record<string, string>>>('places')
  test.each(Object.entries(places))('%s', (pointer, token) => expect(locateIn(TEXT)(pointer)).toBe(token))

  test('the whole document for the root, from its first key to its last token', () =>
    expect(locateIn(TEXT)('')).toBe(TEXT.slice(TEXT.indexOf('kind'), -1)))
})

describe('for a value that is not written, the token is', () => {
  const places = cases<Readonly<Record<string, readonly string[]>>>(
    'for a value that is not written, the token is: places',
  )
  test.each(Object.entries(places))('%s: %o', (pointer, [token]) => expect(locateIn(TEXT)(pointer)).toBe(token))
})

describe('through aliases and merges it is', () => {
  const places = cases<Readonly<Record<string, readonly string[]>>>('places (2)')
  test.each(Object.entries(places))('%s: %o', (pointer, [token]) => expect(locateIn(TEXT)(pointer)).toBe(token))

  test('the effective member, which is the last one written or merged', () => {
    const text = 'a: &a {p: 1, q: 1}\nb: &b {q: 2, r: 2}\nc:\n  p: 3\n  <<: [*a, *b]\n  r: 3\n  r: 4\n'
    const locate = locateIn(text)
    expect(['p', 'q', 'r'].map((name) => locate(`/c/${name}`))).toEqual(['1', '1', '4'])
  })
})

test('the key of a member can be located, too', () => {
  const locate = locateIn(TEXT)
  const pointers = ['/base/key', '/spec/rules/0/rate', '/spec/zoneSize', '/spec/quoted', '/spec/rules/1', '/none', '']
  const keys = ["'key'", 'rate', 'zoneSize', '"quoted"', '-', 'kind', 'kind']
  expect(pointers.map((pointer) => locate(pointer, 'key'))).toEqual(keys)
})

test('each object of a JSON stream has places', () => {
  const text = '{"a": [1, {"b": "x"}]}\n{"a": {"b/c": null}} {}'
  expect(locateIn(text)('/a/1/b')).toBe('"x"')
  expect(locateIn(text)('/a/1/c')).toBe('{')
  expect(locateIn(text, 1)('/a/b~1c')).toBe('null')
  expect(locateIn(text, 1)('/a', 'key')).toBe('"a"')
  expect(locateIn(text, 1)('/b')).toBe('{')
})

test('offsets count from the beginning of the file', () => {
  const text = '\uFEFF---\r\na: 1\r\n---\r\n# x\r\nb: "é"\r\nc:\r\n- 2\r\n'
  expect(locateIn(text)('/a')).toBe('1')
  expect(locateIn(text, 1)('/b')).toBe('"é"')
  expect(locateIn(text, 1)('/c')).toBe('- 2')
})

test('lines that had to be indented for the parser keep their places', () => {
  const text = 'a: [\n1, {\nb: "it\\\'s\nc", d: e\n} ]\nf: g\n'
  const locate = locateIn(text)
  expect(['/a/0', '/a/1/b', '/a/1/d', '/a/1', '/f'].map((pointer) => locate(pointer))).toEqual(
    cases('lines that had to be indented for the parser keep their places'),
  )
})

test('a text that cannot be parsed is marked at its first line', () =>
  expect(locateIn('# x\na: [\n')('/a')).toBe('# x'))

/** Every pointer of a value. */
function pointersOf(value: unknown, pointer = ''): string[] {
  if (typeof value !== 'object' || value === null) return [pointer]
  return [
    pointer,
    ...Object.entries(value).flatMap(([name, member]) => pointersOf(member, `${pointer}/${escapeToken(name)}`)),
  ]
}

/** The value of a part of a text, read alone, in its column. */
function meaningOf(text: string, { start, end }: { start: number; end: number }): unknown {
  const column = start - (text.lastIndexOf('\n', start - 1) + 1)
  const piece = ' '.repeat(column) + text.slice(start, end)
  const { root } = parseYaml(piece, 0, piece.length)
  return root && construct(root).value
}

function expectPlaces(text: string, document: TextDocument): void {
  const locate = createLocator(text, document)
  for (const pointer of pointersOf(document.value))
    expect(meaningOf(text, locate(pointer)), pointer).toEqual(valueAt(document.value, pointer))
}

test.each([
  ['in block style', blockYaml],
  ['in braces', flowYaml],
  ['in JSON', json],
])('the text at a pointer, read alone, is the value at the pointer %s', (_, texts) =>
  holdsFor(300)(texts, (text) => {
    for (const document of readDocuments(text, everything))
      if (document.value !== undefined) expectPlaces(text, document)
  }),
)

test('lines and columns count from 1, in characters', () => {
  const lineOf = createLineIndex('ab\r\n😀c\n')
  expect([0, 1, 4, 6, 8].map(lineOf)).toEqual(cases('lines and columns count from 1, in characters'))
})

test('a byte order mark takes no column', () => expect(createLineIndex('\uFEFFab')(2)).toEqual({ line: 1, column: 2 }))
