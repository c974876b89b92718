/** A policy is found however its kind is written, and a text that is read in two ways is refused. */
import { describe, expect, it } from 'vitest'
import { contentOf } from '../../src/files/discover/read-file.ts'
import { lint } from '../../src/lint/lint.ts'
import type { Source } from '../../src/project/source.ts'
import { MENTIONS } from '../../src/registry.ts'
import { encodeText } from '../../src/yaml/decode.ts'
import { readDocuments } from '../../src/yaml/documents.ts'
import { DAMAGED, HIDDEN_KINDS, NOT_OURS, REFUSED } from './spellings.ts'

const judge = (sources: readonly Source[]) => lint(sources).report

describe('a policy is judged', () => {
  it.each(HIDDEN_KINDS)('%j', (text) => {
    const { findings } = judge([{ file: 'a.yaml', text }])
    expect(findings.map(({ rule }) => rule)).toContain('gateway/schema')
  })

  it.each(HIDDEN_KINDS)('whose bytes are searched, in UTF-8 and in UTF-16: %j', (text) => {
    const marks = [[], [0xff, 0xfe], [0xfe, 0xff]].map((mark) => Uint8Array.from(mark))
    for (const mark of marks)
      expect(contentOf(Buffer.from(encodeText(`\u4e2d: 1\n${text}`, mark)), MENTIONS).type).toBe('bytes')
  })

  it('where its kind cannot be read and its text is broken', () => {
    const { findings } = judge([{ file: 'a.yaml', text: '"k\\x69nd": RateLimitPolicy\nspec: [a:]\n' }])
    expect(findings.map(({ rule }) => rule)).toEqual(['document/syntax'])
  })

  it('and a broken text of another kind is not, whatever stands in it', () => {
    const text = 'apiVersion: v1\nkind: ConfigMap\ndata:\n  a: [\n# why ? because\n*x : "k\\x69nd"\n'
    expect(judge([{ file: 'a.yaml', text }]).findings).toEqual([])
  })
})

describe('damage does not hide a policy', () => {
  const rest =
    'metadata:\n  name: a\nspec:\n  targetRefs:\n  - {group: gateway.networking.k8s.io, kind: HTTPRoute, name: b}\n' +
    '  rateLimit: {local: {rules: [{key: $uri, rate: 10r/s, zoneSize: 10m}]}}\n'

  it.each(DAMAGED)('%j has %i', (head, count) => {
    const { findings } = judge([{ file: 'a.yaml', text: head + rest }])
    expect(findings.map(({ severity, help }) => [severity, help])).toEqual(
      Array.from({ length: count }, () => ['error', expect.any(String)]),
    )
    expect(contentOf(Buffer.from(head + rest), MENTIONS).type).toBe('bytes')
  })

  it.each(NOT_OURS)('and nothing is said of %j', (text) =>
    expect(judge([{ file: 'a.yaml', text }]).findings).toEqual([]),
  )
})

it.each(REFUSED)('a text that kubectl reads with another value is refused %j', (text) => {
  const problems = readDocuments(text, { mentions: /(?:)/ }).flatMap((document) => document.problems)
  expect(problems).toMatchObject([{ code: 'syntax' }])
})
