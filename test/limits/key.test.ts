import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/json/member.ts'
import { isKey, keyFault, keyParts, suggestKey } from '../../src/limits/key.ts'
import { casesOf } from '../support/cases.ts'
import { holds } from '../support/holds.ts'

const { cases, each } = casesOf(import.meta.url)

/** The pattern as the CRD publishes it; it backtracks exponentially, so it only sees short texts. */
const PUBLISHED = /^(?:[^ \t\r\n;{}#$]+|\$\w+)+$/

/** A variable as a shell writes it. */
const braced = (name: string): string => `\${${name}}`

const pieces = fc.constantFrom(...cases<string[]>('pieces'))
const keys = fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join(''))

describe('a key', () => {
  each<[string]>('can be %j', (text) => {
    expect(isKey(text)).toBe(true)
    expect(keyFault(text)).toBeUndefined()
  })

  each<[string, JsonObject]>('cannot be %j: %j', (text, fault) => {
    expect(isKey(text)).toBe(false)
    expect(keyFault(text)).toEqual(fault)
  })

  it('is what the published pattern accepts, and has a fault where it does not', () =>
    holds(keys, (text) => {
      expect(isKey(text)).toBe(PUBLISHED.test(text))
      expect(keyFault(text) === undefined).toBe(PUBLISHED.test(text))
    }))

  it('has its fault at the first character that nothing after it can fix', () =>
    holds(keys, (text) => {
      const fault = keyFault(text)
      if (!fault || fault.type === 'empty') return
      const before = [...text].slice(0, fault.position - 1).join('')
      expect([...text][fault.position - 1]).toBe(fault.character)
      expect(before === '' || isKey(before)).toBe(true)
    }))

  each<[string, string]>('%j suggests %s', (text, suggested) => expect(suggestKey(text)).toBe(suggested))

  it.each(['', ' ', '$host', `${braced('host')}_v2`, 'a;b', '$', braced(''), '${host', '{host}'])(
    '%j suggests nothing',
    (text) => expect(suggestKey(text)).toBeUndefined(),
  )

  it('that is suggested is accepted', () => holds(keys, (text) => isKey(suggestKey(text) ?? 'x')))
})

describe('the parts of a key', () => {
  each<[string, readonly JsonObject[]]>('of %j are %j', (text, parts) => expect(keyParts(text)).toEqual(parts))

  it('make up the key again', () =>
    holds(keys, (text) => {
      const written = keyParts(text).map((part) =>
        part.type === 'text' ? part.text : `$${part.type === 'capture' ? part.index : part.written}`,
      )
      expect(written.join('')).toBe(text)
    }))
})

it('reads texts of megabytes without running out of stack', () => {
  for (const text of ['a', '$a', '🦜']) expect(isKey(text.repeat(10_000_000))).toBe(true)
})
