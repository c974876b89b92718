/** Regular expressions as PCRE reads them. `test/nginx/render-paths.test.ts` asks nginx about them. */
import { describe, expect, it } from 'vitest'
import { compilePattern, rejectedPattern } from '../../src/gateway/routing/pattern.ts'
import { casesOf } from '../support/cases.ts'

const { each } = casesOf(import.meta.url)

describe('a pattern matches as in PCRE', () =>
  each<[pattern: string, matching: string, other: string]>(
    '%s',
    (pattern, matching, other) => {
      const compiled = compilePattern(pattern)
      if (typeof compiled === 'string') throw new Error(`${pattern} is ${compiled}`)
      expect([compiled.pattern.test(matching), compiled.pattern.test(other)]).toEqual([true, false])
    },
    'a pattern matches as in PCRE',
  ))

describe('a pattern', () => {
  each<[string]>('is rejected: %s', (pattern) => expect(compilePattern(pattern)).toBe('rejected'))

  each<[string]>('is not known: %s', (pattern) => expect(compilePattern(pattern)).toBe('unknown'))

  it('that nginx rejects is found among others', () => {
    const [good, bad, worse] = ['a', '(', '[a'].map((value) => ({ type: 'RegularExpression', value }))
    const exact = { type: 'Exact', value: '(' }
    if (!good || !bad || !worse) throw new Error('there are three')
    expect(rejectedPattern([exact, good, bad, worse])).toBe('(')
    expect(rejectedPattern([exact, good])).toBeUndefined()
  })
})
