/** Bodies are read as they are written, on a Node whose JSON.parse takes names for those of an earlier text, too. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson } from '../../src/http/parse-json.ts'
import { readReview } from '../../src/servers/admission/review.ts'
import { casesOf } from '../support/cases.ts'
import { holdsFor } from '../support/holds.ts'
import { policyOf, reviewOf } from './reviews.ts'

const { each } = casesOf(import.meta.url)

const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`

/** A text of an object, and its members; names are written with escapes wherever that may be. */
const written = fc
  .uniqueArray(
    fc.array(
      fc.record({ char: fc.constantFrom('a', 'b', 'k', '\\', '"', '\n', ':', 'é', '中'), isEscaped: fc.boolean() }),
      { minLength: 1, maxLength: 3 },
    ),
    { minLength: 1, maxLength: 4, selector: (chars) => chars.map(({ char }) => char).join('') },
  )
  .map((names) => ({
    text: `{${names
      .map((chars, index) => {
        const name = chars.map(({ char, isEscaped }) => (isEscaped ? escaped(char) : JSON.stringify(char).slice(1, -1)))
        return `"${name.join('')}" : [${index}]`
      })
      .join()}}`,
    members: names.map((chars, index) => [chars.map(({ char }) => char).join(''), [index]]),
  }))

it('a review has the annotations that it is written with', () => {
  const body = (name: string) =>
    Buffer.from(
      JSON.stringify(reviewOf({ object: policyOf({ metadata: { annotations: { a: '', NAME: '' } } }) })).replace(
        'NAME',
        name,
      ),
    )
  const annotations = (name: string) => readReview(body(name)).object?.metadata
  expect(annotations('\\\\')).toMatchObject({ annotations: { '\\': '' } })
  expect(annotations('\\u003c')).toMatchObject({ annotations: { '<': '' } })
})

describe('a text', () => {
  it('has the names that it is written with, whatever was read before', () => {
    expect(parseJson('{"z":1,"\\\\":2}')).toEqual({ z: 1, '\\': 2 })
    expect(parseJson('{"z":1,"\\u0041":2}')).toEqual({ z: 1, A: 2 })
    holdsFor(5000)(
      written,
      ({ text, members }) => void expect(Object.entries(Object(parseJson(text)))).toEqual(members),
    )
  })

  each<[string, string, readonly unknown[]]>('is read with %s', (_, text, members) =>
    expect(Object.entries(Object(parseJson(text)))).toEqual(members),
  )

  it('of millions of escapes is read', () => {
    const text = '"'.repeat(3_500_000)
    expect(Object.entries(Object(parseJson(`{"\\u0041":${JSON.stringify(text)}}`)))).toEqual([['A', text]])
  })

  it.each(['', '{', '{"\\\\":}', '{"\\x":1}', '{"a" \\u0041":1}', '\\', '{"a\\'])(
    'that is not JSON throws: %j',
    (text) => expect(() => parseJson(text)).toThrow(SyntaxError),
  )

  it.each(['[', '{"a":'])('nested deeper than a stack is read: %s', (open) => {
    const deep = `${open.repeat(200_000)}1${(open === '[' ? ']' : '}').repeat(200_000)}`
    expect(parseJson(`{"b":"\\n","a":${deep}}`)).toMatchObject({ b: '\n' })
  })
})
