/** The tests that docs/threats.md names exist. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

const PAGE = read('docs/threats.md')

/** A test as the page names it: its file and its sentence, or how that alone begins, before `…`. */
const NAMED = [...PAGE.matchAll(/\[[\w-]+\]\(\.\.\/(test\/[^)]+\.(?:test\.ts|cases\.yaml|txtar))\) "([^"]+)"/g)].map(
  ([, file = '', sentence = '']) => ({ file, sentence }),
)

/** The rows of the tables of threats, without their heads. */
const ROWS = PAGE.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| who | what they could try'))

describe('docs/threats.md', () => {
  it.each(NAMED)('$file has a test "$sentence"', ({ file, sentence }) => {
    const text = read(file)
    const start = sentence.replace(/…$/, '')
    const endedBy = (end: string) => (start === sentence ? end : '')
    const partsAround = (before: string, after: string) => text.split(`${before}${start}${endedBy(after)}`)
    if (file.endsWith('.txtar')) return expect(partsAround('\n-- # ', ' --\n')).toHaveLength(2)
    if (file.endsWith('.yaml')) return expect(partsAround('\n  ', ':\n')).toHaveLength(2)
    const found = ["'", '"', '`'].map((quote) => partsAround(quote, quote)).filter(({ length }) => length > 1)
    expect(
      found.map(({ length }) => length - 1),
      `tests in ${file}`,
    ).toEqual([1])
    // The name of a test or of a table of tests, and neither its title in a comment nor a test that is switched off.
    expect(found[0]?.[0]).toMatch(/\b(?:(?:it|test)(?:\.(?:each|runIf)[^;]*)?|each<[^;]*>)\(\s*$/)
    expect(text).not.toMatch(/\b(?:it|test|describe)\.(?:skip|todo)\(/)
  })

  it('names a test for every threat', () => {
    expect(ROWS.length).toBeGreaterThan(20)
    expect(ROWS.filter((row) => !row.includes('](../test/'))).toEqual([])
    const links = ROWS.flatMap((row) => row.match(/\]\(\.\.\/test\//g) ?? [])
    expect(NAMED.length).toBe(links.length)
  })
})
