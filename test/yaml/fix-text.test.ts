/** The text of a fixed document, to the byte. */
import { describe, expect, it } from 'vitest'
import type { PatchOperation } from '../../src/json/patch.ts'
import { readDocuments } from '../../src/yaml/documents.ts'
import { applyEdits } from '../../src/yaml/edit/edit.ts'
import { type FixOutcome, fixDocument } from '../../src/yaml/edit/fix-document.ts'
import { casesOf } from '../support/cases.ts'

const { each } = casesOf(import.meta.url)

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
  each<[string, string, string]>(
    '%s',
    (_, before, after) => expect(fix(before, [RATE])).toEqual({ text: after, outcomes: ['fixed'] }),
    'a new value',
  )

  each<[string, string | number, string]>('is quoted where it would be read as %s', (_, value, written) =>
    expect(fix('rate: x\n', [replace('/rate', value)]).text).toBe(`rate: ${written}\n`),
  )
})

describe('a new member', () => {
  each<[string, string, string]>(
    '%s',
    (_, before, after) => expect(fix(before, [SIZE])).toEqual({ text: after, outcomes: ['fixed'] }),
    'a new member',
  )

  it('is added before the first member of an item', () => {
    const before = 'a:\n  - kind: x # k\n    name: y\n'
    expect(fix(before, [add('/a/0/group', 'g')]).text).toBe('a:\n  - group: g\n    kind: x # k\n    name: y\n')
  })
})

describe('an item', () =>
  each<[string, string, PatchOperation, string]>(
    '%s',
    (_, before, operation, after) => expect(fix(before, [operation])).toEqual({ text: after, outcomes: ['fixed'] }),
    'an item',
  ))

describe('a removed member', () => {
  each<[string, string, string]>(
    '%s',
    (_, before, after) => expect(fix(before, [remove('/b')]).text).toBe(after),
    'a removed member',
  )

  it('leaves its dash to the next member', () =>
    expect(fix('a:\n- b: 1\n  c: 2\n', [remove('/a/0/b')]).text).toBe('a:\n- c: 2\n'))
})

describe('an anchor', () => {
  const TWO = 'a: &r 10R/S\nb: *r\n'

  it('is fixed once where every value that shares it becomes the same', () => {
    const both = [replace('/a', '10r/s'), replace('/b', '10r/s')]
    expect(fix(TWO, both)).toEqual({ text: 'a: &r 10r/s\nb: *r\n', outcomes: ['fixed', 'fixed'] })
  })

  it('is kept, and the alias replaced, where only the alias changes', () =>
    expect(fix(TWO, [replace('/b', '10r/s')])).toEqual({ text: 'a: &r 10R/S\nb: 10r/s\n', outcomes: ['fixed'] }))

  it('is not changed where another value shares it', () =>
    expect(fix(TWO, [replace('/a', '10r/s')])).toEqual({ text: TWO, outcomes: ['shared'] }))

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
  each<[string, string, PatchOperation]>('nothing is changed: %s', (_, text, operation) =>
    expect(fix(text, [operation])).toEqual({ text, outcomes: ['unsafe'] }),
  )

  it('a patch is deferred where another one edits the same place', () => {
    const { outcomes } = fix('a: x\n', [replace('/a', 'y'), replace('/a', 'z')])
    expect(outcomes).toEqual(['fixed', 'later'])
  })
})
