/** The text of a fixed document, to the byte. */
import { describe, expect, it } from 'vitest'
import type { PatchOperation } from '../../src/json/patch.ts'
import { readDocuments } from '../../src/yaml/documents.ts'
import { applyEdits } from '../../src/yaml/edit/edit.ts'
import { type FixOutcome, fixDocument } from '../../src/yaml/edit/fix-document.ts'

const ORDER = ['group', 'kind', 'rate', 'key', 'zoneSize', 'burst']

/** Fixes the first document of a text; each operation is a patch of its own. */
function fix(text: string, operations: readonly PatchOperation[]): { text: string; outcomes: readonly FixOutcome[] } {
  const [document] = readDocuments(text, { mentions: /(?:)/ })
  if (!document) throw new Error('the text has no document')
  const { edits, outcomes } = fixDocument(
    { text, orderOf: () => ORDER },
    document,
    operations.map((operation) => [operation]),
  )
  return { text: applyEdits(text, edits), outcomes }
}

const replace = (path: string, value: unknown): PatchOperation => ({ op: 'replace', path, value })
const add = (path: string, value: unknown): PatchOperation => ({ op: 'add', path, value })
const remove = (path: string): PatchOperation => ({ op: 'remove', path })

const RATE = replace('/rate', '10r/s')
const SIZE = add('/zoneSize', '10m')

describe('a new value', () => {
  it.each([
    ['keeps the comment after it', 'rate: 10R/S   # fast\n', 'rate: 10r/s   # fast\n'],
    ['keeps double quotes', 'rate: "10R/S"\n', 'rate: "10r/s"\n'],
    ['keeps single quotes', "rate: '10R/S'\n", "rate: '10r/s'\n"],
    ['keeps its anchor and its tag', 'rate: !!str &r 10R/S\n', 'rate: !!str &r 10r/s\n'],
    ['keeps the byte order mark and CRLF', '\uFEFFa: 1\r\nrate: 10R/S\r\n', '\uFEFFa: 1\r\nrate: 10r/s\r\n'],
    ['replaces a block and keeps its comment', 'rate: |  # fast\n  10R/S\nb: 1\n', 'rate: 10r/s  # fast\nb: 1\n'],
    ['replaces a value over several lines', 'rate: 10\n  R/S\nb: 1\n', 'rate: 10r/s\nb: 1\n'],
    ['is inserted where no value is written', 'rate:   # none\nb: 1\n', 'rate: 10r/s   # none\nb: 1\n'],
    ['is inserted where no value is written in braces', '# x\n{rate, b: 1}\n', '# x\n{rate: 10r/s, b: 1}\n'],
    ['replaces a list in brackets', 'rate: [10R/S]\n', 'rate: 10r/s\n'],
    ['is JSON in JSON', '{"rate":"10R/S"}', '{"rate":"10r/s"}'],
    ['replaces the last of two equal keys', 'rate: 1\nrate: 10R/S\n', 'rate: 1\nrate: 10r/s\n'],
  ])('%s', (_, before, after) => {
    expect(fix(before, [RATE])).toEqual({ text: after, outcomes: ['fixed'] })
  })

  it.each([
    ['a number for go-yaml', '-_0', "'-_0'"],
    ['a boolean', 'yes', "'yes'"],
    ['a comment', 'a #b', "'a #b'"],
    ['two lines', 'a\nb', '"a\\nb"'],
    ['a number', 7, '7'],
  ])('is quoted where it would be read as %s', (_, value, written) => {
    expect(fix('rate: x\n', [replace('/rate', value)]).text).toBe(`rate: ${written}\n`)
  })
})

describe('a new member', () => {
  it.each([
    ['follows the members that usually precede it', 'rate: 1\nburst: 2\n', 'rate: 1\nzoneSize: 10m\nburst: 2\n'],
    ['precedes the members that usually follow it', 'burst: 2\n', 'zoneSize: 10m\nburst: 2\n'],
    ['leaves comments on their lines', 'rate: 1 # one\n# two\n', 'rate: 1 # one\nzoneSize: 10m\n# two\n'],
    ['adds no line break at the end of the text', 'rate: 1', 'rate: 1\nzoneSize: 10m'],
    ['breaks lines as they are broken', 'rate: 1\r\n', 'rate: 1\r\nzoneSize: 10m\r\n'],
    ['has the quotes of its sibling', '"rate": "1"\n', '"rate": "1"\n"zoneSize": "10m"\n'],
    ['follows a merge', 'b: &b {}\n<<: *b\n', 'b: &b {}\n<<: *b\nzoneSize: 10m\n'],
    ['is added in braces', '# x\n{rate: 1, burst: 2}\n', '# x\n{rate: 1, zoneSize: 10m, burst: 2}\n'],
    ['is added in empty braces', '# x\n{}\n', '# x\n{ zoneSize: 10m }\n'],
    ['is added before a trailing comma', '# x\n{ rate: 1, }\n', '# x\n{ rate: 1, zoneSize: 10m, }\n'],
    [
      'has a line of its own in braces over several lines',
      '# x\n{\n  rate: 1 # one\n}\n',
      '# x\n{\n  rate: 1, # one\n  zoneSize: 10m\n}\n',
    ],
    ['has no space in minified JSON', '{"rate":"1","burst":2}', '{"rate":"1","zoneSize":"10m","burst":2}'],
    ['has a line of its own in formatted JSON', '{\n\t"rate": "1"\n}', '{\n\t"rate": "1",\n\t"zoneSize": "10m"\n}'],
  ])('%s', (_, before, after) => {
    expect(fix(before, [SIZE])).toEqual({ text: after, outcomes: ['fixed'] })
  })

  it('is added before the first member of an item', () => {
    const before = 'a:\n  - kind: x # k\n    name: y\n'
    expect(fix(before, [add('/a/0/group', 'g')]).text).toBe('a:\n  - group: g\n    kind: x # k\n    name: y\n')
  })
})

describe('an item', () => {
  it.each([
    ['at the end', 'a:\n- x # one\nb: 1\n', add('/a/-', 'w'), 'a:\n- x # one\n- w\nb: 1\n'],
    ['at the beginning', 'a:\n  - x\n', add('/a/0', 'w'), 'a:\n  - w\n  - x\n'],
    ['in brackets', 'a: [x,z]\n', add('/a/1', 'w'), 'a: [x,w,z]\n'],
    ['in empty brackets', 'a: []\n', add('/a/0', 'w'), 'a: [w]\n'],
    ['that is empty', 'a:\n-\n', replace('/a/0', 'w'), 'a:\n- w\n'],
    ['that is removed', 'a:\n- x\n- w\n', remove('/a/0'), 'a:\n- w\n'],
    ['that is removed from brackets', 'a: [x, w]\n', remove('/a/1'), 'a: [x]\n'],
  ])('%s', (_, before, operation, after) => {
    expect(fix(before, [operation])).toEqual({ text: after, outcomes: ['fixed'] })
  })
})

describe('a removed member', () => {
  it.each([
    ['is removed with its line', 'a: 1\nb: 2\nc: 3\n', 'a: 1\nc: 3\n'],
    ['is removed with its lines', 'a: 1\nb:\n  - x\n  - y\nc: 3\n', 'a: 1\nc: 3\n'],
    ['leaves its comment', 'a: 1\nb: 2 # two\n', 'a: 1\n# two\n'],
    ['is removed with its comma', '# x\n{a: 1, b: 2, c: 3}\n', '# x\n{a: 1, c: 3}\n'],
    ['is removed with the comma before it', '{"a":1,"b":2}', '{"a":1}'],
  ])('%s', (_, before, after) => {
    expect(fix(before, [remove('/b')]).text).toBe(after)
  })

  it('leaves its dash to the next member', () => {
    expect(fix('a:\n- b: 1\n  c: 2\n', [remove('/a/0/b')]).text).toBe('a:\n- c: 2\n')
  })
})

describe('an anchor', () => {
  const TWO = 'a: &r 10R/S\nb: *r\n'

  it('is fixed once where every value that shares it becomes the same', () => {
    const both = [replace('/a', '10r/s'), replace('/b', '10r/s')]
    expect(fix(TWO, both)).toEqual({ text: 'a: &r 10r/s\nb: *r\n', outcomes: ['fixed', 'fixed'] })
  })

  it('is kept, and the alias replaced, where only the alias changes', () => {
    expect(fix(TWO, [replace('/b', '10r/s')])).toEqual({ text: 'a: &r 10R/S\nb: 10r/s\n', outcomes: ['fixed'] })
  })

  it('is not changed where another value shares it', () => {
    expect(fix(TWO, [replace('/a', '10r/s')])).toEqual({ text: TWO, outcomes: ['shared'] })
  })

  it('is not changed in a mapping that another value shares', () => {
    const text = 'a: &m\n  rate: 1\nb: *m\n'
    expect(fix(text, [replace('/b/rate', 2)])).toEqual({ text, outcomes: ['shared'] })
  })

  it('is overridden beside a merge', () => {
    const [before, after] = ['a: &m\n  rate: 1\nb:\n  <<: *m\n', 'a: &m\n  rate: 1\nb:\n  <<: *m\n  rate: 2\n']
    expect(fix(before, [replace('/b/rate', 2)])).toEqual({ text: after, outcomes: ['fixed'] })
  })

  it('does not prevent other fixes', () => {
    const [wrong, right] = [replace('/a', 'x'), add('/c', 1)]
    expect(fix(TWO, [wrong, right])).toEqual({ text: `${TWO}c: 1\n`, outcomes: ['shared', 'fixed'] })
  })

  it('does not prevent other fixes even where a hundred anchors are not fixed', () => {
    const indexes = Array.from({ length: 100 }, (_, index) => index)
    const text = indexes.map((index) => `a${index}: &r${index} x\nb${index}: *r${index}\nc${index}: x\n`).join('')
    const patches = indexes.flatMap((index) => [replace(`/a${index}`, 'w'), replace(`/c${index}`, 'w')])
    const { outcomes } = fix(text, patches)
    expect(outcomes).toEqual(indexes.flatMap(() => ['shared', 'fixed']))
  })
})

describe('without a safe place', () => {
  it.each([
    ['a block of lines', 'a:\n  b: 1\n', replace('/a', 'x')],
    ['a comment within', 'a: [x, # one\n  y]\n', replace('/a', 'x')],
    ['a member of a text', 'a: x\n', add('/a/b', 1)],
    ['what is not there', 'a: x\n', replace('/b', 1)],
    ['a tag that contradicts the value', 'a: !!int 5\n', replace('/a', 'x')],
    ['the document itself', 'a: x\n', replace('', {})],
  ])('nothing is changed: %s', (_, text, operation) => {
    expect(fix(text, [operation])).toEqual({ text, outcomes: ['unsafe'] })
  })

  it('a patch is deferred where another one edits the same place', () => {
    const { outcomes } = fix('a: x\n', [replace('/a', 'y'), replace('/a', 'z')])
    expect(outcomes).toEqual(['fixed', 'later'])
  })
})
