import fc from 'fast-check'
import { load } from 'js-yaml'
import { describe, expect, it } from 'vitest'
import { inlineText } from '../../src/yaml/inline.ts'
import { holds } from '../support/holds.ts'

const START = 'patch: '.length

/** The text in which a part of the content is replaced; undefined where that cannot be written. */
function replaced(scalar: string, content: string, [from, to]: readonly [number, number], added: string) {
  const text = `patch: ${scalar}\n`
  expect(load(text)).toEqual({ patch: content })
  const inline = inlineText(text, { start: START, end: START + scalar.length }, content)
  const written = inline?.write(added)
  if (!inline || written === undefined) return undefined
  return text.slice(0, inline.outside(from)) + written + text.slice(inline.outside(to))
}

const texts = fc.string({ unit: fc.constantFrom('a', ' b', '{', '"', "'", '\\', ': ', 'é'), maxLength: 12 })
const ranges = fc.tuple(fc.nat(20), fc.nat(20)).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const)

describe('what replaces a part of the content of a scalar is written as the scalar is', () => {
  const expectReplaced = (content: string, scalar: string, range: readonly [number, number], added: string) => {
    const [from, to] = range.map((offset) => Math.min(offset, content.length)) as [number, number]
    const text = replaced(scalar, content, [from, to], added)
    expect(text).toBeDefined()
    expect(load(text ?? '')).toEqual({ patch: content.slice(0, from) + added + content.slice(to) })
  }

  it('in double quotes', () => {
    const withLines = fc.array(texts, { minLength: 1, maxLength: 3 }).map((lines) => lines.join('\n'))
    holds(
      withLines,
      ranges,
      withLines,
      (content, range, added) => void expectReplaced(content, JSON.stringify(content), range, added),
    )
  })

  it('in single quotes', () =>
    holds(
      texts,
      ranges,
      texts,
      (content, range, added) => void expectReplaced(content, `'${content.replaceAll("'", "''")}'`, range, added),
    ))

  it.each([
    ['a literal block', '|\n  - op: add\n    value: 10M\n', '10m\n  x: y'],
    ['a literal block of lines that end in CRLF', '|\r\n  - op: add\r\n    value: 10M\r\n', '10m\n  x: y'],
    ['lines in double quotes', '"- op: add\\n\n    \\  value:\n    10M\\n"', '10m\n  x: y'],
    ['a line that goes on below', '"- op: add\\n\\\n    \\  value: 10M\\n"', '10m'],
    ['lines in single quotes', "'- op: add\n\n\n    value: 10M\n\n  '", '10m'],
  ])('in %s', (_, scalar, added) => {
    const { patch } = load(`patch: ${scalar}`) as { readonly patch: string }
    const at = patch.indexOf('10M')
    const text = replaced(scalar, patch, [at, at + 3], added)
    expect(load(text ?? '')).toEqual({ patch: patch.replace('10M', added) })
  })

  it('but not a line break in single quotes', () => expect(replaced("'abc'", 'abc', [1, 2], 'x\ny')).toBeUndefined())

  it.each(['>-\n  abc', 'abc', '"\\x61bc"'])('and nothing where the places are not known: %s', (scalar) =>
    expect(replaced(scalar, 'abc', [1, 2], 'x')).toBeUndefined(),
  )
})
