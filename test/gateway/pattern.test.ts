/** Regular expressions as PCRE reads them. `test/nginx/render-paths.test.ts` asks nginx about them. */
import { describe, expect, it } from 'vitest'
import { compilePattern, rejectedPattern } from '../../src/gateway/routing/pattern.ts'
import { casesOf } from '../support/cases.ts'

const { each } = casesOf(import.meta.url)

describe('a pattern matches as in PCRE', () => {
  each<[pattern: string, matching: string, other: string]>(
    '%s',
    (pattern, matching, other) => {
      const compiled = compilePattern(pattern)
      if (typeof compiled === 'string') throw new Error(`${pattern} is ${compiled}`)
      expect([compiled.pattern.test(matching), compiled.pattern.test(other)]).toEqual([true, false])
    },
    'a pattern matches as in PCRE',
  )
})

describe('a pattern', () => {
  each<[string]>('is rejected: %s', (pattern) => expect(compilePattern(pattern)).toBe('rejected'))

  it.each([
    '(?|a)',
    '(a)(?1)',
    '(?R)?',
    '(a)(?+1)(b)',
    '(a)(?-1)',
    '(?&name)(?<name>a)',
    '(?(1)a)(b)',
    '(?C1)a',
    '(?P>name)(?P<name>a)',
    '(?^:a)',
    'a(?i)b',
    '(*UTF)a',
    '(a)(?<=a|bc)*',
    // JavaScript reads these as something else.
    'a\\Kb',
    '[\\h]',
    '\\v',
    '\\x{41}',
    '(?<name>a)\\k{name}',
    "(?<name>a)\\k'name'",
    '[a\\Q]\\E]',
    '\\Q[\\E',
    '\\c[',
    '[\\d-z]',
    '[[.a.]]',
    'a{,3}',
    '(?x)a # [',
    '(?i)é',
    '(?i)\\xe9',
    '\\0',
    '\\x4',
    // Atomic groups, possessive repetitions, references and looks around, which RE2 does not have.
    '(?>a|ab)c',
    'a++ab',
    'a*+a',
    'a{1,2}+a',
    "(?'name'a)\\k<name>",
    '(a)\\1',
    '(?=a)a',
    '(?!a)b',
    '(?<=a)b',
    // A `$` behind which a line feed could be matched.
    'a$\\n',
    '(?:a$|b)c',
    '(a$)?',
    // Too large to be matched at once.
    'a{1001}',
    '(?:a{100}){100}',
    `(?:${'abc'.repeat(100)}){100}`,
    'a'.repeat(4097),
  ])('is not known: %s', (pattern) => expect(compilePattern(pattern)).toBe('unknown'))

  it('that nginx rejects is found among others', () => {
    const [good, bad, worse] = ['a', '(', '[a'].map((value) => ({ type: 'RegularExpression', value }))
    const exact = { type: 'Exact', value: '(' }
    if (!good || !bad || !worse) throw new Error('there are three')
    expect(rejectedPattern([exact, good, bad, worse])).toBe('(')
    expect(rejectedPattern([exact, good])).toBeUndefined()
  })
})
