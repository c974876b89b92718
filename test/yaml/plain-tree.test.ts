/** The trees of plain documents, as the parser of all documents makes them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { dump } from 'js-yaml'
import { describe, expect, it } from 'vitest'
import { readDocuments } from '../../src/yaml/documents.ts'
import { plainTree } from '../../src/yaml/fast/plain-tree.ts'
import { parseYaml } from '../../src/yaml/parse/yaml.ts'
import { runs } from '../runs.ts'

const ALL = { mentions: /(?:)/ }

function compare(text: string): number {
  const documents = readDocuments(text, ALL).filter(({ isPlain }) => isPlain)
  for (const { start, end } of documents) expect(plainTree(text, start, end)).toEqual(parseYaml(text, start, end).root)
  return documents.length
}

const files = ['examples', 'test/fixtures'].flatMap((folder) => {
  const path = fileURLToPath(new URL(`../../${folder}`, import.meta.url))
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => join(path, name))
})

describe('trees of plain documents', () => {
  it('are those of the parser in every example and fixture', () => {
    const plain = files.map((file) => compare(readFileSync(file, 'utf8').replace(/^\uFEFF/, '')))
    expect(plain.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(200)
  })

  it('are those of the parser in generated documents, with comments and both kinds of lists', () => {
    const scalar = fc.oneof(
      fc.constantFrom('a', 'b c', '10r/s', '$x', '', "it's"),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
    )
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof({ maxDepth: 4 }, scalar, tie('list'), tie('mapping')),
      list: fc.array(tie('tree'), { maxLength: 3 }),
      mapping: fc.dictionary(fc.constantFrom('a', 'key', 'x-y', 'a/b', 'c.d'), tie('tree'), { maxKeys: 3 }),
    }))
    const text = fc
      .tuple(fc.dictionary(fc.constantFrom('kind', 'spec', 'z'), tree, { minKeys: 1 }), fc.boolean(), fc.boolean())
      .map(([value, seqNoIndent, comments]) => {
        const yaml = dump(value, { seqNoIndent })
        return comments ? yaml.replace(/^/gm, '# note\n').replace(/(\S)$/gm, '$1  # more') : yaml
      })
    fc.assert(
      fc.property(text, (yaml) => void compare(yaml)),
      runs(1000),
    )
  })
})
