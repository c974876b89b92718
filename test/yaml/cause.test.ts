/** What is behind the problems of a parser: one finding that names it. */
import { describe, expect, it } from 'vitest'
import { lint } from '../../src/lint/lint.ts'
import { policy } from '../files/folder.ts'

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
  it.each([
    ['after a colon', '        rate:\u00A010r/s', 13, 'U+00A0'],
    ['of another width', '        rate:\u200910r/s', 13, 'U+2009'],
  ])('is marked: %s', (_, line, column, code) => {
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
