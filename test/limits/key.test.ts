import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isKey, keyFault, keyParts, suggestKey } from '../../src/limits/key.ts'

/** The pattern as the CRD publishes it; it backtracks exponentially, so it only sees short texts. */
const PUBLISHED = /^(?:[^ \t\r\n;{}#$]+|\$\w+)+$/

/** A variable as a shell writes it. */
const braced = (name: string): string => `\${${name}}`

const pieces = fc.constantFrom(
  '$',
  '$a',
  '$host',
  'x',
  ':',
  ' ',
  '\t',
  '\n',
  ';',
  '{',
  '}',
  '#',
  '${',
  '"',
  '\\',
  'é',
  '🦜',
  '_',
  '1',
)
const keys = fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join(''))

describe('a key', () => {
  it.each([
    '$binary_remote_addr',
    '$host:$uri',
    '""',
    "'a",
    '"$host"',
    'a\\',
    '$1',
    '$0',
    'fixed',
    'ü/(1)|2',
    '\u00a0',
  ])('can be %j', (text) => {
    expect(isKey(text)).toBe(true)
    expect(keyFault(text)).toBeUndefined()
  })

  it.each([
    ['', { type: 'empty' }],
    ['$host $uri', { type: 'space', character: ' ', position: 6 }],
    ['$host\n', { type: 'space', character: '\n', position: 6 }],
    ['a;b', { type: 'character', character: ';', position: 2 }],
    ['{a}', { type: 'character', character: '{', position: 1 }],
    ['a}', { type: 'character', character: '}', position: 2 }],
    ['a#', { type: 'character', character: '#', position: 2 }],
    [braced('host'), { type: 'brace', character: '$', position: 1 }],
    ['a$', { type: 'dollar', character: '$', position: 2 }],
    ['$$host', { type: 'dollar', character: '$', position: 1 }],
    ['🦜é$:', { type: 'dollar', character: '$', position: 3 }],
  ])('cannot be %j: %j', (text, fault) => {
    expect(isKey(text)).toBe(false)
    expect(keyFault(text)).toEqual(fault)
  })

  it('is what the published pattern accepts, and has a fault where it does not', () => {
    fc.assert(
      fc.property(keys, (text) => {
        expect(isKey(text)).toBe(PUBLISHED.test(text))
        expect(keyFault(text) === undefined).toBe(PUBLISHED.test(text))
      }),
    )
  })

  it('has its fault at the first character that nothing after it can fix', () => {
    fc.assert(
      fc.property(keys, (text) => {
        const fault = keyFault(text)
        if (!fault || fault.type === 'empty') return
        const before = [...text].slice(0, fault.position - 1).join('')
        expect([...text][fault.position - 1]).toBe(fault.character)
        expect(before === '' || isKey(before)).toBe(true)
      }),
    )
  })

  it.each([
    [braced('host'), '$host'],
    [braced('host') + braced('uri'), '$host$uri'],
    [' $host\n', '$host'],
    ['$host $uri', '$host:$uri'],
    [`${braced('host')}  ${braced('uri')}`, '$host:$uri'],
  ])('%j suggests %s', (text, suggested) => expect(suggestKey(text)).toBe(suggested))

  it.each(['', ' ', '$host', `${braced('host')}_v2`, 'a;b', '$', braced(''), '${host', '{host}'])(
    '%j suggests nothing',
    (text) => {
      expect(suggestKey(text)).toBeUndefined()
    },
  )

  it('that is suggested is accepted', () => {
    fc.assert(fc.property(keys, (text) => isKey(suggestKey(text) ?? 'x')))
  })
})

describe('the parts of a key', () => {
  it.each([
    ['', []],
    ['fixed', [{ type: 'text', text: 'fixed' }]],
    ['$Host', [{ type: 'variable', name: 'host', written: 'Host' }]],
    [
      '$host_$uri',
      [
        { type: 'variable', name: 'host_', written: 'host_' },
        { type: 'variable', name: 'uri', written: 'uri' },
      ],
    ],
    [
      '$10',
      [
        { type: 'capture', index: 1 },
        { type: 'text', text: '0' },
      ],
    ],
    ['$0', [{ type: 'variable', name: '0', written: '0' }]],
    [
      'a:$uri/b',
      [
        { type: 'text', text: 'a:' },
        { type: 'variable', name: 'uri', written: 'uri' },
        { type: 'text', text: '/b' },
      ],
    ],
  ])('of %j are %j', (text, parts) => expect(keyParts(text)).toEqual(parts))

  it('make up the key again', () => {
    fc.assert(
      fc.property(keys, (text) => {
        const written = keyParts(text).map((part) =>
          part.type === 'text' ? part.text : `$${part.type === 'capture' ? part.index : part.written}`,
        )
        expect(written.join('')).toBe(text)
      }),
    )
  })
})

it('reads texts of megabytes without running out of stack', () => {
  for (const text of ['a', '$a', '🦜']) expect(isKey(text.repeat(10_000_000))).toBe(true)
})
