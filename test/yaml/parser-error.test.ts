/** What js-yaml says is known by its code, in the version that is installed. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { YAMLException } from 'js-yaml'
import { describe, expect, it } from 'vitest'
import { parserError } from '../../src/yaml/parse/parser-error.ts'

const program = readFileSync(join(dirname(createRequire(import.meta.url).resolve('js-yaml')), 'js-yaml.mjs'), 'utf8')
/** What the parser throws, without what it puts into its messages. */
const said = [...program.matchAll(/throwError\(state, ("(?:[^"\\]|\\.)*"|`[^`]*`)\)/g)].map(([, text = '']) =>
  text.slice(1, -1).replaceAll(/\$\{[^}]*\}/g, '3'),
)

/** The reasons that say best themselves what is wrong, and those of the values, which are not made by js-yaml here. */
const OTHERS = [
  'the stream contains non-printable characters',
  'expected valid JSON character',
  'duplication of a tag property',
  'duplication of an anchor property',
  'alias node should not have any properties',
  'can not read a document',
]

describe('every reason of the parser of js-yaml', () => {
  const ofParser = said.slice(said.indexOf('the stream contains non-printable characters'))

  it('is found', () => expect(ofParser.length).toBeGreaterThan(45))

  it.each([...new Set(ofParser)])('has a code: %s', (reason) =>
    expect(parserError(new YAMLException(reason)).code === 'other').toBe(OTHERS.includes(reason)),
  )
})
