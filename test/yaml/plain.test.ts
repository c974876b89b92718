/** The fast reader returns the value that the parser returns, or undefined. */
import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readPlain } from '../../src/yaml/fast/plain.ts'
import { construct } from '../../src/yaml/parse/construct.ts'
import { parseYaml } from '../../src/yaml/parse/yaml.ts'
import { casesOf } from '../support/cases.ts'
import { holdsFor } from '../support/holds.ts'
import { blockYaml } from './generate.ts'

const { cases } = casesOf(import.meta.url)

const plain = (text: string) => readPlain(text, 0, text.length)

function parsed(text: string): unknown {
  const { root, problems } = parseYaml(text, 0, text.length)
  const made = root && construct(root)
  return problems.length + (made?.problems.length ?? 0) > 0 ? 'rejected' : made?.value
}

/** Where the fast reader returns an object, the parser must return the same one, without problems. */
function expectAgreement(text: string): boolean {
  const object = plain(text)
  if (object !== undefined) expect(parsed(text), text).toEqual(object)
  return object !== undefined
}

const POLICY = cases<string>('POLICY')

test('a policy as people write it is read without the parser', () => {
  const text = POLICY.slice(POLICY.indexOf('---'))
  expect(plain(text)).toMatchObject(cases<object>('a policy as people write it is read without the parser'))
  expect(expectAgreement(text)).toBe(true)
})

describe('the fast reader leaves to the parser', () => {
  const others = cases<Readonly<Record<string, string>>>('others')
  test.each(Object.entries(others))('%s', (_, text) => expect(plain(text)).toBeUndefined())
})

test('any object that is written as YAML is read as the parser reads it', () =>
  holdsFor(500)(blockYaml, (text) => void expectAgreement(text)))

const crumb = fc.constantFrom(...cases<string[]>('crumb'))

test('a text changed at random offsets is read as the parser reads it', () => {
  const edits = fc.array(fc.record({ at: fc.nat(), crumb, drop: fc.nat({ max: 3 }) }), { minLength: 1, maxLength: 4 })
  const base = fc.oneof(blockYaml, fc.constant(POLICY.slice(POLICY.indexOf('---') + 4)))
  holdsFor(2000)(base, edits, (text, changes) => {
    const changed = changes.reduce((before, { at, crumb: put, drop }) => {
      const place = at % (before.length + 1)
      return before.slice(0, place) + put + before.slice(place + drop)
    }, text)
    if (!/^---/m.test(changed)) expectAgreement(changed)
  })
})

const lines = fc.array(
  fc.tuple(
    fc.constantFrom('', '', '  ', '    ', ' '),
    fc.constantFrom('', '', '- ', '-  ', '- - '),
    fc.constantFrom('a', 'b', 'c', 'd', 'yes', 'x/y', ''),
    fc.constantFrom(': ', ':', ''),
    fc.constantFrom('', '1', '10r/s', 'a b', '"x y"', "'z'", '{}', '~', 'a: b', '#x', '- a', '-1', "'a''b'", '0777'),
    fc.constantFrom('\n', ' # c\n', '\n\n', '\n  # c\n'),
  ),
  { maxLength: 8 },
)

test('lines put together at random are read as the parser reads them', () =>
  holdsFor(15_000)(lines, (parts) => void expectAgreement(parts.map((part) => part.join('')).join(''))))

test('every YAML file of the examples and the fixtures is read as the parser reads it', () => {
  const folders = ['../../examples/', '../fixtures/']
  const files = folders.flatMap((folder) =>
    readdirSync(new URL(folder, import.meta.url), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.ya?ml$/.test(name))
      .map((name) => new URL(folder + name, import.meta.url)),
  )
  const documents = files.flatMap((file) => readFileSync(file, 'utf8').split(/^---.*\n/m))
  for (const text of documents) expectAgreement(text)
})
