/** Reading takes as long as its text is, whatever stands in it. */
import { describe, it } from 'vitest'
import { keyPlatform } from '../../src/gateway/keys/keys.ts'
import { unknownVariables } from '../../src/gateway/keys/unknown-variables.ts'
import { compilePattern } from '../../src/gateway/routing/pattern.ts'
import type { PatchOperation } from '../../src/json/patch.ts'
import { isKey, keyFault, keyParts, suggestKey } from '../../src/limits/key.ts'
import { parseRate, rateFault } from '../../src/limits/rate.ts'
import { parseSize, repairSize } from '../../src/limits/size.ts'
import { readSnippet } from '../../src/nginx/snippets.ts'
import { mentionsIn, SYSTEMS } from '../../src/registry.ts'
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts'
import { readDocuments } from '../../src/yaml/documents.ts'
import { fixDocument } from '../../src/yaml/edit/fix-document.ts'
import { createLocator } from '../../src/yaml/locate.ts'
import { limitOf } from '../gateway/objects.ts'
import { casesOf } from '../support/cases.ts'
import { expectLinear } from './growth.ts'

const { cases, each } = casesOf(import.meta.url)

const read = (text: string) => readDocuments(text, { mentions: /(?:)/ })

describe('a document', () => {
  each<[string, string, string, string]>(
    'with many %s',
    (_, begin, part, end) =>
      expectLinear((size) => {
        const text = begin + part.repeat(size) + end
        return () => {
          const [document] = read(text)
          if (document) createLocator(text, document)('/c/1')
        }
      }, 500),
    'documents',
  )

  it('with many anchors that stay as they are is fixed all the same', () => {
    const replace = (path: string): PatchOperation => ({ op: 'replace', path, value: 'w' })
    expectLinear((size) => {
      const indexes = Array.from({ length: size }, (_, index) => index)
      const text = indexes.map((index) => `a${index}: &r${index} x\nb${index}: *r${index}\nc${index}: x\n`).join('')
      const patches = indexes.flatMap((index) => [[replace(`/a${index}`)], [replace(`/c${index}`)]])
      const [document] = read(text)
      if (!document) throw new Error('the text has no document')
      return () => fixDocument({ text, orderOf: () => [] }, document, patches)
    }, 25)
  })
})

describe('a regular expression of a route', () => {
  it.each<[string, string, (size: number) => string]>([
    ['/(a+)+b', '/', (size) => 'a'.repeat(size)],
    ['^(?:/(?:a|aa)*)$', '/', (size) => `${'a'.repeat(size)}b`],
    ['(.*)(.*)(.*)x', '/', (size) => 'a'.repeat(size)],
    ['(?:a?){30}a{30}$', '/', (size) => 'a'.repeat(size)],
  ])('%s', (written, begin, textOf) => {
    const compiled = compilePattern(written)
    if (typeof compiled === 'string') throw new Error(compiled)
    expectLinear((size) => {
      const text = begin + textOf(size)
      return () => compiled.pattern.test(text)
    }, 500)
  })

  it.each(['[', '(?#', '(?<a', '(?<=', '{1', '\\x', '$|', '[[:a', '(', '(a|', 'a?'])('that repeats %s', (part) => {
    // Every pattern is different, because results are cached.
    let more = 0
    expectLinear((size) => {
      const repeated = part.repeat(Math.ceil(size / part.length))
      return () => compilePattern(`/${more++}${repeated}`)
    }, 200)
  })
})

it.each(cases<string[]>('snippets'))('a snippet of many %j is read', (part) =>
  expectLinear((size) => {
    const text = part.repeat(size)
    return () => readSnippet(text)
  }, 500),
)

describe('a text is searched for the kinds that there are', () => {
  const mentions = mentionsIn(SYSTEMS)

  it.each(cases<string[]>('kinds'))('also where it is made of %j', (part) =>
    expectLinear((size) => {
      const texts = ['', 'kind: ', 'kind: "', 'apiVersion: '].map((begin) => begin + part.repeat(size / part.length))
      return () => texts.map((text) => text.search(mentions))
    }, 20_000),
  )
})

/** Texts that make a pattern with two ways to match the same spaces or letters take forever. */
function longTexts(begins: readonly string[], ends: readonly string[], length: number): readonly string[] {
  const middles = [' ', '\t', '\n', 'a', '0', '9', 'r', '$', '${', '${a', '\\', '"', ':', '🦜', ' r', '\u00a0'].map(
    (text) => text.repeat(length / text.length),
  )
  return begins.flatMap((begin) => middles.flatMap((middle) => ends.map((end) => `${begin}${middle}${end}`)))
}

describe('a long text', () => {
  const rates = cases<readonly [string[], string[]]>('rates')
  const sizes = cases<readonly [string[], string[]]>('sizes')
  const keys = cases<readonly [string[], string[]]>('keys')

  it.each<[string, (text: string) => unknown, readonly [readonly string[], readonly string[]]]>([
    ['a rate', parseRate, rates],
    ['a wrong rate', rateFault, rates],
    ['a size', parseSize, sizes],
    ['a size to repair', repairSize, sizes],
    ['a key', isKey, keys],
    ['a wrong key', keyFault, keys],
    ['a key to repair', suggestKey, keys],
    ['the parts of a key', keyParts, keys],
  ])('is read as %s', (_, parse, [begins, ends]) =>
    expectLinear((size) => {
      const texts = longTexts(begins, ends, size)
      return () => texts.forEach(parse)
    }, 1600),
  )

  it('is compared with the variables that there are', () => {
    const platform = keyPlatform(DEFAULT_SETTINGS.platform, {
      defined: new Set(),
      isOpen: false,
      modules: new Set<string>(),
    })
    expectLinear((size) => {
      const key = limitOf({ key: `$${'a_'.repeat(size)}` }).key.value
      // A copy, because results are cached by key.
      return () => key && unknownVariables({ ...key }, platform)
    }, 250)
  })
})
