/** Written documents are read again with the same values. */
import fc from 'fast-check'
import { dump, load } from 'js-yaml'
import { describe, expect, it } from 'vitest'
import { readDocuments, writeDocuments } from '../../src/yaml/documents.ts'
import { writeToken } from '../../src/yaml/edit/write-token.ts'
import { casesOf } from '../support/cases.ts'
import { holdsFor } from '../support/holds.ts'
import { word } from './generate.ts'

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

/** Tokens mean the same to every reader. */

const PLAIN = { format: 'yaml', quote: '' } as const

describe('a token', () => {
  it('is written without quotes only where js-yaml would write it so', () => {
    const short = fc.stringMatching(/^[0-9a-zA-Z./]{1,7}$/)
    holdsFor(5000)(fc.oneof(short, word), (text) => {
      const token = writeToken(text, PLAIN)
      if (token === text) expect(dump([text], { flowLevel: 0 })).toBe(`[${text}]\n`)
    })
  })

  it.each([':', ':a', '::', 'a?', '? a'])('is quoted within brackets where kubectl needs it: %s', (text) => {
    const yaml = `a: ${writeToken({ [text]: [text, 1] }, PLAIN)}\n`
    const [document] = readDocuments(yaml, { mentions: /(?:)/ })
    expect(document).toMatchObject({ value: { a: { [text]: [text, 1] } }, problems: [] })
  })

  it('writes words of a mapping without quotes', () =>
    expect(writeToken({ a: 'b', c: [1] }, PLAIN)).toBe('{a: b, c: [1]}'))

  it('is read as it was written, by kubectl and by js-yaml', () =>
    holdsFor(2000)(word, fc.constantFrom('', '"', "'"), (text, quote) => {
      const yaml = `a: ${writeToken(text, { format: 'yaml', quote })}\n`
      const [document] = readDocuments(yaml, { mentions: /(?:)/ })
      expect([document?.value, load(yaml)]).toEqual([{ a: text }, { a: text }])
    }))
})
