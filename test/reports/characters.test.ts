import { describe, expect } from 'vitest'
import { widthOf } from '../../src/reports/characters.ts'
import { casesOf } from '../support/cases.ts'

const { each } = casesOf(import.meta.url)

describe('the columns of a text', () =>
  each<[string, number]>('%j takes %i', (text, columns) => expect(widthOf(text)).toBe(columns)))
