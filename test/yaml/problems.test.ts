/** The problems of a text: a short reason, and the characters that are wrong. */

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { YAMLException } from 'js-yaml'
import { describe, expect, it, test } from 'vitest'
import { lint } from '../../src/lint/lint.ts'
import { readDocuments } from '../../src/yaml/documents.ts'
import { parserError } from '../../src/yaml/parse/parser-error.ts'
import { policy } from '../files/folder.ts'
import { casesOf } from '../support/cases.ts'

const { cases, each } = casesOf(import.meta.url)

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

/** What js-yaml says is known by its code, in the version that is installed. */

const program = readFileSync(join(dirname(createRequire(import.meta.url).resolve('js-yaml')), 'js-yaml.mjs'), 'utf8')
/** What the parser throws, without what it puts into its messages. */
const said = [...program.matchAll(/throwError\(state, ("(?:[^"\\]|\\.)*"|`[^`]*`)\)/g)].map(([, text = '']) =>
  text.slice(1, -1).replaceAll(/\$\{[^}]*\}/g, '3'),
)

/** The reasons that say best themselves what is wrong, and those of the values, which are not made by js-yaml here. */
const OTHERS = cases<readonly string[]>('OTHERS')

describe('every reason of the parser of js-yaml', () => {
  const ofParser = said.slice(said.indexOf('the stream contains non-printable characters'))

  it('is found', () => expect(ofParser.length).toBeGreaterThan(45))

  it.each([...new Set(ofParser)])('has a code: %s', (reason) =>
    expect(parserError(new YAMLException(reason)).code === 'other').toBe(OTHERS.includes(reason)),
  )
})

/** What is behind the problems of a parser: one finding that names it. */

const found = (text: string, closedWorld = false) =>
  lint([{ file: 'a.yaml', text }], { closedWorld }).report.findings.map(({ rule, line, message }) => [
    rule,
    line,
    message,
  ])

const SEPARATOR = 'a second object begins here, without a line "---" before it'
const MARKER = 'a conflict marker of Git is left in this file'

describe('a missing "---"', () => {
  it('is one finding, at the second object, whichever member comes first', () => {
    const two = policy() + policy({ name: 'tea' })
    const line = policy().split('\n').length
    expect(found(two)).toEqual([['document/syntax', line, SEPARATOR]])
    expect(found(two.replace(/apiVersion: (.*)\nkind: (.*)\n/g, 'kind: $2\napiVersion: $1\n'))).toEqual([
      ['document/syntax', line, SEPARATOR],
    ])
    expect(found(two.replaceAll('\n', '\r\n'))).toEqual([['document/syntax', line, SEPARATOR]])
    expect(found(`${policy()}---\n${policy({ name: 'tea' })}`)).toEqual([])
  })

  it('is not the reason where an object only says its kind twice', () => {
    const [first] = found(`kind: RateLimitPolicy\n${policy()}`)
    expect(first).toEqual(['document/duplicate-key', 3, expect.any(String)])
  })

  it('is not what a duplicate key elsewhere is', () => {
    expect(found(policy().replace('  name: coffee', '  name: coffee\n  name: tea'))).toEqual([
      ['document/duplicate-key', 5, 'duplicate key "name"'],
    ])
    expect(found(`${policy()}metadata: {}\n`).map(([rule]) => rule)).toContain('document/duplicate-key')
  })

  it('leaves the world open: the objects are not known', () => {
    const route =
      'apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: { name: coffee, namespace: shop }\n'
    expect(found(`${route}${policy()}---\n${policy({ name: 'tea' })}`, true).map(([rule]) => rule)).toEqual([
      'document/syntax',
    ])
  })
})

describe('a conflict marker', () => {
  it.each(['<<<<<<< HEAD', '=======', '>>>>>>> main', '||||||| base'])('is named: %s', (marker) =>
    expect(found(policy().replace('spec:', `${marker}\nspec:`))).toEqual([['document/syntax', 6, MARKER]]),
  )

  it('is none within a text', () => {
    const note = 'metadata:\n  annotations:\n    note: |\n      Title\n      =======\n'
    expect(found(policy().replace('metadata:\n', note))).toEqual([])
  })
})

describe('a space that YAML does not know', () => {
  each<[string, string, number, string]>('is marked: %s', (_, line, column, code) => {
    const { findings } = lint([{ file: 'a.yaml', text: policy().replace('        rate: 10r/s', line) }]).report
    expect(findings.map((one) => [one.rule, one.column, one.message.includes(code)])).toEqual([
      ['document/syntax', column + 1, true],
    ])
  })

  it('in a comment or in a value is left alone', () => {
    const text = policy()
      .replace('spec:', '# one\u00A0comment\nspec:')
      .replace('metadata:', 'metadata:\n  labels: { a: "b\u00A0c" }')
    expect(found(text)).toEqual([])
    expect(found(text.replace('metadata:', 'metadata: [')).map(([, , message]) => message)).not.toContain('U+00A0')
  })
})
