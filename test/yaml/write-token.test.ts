/** Tokens mean the same to every reader. */
import fc from 'fast-check'
import { dump, load } from 'js-yaml'
import { describe, expect, it } from 'vitest'
import { readDocuments } from '../../src/yaml/documents.ts'
import { writeToken } from '../../src/yaml/edit/write-token.ts'
import { holdsFor } from '../support/holds.ts'
import { word } from './generate.ts'

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
