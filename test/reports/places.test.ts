import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { widthOf } from '../../src/reports/characters.ts'
import { createUnits } from '../../src/reports/lint/places.ts'
import { createLineIndex } from '../../src/yaml/locate.ts'
import { casesOf } from '../support/cases.ts'
import { holds } from '../support/holds.ts'

const { each } = casesOf(import.meta.url)

const texts = fc
  .array(fc.constantFrom('a', '🐢', 'é', '日', '\n', '\r\n', ' '), { maxLength: 40 })
  .chain((pieces) => fc.constantFrom('', '\ufeff').map((mark) => mark + pieces.join('')))

/** Every offset at which a character begins, and the end. */
const offsetsOf = (text: string): readonly number[] => {
  const offsets = [text.startsWith('\ufeff') ? 1 : 0]
  for (const character of text.slice(offsets[0])) offsets.push((offsets.at(-1) ?? 0) + character.length)
  return offsets
}

it('converts columns in characters to UTF-16 columns: the same as for the offset', () =>
  holds(texts, (text) => {
    const placeOf = createLineIndex(text)
    const units = createUnits(text)
    for (const offset of offsetsOf(text)) {
      const { line, column } = placeOf(offset)
      expect({ line, column: units.columnOf(line, column) }).toEqual(units.placeOf(offset))
    }
  }))

it('accepts places outside of the text', () => {
  const units = createUnits('🐢\n🐢')
  expect(units.columnOf(9, 9)).toBe(9)
  expect(units.columnOf(2, 9)).toBe(10)
  expect(units.placeOf(99)).toEqual({ line: 2, column: 97 })
})

it('counts in a line that is as long as a file', () => {
  const { columnOf } = createUnits('🐢'.repeat(50_000))
  let sum = 0
  for (let column = 1; column <= 50_000; column += 5) sum += columnOf(1, column) - columnOf(1, column + 4)
  expect(sum).toBe(-8 * 10_000)
})

describe('the columns of a text', () =>
  each<[string, number]>('%j takes %i', (text, columns) => expect(widthOf(text)).toBe(columns)))
