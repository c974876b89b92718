import { describe, expect, it } from 'vitest'
import { widthOf } from '../../src/reports/characters.ts'

describe('the columns of a text', () => {
  it.each([
    ['rate', 4],
    ['é', 1],
    ['e\u0301', 1],
    ['нет…', 4],
    ['日本', 4],
    ['ＡＢ', 4],
    ['ﾊﾝ', 2],
    ['한', 2],
    ['\u1112\u1161\u11ab', 2],
    ['😀', 2],
    ['✅', 2],
    ['⌚', 2],
    ['🟢', 2],
    ['🇩🇪', 2],
    ['✓', 1],
    ['𠀀', 2],
  ])('%j takes %i', (text, columns) => {
    expect(widthOf(text)).toBe(columns)
  })
})
