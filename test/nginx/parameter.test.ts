import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isKey, keyParts } from '../../src/limits/key.ts'
import { LONGEST_PARAMETER_BYTES, readParameter } from '../../src/nginx/parameter.ts'
import { lookUpVariable, type VariablePlatform } from '../../src/nginx/variables.ts'
import { utf8Length } from '../../src/text/utf8.ts'
import { casesOf } from '../support/cases.ts'
import { holds } from '../support/holds.ts'
import { countOf, SEED } from './counts.ts'
import { keys } from './keys.ts'
import { platformOf, withKey } from './platform.ts'
import { benchFor, describeNginx } from './with-nginx.ts'

const { cases } = casesOf(import.meta.url)

const CASES: readonly (readonly [written: string, value: string])[] = cases('CASES')

const REJECTED: readonly (readonly [written: string, problem: string])[] = [
  ...cases<[string, string][]>('REJECTED'),
  ['k'.repeat(LONGEST_PARAMETER_BYTES + 1), 'too-long'],
  ['é'.repeat(LONGEST_PARAMETER_BYTES / 2 + 1), 'too-long'],
  [`"${'k'.repeat(LONGEST_PARAMETER_BYTES)}"`, 'too-long'],
  [`"a"${'k'.repeat(LONGEST_PARAMETER_BYTES)}`, 'text-after-quote'],
]
const LONGEST = ['k'.repeat(LONGEST_PARAMETER_BYTES), `'${'k'.repeat(LONGEST_PARAMETER_BYTES - 1)}'`]

describe('reading a parameter', () => {
  test.each(CASES)('%j means %j', (written, value) => expect(readParameter(written)).toEqual({ ok: true, value }))
  test.each(REJECTED.map(([written, problem]) => ({ start: written.slice(0, 12), written, problem })))(
    '$start… is refused: $problem',
    ({ written, problem }) => expect(readParameter(written)).toEqual({ ok: false, problem }),
  )
  test('the longest ones are read', () => {
    for (const written of LONGEST) expect(readParameter(written)).toMatchObject({ ok: true })
  })
  test('one byte more fits if a semicolon follows directly', () => {
    const longest = 'k'.repeat(LONGEST_PARAMETER_BYTES + 1)
    expect([readParameter(longest, ';').ok, readParameter(`${longest}k`, ';').ok]).toEqual([true, false])
  })
  test('a parameter without quotes and backslashes is its own value', () => {
    const plain = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !/["'\\]/.test(text))
    const property = fc.property(plain, (text) => {
      expect(readParameter(text)).toEqual({ ok: true, value: text })
    })
    fc.assert(property)
  })
})

test('length in UTF-8 is that of an encoder', () => {
  const encoder = new TextEncoder()
  holds(fc.string({ unit: 'binary' }), (text) => utf8Length(text) === encoder.encode(text).length)
  for (const text of ['\ud800', '\udc00x', '😀', 'a\ud83dé']) expect(utf8Length(text)).toBe(encoder.encode(text).length)
})

/** True where, by our reading, this nginx accepts a key that the CRD accepts. */
function isAccepted(key: string, platform: VariablePlatform): boolean {
  const read = readParameter(key)
  if (!read.ok) return false
  return keyParts(read.value).every((part) => part.type !== 'variable' || lookUpVariable(part.name, platform).known)
}

describeNginx('reading a key', (program) => {
  const bench = benchFor(program)
  const platform = platformOf(program)
  const accepted = (all: readonly string[]) =>
    bench.checkAll(all.map(withKey)).map((verdict, index) => [all[index], verdict.accepted])

  test('the real nginx reads the same', () => {
    const all = [...CASES.map(([text]) => text), ...REJECTED.map(([text]) => text), ...LONGEST]
    expect(accepted(all)).toEqual(all.map((written) => [written, readParameter(written).ok]))
  })

  test('it accepts exactly the keys that readParameter accepts', () => {
    const all = fc.sample(keys, { numRuns: countOf('SLUICE_CASES', 300), seed: SEED })
    expect(all.filter((key) => !isKey(key))).toEqual([])
    expect(accepted(all)).toEqual(all.map((key) => [key, isAccepted(key, platform)]))
  }, 600_000)
})
