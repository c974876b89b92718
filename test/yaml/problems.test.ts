/** The problems of a text: a short reason, and the characters that are wrong. */
import { describe, expect, test } from 'vitest'
import { readDocuments } from '../../src/yaml/documents.ts'
import { casesOf } from '../support/cases.ts'

const { cases } = casesOf(import.meta.url)

const read = (text: string) => readDocuments(text, { mentions: /(?:)/ })

/** The problems of a text, each as `code: reason «text»`. */
const problemsOf = (text: string): string[] =>
  read(text).flatMap(({ problems }) =>
    problems.map(({ code, reason, start, end }) => `${code}: ${reason} «${text.slice(start, end)}»`),
  )

describe('what kubectl cannot read is a syntax problem', () => {
  const table: Record<string, string> = cases('table')
  test.each(Object.entries(table))('%j', (text, problem) => {
    expect(problemsOf(text)).toEqual([`syntax: ${problem}`])
    expect(read(text)[0]?.value).toBeUndefined()
  })
})

describe('what kubectl cannot read as JSON is a syntax problem', () => {
  const table: Record<string, string> = cases('what kubectl cannot read as JSON is a syntax problem: table')
  test.each(Object.entries(table))('%j', (text, problem) => {
    expect(problemsOf(text)).toEqual([`syntax: ${problem}`])
    expect(read(text)[0]?.value).toBeUndefined()
  })
})

describe('a document that can be read keeps its value beside its problem', () => {
  const table: Record<string, [unknown, string]> = cases(
    'a document that can be read keeps its value beside its problem: table',
  )
  test.each(Object.entries(table))('%j', (text, [value, problem]) => {
    expect(problemsOf(text)).toEqual([problem])
    expect(read(text).at(-1)?.value).toEqual(value)
  })
})

test('every duplicate of a key is reported, up to twenty', () => {
  expect(problemsOf('a: 1\na: 2\nb: 1\na: 3')).toHaveLength(2)
  expect(problemsOf('a: 1\n'.repeat(50))).toHaveLength(20)
})

test('a broken document does not hide the others', () => {
  const documents = read('a: [\n---\nb: 1\n---\nc: "\n---\nd: 1\n')
  expect(documents.map(({ value }) => value)).toEqual([undefined, { b: 1 }, undefined, { d: 1 }])
})

describe('documents that do not match are not read', () => {
  const mentions = /RateLimitPolicy/

  test('even where they are broken', () => {
    const text = 'a: [\n---\nkind: RateLimitPolicy\n---\n"\n'
    const [document, ...others] = readDocuments(text, { mentions })
    expect(others).toEqual([])
    expect(document).toMatchObject({ value: { kind: 'RateLimitPolicy' }, problems: [] })
    expect(text.slice(document?.start, document?.end)).toBe('kind: RateLimitPolicy\n')
  })

  test('in JSON as well', () => {
    const text = '{"a": ]}\n{"kind": "RateLimitPolicy"}\n{'
    expect(readDocuments(text, { mentions }).map(({ value }) => value)).toEqual([{ kind: 'RateLimitPolicy' }])
  })

  test('where the expression is global', () => {
    const global = /RateLimitPolicy/g
    global.lastIndex = 5
    expect(readDocuments('kind: RateLimitPolicy\n', { mentions: global })).toHaveLength(1)
  })

  test('but the problem of the separator before one is reported of the document before it', () => {
    const [document] = readDocuments('kind: RateLimitPolicy\n--- x\nkind: Other\n', { mentions })
    expect(document?.problems.map(({ reason }) => reason)).toEqual(['only a comment may follow "---"'])
  })
})

describe('a document that is too large or too deep is unreadable, which is found quickly', () => {
  const levels = 100_000
  const bomb = Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`).join()}]`)
  const table: Record<string, string> = {
    'brackets in brackets': `a: ${'['.repeat(levels)}`,
    'braces in braces': `a: ${'{a: '.repeat(levels)}`,
    'lists in lists': '- '.repeat(levels),
    'keys in keys': '? '.repeat(levels),
    'mappings in mappings': Array.from({ length: 2000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'),
    'JSON in JSON': `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`,
    'aliases of aliases': `a0: &a0 [x, x, x, x, x, x, x, x, x]\n${bomb.join('\n')}`,
    'merges of merges': Array.from(
      { length: 3000 },
      (_, i) => `a${i}: &a${i} {<<: [${i ? `*a${i - 1}` : ''}], k${i}: 1}`,
    ).join('\n'),
    'a long document': `a: &x 1\n${'# comment\n'.repeat(1_700_000)}`,
  }
  test.each(Object.entries(table))('%s', (_, text) => {
    const [document] = read(text)
    expect(document?.value).toBeUndefined()
    expect(document?.problems.map(({ code }) => code)).toEqual(['unreadable'])
    const { start, end } = document?.problems[0] ?? { start: 0, end: 0 }
    expect(end - start).toBeLessThanOrEqual(80)
  })
})
