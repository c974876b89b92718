/** Regular expressions as PCRE reads them. `test/nginx/render-paths.test.ts` asks nginx about them. */
import { describe, expect, it } from 'vitest'
import { compilePattern, rejectedPattern } from '../../src/gateway/routing/pattern.ts'

describe('a pattern matches as in PCRE', () => {
  it.each<[pattern: string, matching: string, other: string]>([
    ['/a.c', '/abc', '/ac'],
    ['^/A$', '/A', '/a'],
    ['(?i)/menu', '/MENU', '/men'],
    ['^(?i)/menu', '/MENU', 'x/menu'],
    ['^(?:(?i)/menu)$', '/Menu', '/Menus'],
    ['\\A/x\\z', '/x', '/x/x'],
    ['\\A/x\\Z', '/x', '/xx'],
    ['^/a\\hb$', '/a\tb', '/anb'],
    ['^\\a$', '\x07', 'a'],
    ['^\\e$', '\x1b', 'e'],
    ['^\\.$', '.', 'x'],
    ['^[[:alnum:]]+$', 'aZ09', 'a-b'],
    ['^[[:alpha:]]+$', 'aZ', 'a1'],
    ['^[[:ascii:]]$', 'a', 'é'],
    ['^[[:blank:]]+$', ' \t', '\n'],
    ['^[[:cntrl:]]+$', '\x01\x7f', 'a'],
    ['^[[:digit:]]+$', '09', 'a'],
    ['^[[:graph:]]+$', '!a~', ' '],
    ['^[[:lower:]]+$', 'az', 'A'],
    ['^[[:print:]]+$', ' ~', '\t'],
    ['^[[:punct:]]+$', '!/:@[`{~]', 'a'],
    ['^[[:space:]]+$', ' \t\n', 'a'],
    ['^[[:upper:]]+$', 'AZ', 'a'],
    ['^[[:word:]]+$', 'a_1', '-'],
    ['^[[:xdigit:]]+$', 'aF0', 'g'],
    ['^[^[:digit:]]$', 'a', '1'],
    ['^[a[:digit:]-]+$', 'a-1', 'b'],
    ['^[]a]+$', ']a', 'b'],
    ['^[^]a]$', 'b', ']'],
    ['^[\\]]$', ']', '\\'],
    ['^/a(?#a comment)b$', '/ab', '/a'],
    ["^(?'name'a)b$", 'ab', 'a'],
    ['^(?P<name>a)b$', 'ab', 'a'],
    ['^[[:^alpha:]]$', '1', 'a'],
    ['^a$', 'a\n', 'a\n\n'],
    ['^(?:/a$|/b)$', '/a\n', '/b/'],
    ['^a\\z', 'a', 'a\n'],
    ['^\\s$', '\v', '\u00a0'],
    ['^[\\S]$', 'a', '\v'],
    ['^.$', '\r', '\n'],
    ['^a{500}$', 'a'.repeat(500), 'a'],
    ['^/v1/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$', '/v1/01234567-89ab-cdef-0123-456789abcdef', '/v1/x'],
    ['^\\x41\\.\\/\\-$', 'A./-', 'A'],
    ['^a{$', 'a{', 'a'],
    ['^(?<name>a)b$', 'ab', 'a'],
  ])('%s', (pattern, matching, other) => {
    const compiled = compilePattern(pattern)
    if (typeof compiled === 'string') throw new Error(`${pattern} is ${compiled}`)
    expect([compiled.pattern.test(matching), compiled.pattern.test(other)]).toEqual([true, false])
  })
})

describe('a pattern', () => {
  it.each([
    '(',
    '[a',
    'a**',
    '[[:nope:]]',
    '[^[:nope:]]',
    '[[:^nope:]]',
    'a{65536}',
    'a{65599}',
    'a{66000}',
    'a{70000}',
    'a{1,100000}',
    'a{065536}',
    'a{2,65536}',
    '\\L',
    'a\\uabcd',
    '(?<=a*)b',
    '(?<!a+)b',
    '(?<x>a)|(?<x>b)',
    '(?#a',
    '^*a',
    '\\b+a',
    '\\A{2}',
    '[]',
    '[[:alpha:]',
  ])('is rejected: %s', (pattern) => expect(compilePattern(pattern)).toBe('rejected'))

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
