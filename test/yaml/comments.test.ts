import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readComments } from '../../src/yaml/comments.ts'
import { readDocuments } from '../../src/yaml/documents.ts'
import { casesOf } from '../support/cases.ts'
import { holdsFor } from '../support/holds.ts'
import { blockYaml, flowYaml, json } from './generate.ts'

const { each } = casesOf(import.meta.url)

const commentsOf = (text: string, mention = '') =>
  readComments(text, mention).flatMap(({ comments }) => comments.map(({ start, end }) => text.slice(start, end)))

describe('comments', () => {
  each<[string, readonly string[]]>('of %j are %j', (text, comments) => expect(commentsOf(text)).toEqual(comments))

  it('are not read from a document that cannot be parsed, and are from the others', () =>
    expect(commentsOf('a: [b # one\n---\nc: d # two\n')).toEqual(['# two']))

  it('are read only from documents that contain the mention', () =>
    expect(commentsOf('a: b # one\n---\nc: d # two\n', 'two')).toEqual(['# two']))
})

describe('whatever values contain', () => {
  it.each([
    ['block style', blockYaml],
    ['braces', flowYaml],
    ['JSON', json],
  ])('no comment is found in %s', (_, written) =>
    holdsFor(500)(written, (text) => void expect(commentsOf(text)).toEqual([])),
  )

  it('a comment at the end of a line is found where it changes no value', () =>
    holdsFor(1000)(blockYaml, fc.nat(), (text, at) => {
      fc.pre(!text.startsWith('{'))
      const lines = text.split('\n')
      const line = at % lines.length
      const commented = lines.map((one, index) => (index === line ? `${one} # sluice` : one)).join('\n')
      const meaning = (yaml: string) => JSON.stringify(readDocuments(yaml, { mentions: /(?:)/ })[0]?.value)
      const isComment = meaning(commented) === meaning(text)
      expect(commentsOf(commented)).toEqual(isComment ? ['# sluice'] : [])
    }))
})
