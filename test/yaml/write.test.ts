/** Written documents are read again with the same values. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readDocuments, writeDocuments } from '../../src/yaml/documents.ts'
import { casesOf } from '../support/cases.ts'
import { holdsFor } from '../support/holds.ts'

const { cases } = casesOf(import.meta.url)

const reread = (text: string) => readDocuments(text, { mentions: /(?:)/ }).map(({ value }) => value)

it('separates documents, and indents as kubectl does', () =>
  expect(writeDocuments([{ kind: 'A', list: [{ name: 'x', on: 'yes' }] }, { kind: 'B' }])).toBe(
    "kind: A\nlist:\n- name: x\n  'on': 'yes'\n---\nkind: B\n",
  ))

it('quotes strings that kubectl would not read as strings', () => {
  const words = cases<readonly string[]>('words')
  const value = {
    words: [...words, '1:30', '2025-01-01', '2025-01-01T00:00:00Z', '- a', 'a: b', '# c', '---', '...', '<<'],
  }
  expect(reread(writeDocuments([value]))).toEqual([value])
})

it('writes an object with two places twice', () => {
  const shared = { a: 1 }
  expect(writeDocuments([{ one: shared, two: shared }])).toBe('one:\n  a: 1\ntwo:\n  a: 1\n')
})

it('writes any object so that it is read with the same value', () => {
  const letter = fc.constantFrom(...'aZ09 -:#"\'\\\n\t{}[],&*!|>%@`~?=.ü€')
  const text = fc.string({ unit: letter, maxLength: 12 })
  const { object } = fc.letrec((tie) => ({
    object: fc.dictionary(text, tie('value'), { maxKeys: 4 }),
    value: fc.oneof(text, fc.boolean(), fc.constant(null), fc.maxSafeInteger(), tie('list'), tie('object')),
    list: fc.array(tie('value'), { maxLength: 4 }),
  }))
  const named = fc.tuple(object, object).map(([a, b]) => ({ kind: 'Any', a, b }))
  holdsFor(500)(named, (value) => void expect(reread(writeDocuments([value, value]))).toEqual([value, value]))
})
