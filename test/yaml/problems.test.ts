/** The problems of a text: a short reason, and the characters that are wrong. */
import { describe, expect, test } from 'vitest'
import { readDocuments } from '../../src/yaml/documents.ts'

const read = (text: string) => readDocuments(text, { mentions: /(?:)/ })

/** The problems of a text, each as `code: reason «text»`. */
const problemsOf = (text: string): string[] =>
  read(text).flatMap(({ problems }) =>
    problems.map(({ code, reason, start, end }) => `${code}: ${reason} «${text.slice(start, end)}»`),
  )

describe('what kubectl cannot read is a syntax problem', () => {
  const table: Record<string, string> = {
    'a: [1, 2\nb: 3': 'a bracket is never closed «[»',
    'a: {b: 1\n': 'a bracket is never closed «{»',
    'a: "b\nc: d': 'a quoted value has no closing quote «"b»',
    "a: 1\nb: 'c": "a quoted value has no closing quote «'c»",
    'a:\n\tb: 1': 'tab characters must not be used in indentation «\t»',
    'a: 1\n\t\nb: 2': 'tab characters must not be used in indentation «\t»',
    'a: b: c': 'a value that contains ": " needs quotes «:»',
    'a: 1\n? \n: b': 'no key follows this "?" «?»',
    'a: 1\n?\n': 'no key follows this "?" «?»',
    'a: {b: 1, ? : c}': 'no key follows this "?" «?»',
    'a: 1\n: b': 'no key precedes this colon «:»',
    'a: @b': 'a value that begins with "@" needs quotes «@b»',
    'a: ]': 'unexpected "]" «]»',
    'a: "b" c': 'unexpected "c" «c»',
    'a:\n    b: 1\n   c: 2': 'bad indentation of a field «c:»',
    'a: b\n  c: 1': 'bad indentation of a field «c:»',
    'a: 1\n- b': 'bad indentation of a list item «-»',
    'a: 1\n- b: 1': 'a list item among the fields of a mapping «-»',
    'a: 1\nb\nc: 2': 'a key has no ": " after it «b»',
    'a:b\nc: 2': 'a key has no ": " after it «a:b»',
    'a: 1\nb': 'a key has no ": " after it «b»',
    'a: &x b: 1': 'a mapping or list must begin on a line of its own «&»',
    'a: *x': 'no anchor is named "x" «*x»',
    'a: &x [*x]': 'anchor "x" contains itself «*x»',
    'a: .nan': 'JSON cannot represent .nan and .inf «.nan»',
    'a: !!int x': '"x" is not a valid int «x»',
    'a: !!binary x': 'the value of !!binary is not valid base64 «x»',
    'a: "\\q"': 'unknown escape sequence "\\q" «\\q"»',
    'a: "b\\/c"': 'unknown escape sequence "\\/" «\\/»',
    '? [a]\n: 1': 'a key must be a string, not a mapping or list «[a]»',
    '~: 1': 'a key must be a string «~»',
    '<<: 1': 'only mappings can be merged with "<<" «1»',
    '%YAML 1.1\na: 1': 'kubectl reads no directives: a line that begins with "%" is one «%YAML»',
    'a: b\u0007': 'control characters are not allowed «\u0007»',
  }
  test.each(Object.entries(table))('%j', (text, problem) => {
    expect(problemsOf(text)).toEqual([`syntax: ${problem}`])
    expect(read(text)[0]?.value).toBeUndefined()
  })
})

describe('what kubectl cannot read as JSON is a syntax problem', () => {
  const table: Record<string, string> = {
    '{"a": 1,}': 'expected a key in quotes, found "}" «}»',
    '{a: 1}': 'expected a key in quotes, found "a" «a»',
    '{"a" 1}': 'expected ":", found "1" «1»',
    '{"a": }': 'expected a value, found "}" «}»',
    '{"a": yes}': 'expected a value, found "yes" «yes»',
    '{"a": 01}': 'expected "," or "}", found "1" «1»',
    '{"a": [1 2]}': 'expected "," or "]", found "2" «2»',
    '{"a": 1': 'expected "," or "}", found the end of the document «1»',
    '{"a": "b\n"}': 'a string has no closing quote «"b»',
    '{"a": "\\q"}': 'unknown escape sequence "\\q" «\\q»',
    '{"a": "b\tc"}': 'a string contains a control character «"b»',
    '{"a" : "b" "c": 1}': 'expected "," or "}", found "\\"" «"c"»',
    '{"a": 1e400}': 'the number is too large «1e400»',
  }
  test.each(Object.entries(table))('%j', (text, problem) => {
    expect(problemsOf(text)).toEqual([`syntax: ${problem}`])
    expect(read(text)[0]?.value).toBeUndefined()
  })
})

describe('a document that can be read keeps its value beside its problem', () => {
  const table: Record<string, [unknown, string]> = {
    'a: 1\n--- x\nb: 2': [{ b: 2 }, 'syntax: only a comment may follow "---" «--- x»'],
    'a: 1\n...\nb: 2': [{ a: 1 }, 'syntax: kubectl ignores what follows after the end of the document «b:»'],
    '---\n{a: 1}\n{b: 2}': [{ a: 1 }, 'syntax: kubectl ignores what follows after the end of the document «{b:»'],
    '  a: 1\nb: 2': [
      { a: 1 },
      'syntax: kubectl ignores the document from here on: this line has less indentation than the first one «b:»',
    ],
    '{"a": 1} x': [{ a: 1 }, 'syntax: only JSON objects may follow a JSON object «x»'],
    '{"a": 1}\n---\nb: 2': [
      { b: 2 },
      'syntax: kubectl before 1.33 ignores what follows "---" in a file that begins with JSON «---»',
    ],
    'a: 1\nb: 2\na: 3': [{ a: 3, b: 2 }, 'duplicate-key: duplicate key "a" «a»'],
    'a: {b: 1, "b": 2}': [{ a: { b: 2 } }, 'duplicate-key: duplicate key "b" «"b"»'],
    '{"a": 1, "\\u0061": 2}': [{ a: 2 }, 'duplicate-key: duplicate key "a" «"\\u0061"»'],
  }
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
