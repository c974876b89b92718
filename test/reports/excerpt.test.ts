import { describe, expect, it } from 'vitest'
import { widthOf } from '../../src/reports/characters.ts'
import { createExcerpter } from '../../src/reports/lint/excerpt.ts'
import { casesOf } from '../support/cases.ts'

const { each } = casesOf(import.meta.url)

/** The excerpt of the first place of a token, as two lines. A byte order mark has no column. */
function excerpt(line: string, token: string, width = 80): string {
  const column = [...line.slice(0, line.indexOf(token)).replace('\ufeff', '')].length + 1
  const place = { line: 1, column, endLine: 1, endColumn: column + [...token].length }
  const { line: shown, mark } = createExcerpter(line)(place, width)
  return `${shown}\n${mark}`
}

describe('an excerpt', () => {
  each<[string, string, string]>('of %j marks %j', (line, token, expected) =>
    expect(excerpt(line, token)).toBe(expected),
  )

  it('marks to the end of the line where the token goes on in the next', () => {
    const place = { line: 1, column: 6, endLine: 3, endColumn: 2 }
    expect(createExcerpter('key: "first\n  second\n"')(place, 80)).toEqual({ line: 'key: "first', mark: '     ^^^^^^' })
  })

  it('cuts long lines around the mark', () => {
    const words = Array.from({ length: 40 }, (_, index) => `w${index}`).join(' ')
    expect(excerpt(words, 'w0', 30)).toBe('w0 w1 w2 w3 w4 w5 w6 w7 w8 w9…\n^^')
    expect(excerpt(words, 'w20', 30)).toBe('… w16 w17 w18 w19 w20 w21 w22…\n                  ^^^')
    expect(excerpt(words, 'w39', 30)).toBe('…2 w33 w34 w35 w36 w37 w38 w39\n                           ^^^')
  })

  it('cuts long tokens', () =>
    expect(excerpt(`key: ${'x'.repeat(100)}`, 'x'.repeat(100), 30)).toBe(`…${'x'.repeat(28)}…\n ${'^'.repeat(28)}`))

  it.each([20, 30, 40, 79])('is never wider than %i columns', (width) => {
    const lines = ['日本語 '.repeat(60), 'word '.repeat(60), '\t'.repeat(60), `${'\x00'.repeat(60)}`, '😀'.repeat(90)]
    for (const line of lines)
      for (let column = 1; column <= 60; column += 1) {
        const place = { line: 1, column, endLine: 1, endColumn: column + 7 }
        const { line: shown, mark } = createExcerpter(line)(place, width)
        expect(widthOf(shown)).toBeLessThanOrEqual(width)
        expect(widthOf(mark)).toBeLessThanOrEqual(width)
      }
  })

  it('finds places in any order, and in a line that is as long as a file', () => {
    const line = Array.from({ length: 20_000 }, (_, index) => `w${index}`).join(' ')
    const text = `${line}\nshort\n`
    const excerpter = createExcerpter(text)
    const at = (lineNumber: number, column: number) =>
      excerpter({ line: lineNumber, column, endLine: lineNumber, endColumn: column + 2 }, 20).line
    expect(at(2, 1)).toBe('short')
    expect(at(1, line.length - 2)).toMatch(/w19998 w19999$/)
    expect(at(1, 1)).toMatch(/^w0 w1/)
  })

  it('accepts places outside of the text', () => {
    const place = { line: 9, column: 9, endLine: 9, endColumn: 12 }
    expect(createExcerpter('a\nb')(place, 80)).toEqual({ line: '', mark: '^' })
  })
})
