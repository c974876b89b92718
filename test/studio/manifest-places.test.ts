/** Where things are written in the manifests of the playground. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  limitAt,
  limitsWritten,
  manifestAt,
  pathAt,
  rangeOfLimit,
} from '../../src/studio/playground/manifest-places.ts'
import { casesOf } from '../support/cases.ts'
import { holds } from '../support/holds.ts'

const { cases, each } = casesOf(import.meta.url)

const POLICY = cases<string>('POLICY')
const TEXT = `kind: HTTPRoute\n---\n${POLICY}`
const COFFEE = { namespace: 'shop', name: 'coffee' }

const pathOf = (text: string, at: string) => {
  const offset = text.indexOf(at) + 1
  const manifest = manifestAt(text, offset)
  return manifest && pathAt(manifest, offset)
}

describe('a place in a manifest', () => {
  each<[string, readonly (string | number)[]]>('%s has its path', (at, path) =>
    expect(pathOf(POLICY, at)).toEqual(path),
  )

  it('of a limit leads to the limit and to what its policy is attached to', () => {
    const found = limitAt(TEXT, TEXT.indexOf('5r/s'))
    expect(found).toEqual({ limit: { policy: COFFEE, index: 1 }, target: 'HTTPRoute/shop/tea' })
    expect(limitAt(TEXT, TEXT.indexOf('HTTPRoute,'))).toBeUndefined()
    expect(limitAt(TEXT, 3)).toBeUndefined()
  })

  it('is found for a limit', () => {
    const range = rangeOfLimit([{ file: 'a.yaml', text: TEXT }], { policy: COFFEE, index: 0 })
    expect(TEXT.slice(range?.from, range?.to).trim()).toBe('key: $binary_remote_addr\n        rate: 10r/s')
    expect(rangeOfLimit([{ file: 'a.yaml', text: TEXT }], { policy: COFFEE, index: 9 })).toBeUndefined()
  })

  it('is found in JSON too', () => expect(pathOf('{"a":{"b":[1,{"c":"here"}]}}', 'here')).toEqual(['a', 'b', 1, 'c']))

  it('is found, or not, in whatever text there is', () => {
    const text = fc
      .array(fc.constantFrom('a', ':', ' ', '\n', '- ', '{', ']', '"', '---\n', 'kind: x', '  '))
      .map((all) => all.join(''))
    holds(text, fc.nat(60), (written, offset) => {
      const manifest = manifestAt(written, offset)
      if (manifest) pathAt(manifest, offset)
      limitAt(written, offset)
    })
  })
})

it('limits are read as they are written', () =>
  expect(limitsWritten([{ file: 'a.yaml', text: TEXT }], COFFEE)).toEqual(cases('limits are read as they are written')))
