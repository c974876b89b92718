/** JSON Pointers to members of any name. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapeToken, fieldPath, parentPointer, pointerTokens, valueAt } from '../../src/json/pointer.ts'
import { holds } from '../support/holds.ts'

test('tokens are read as they were written', () =>
  holds(fc.array(fc.string()), (tokens) => {
    const pointer = tokens.map((token) => `/${escapeToken(token)}`).join('')
    expect(pointerTokens(pointer)).toEqual(tokens)
  }))

test('a value is found only through own members', () => {
  const root = { a: [{ 'b/c': 1 }], d: null }
  expect(valueAt(root, '')).toBe(root)
  expect(valueAt(root, '/a/0/b~1c')).toBe(1)
  expect(valueAt(root, '/d')).toBeNull()
  for (const pointer of ['/x', '/a/1', '/d/x', '/constructor', '/a/length/x', '/a/0/__proto__'])
    expect(valueAt(root, pointer)).toBeUndefined()
})

test('the parent of a pointer is the pointer without its last token', () =>
  expect(['/a/b', '/a', ''].map(parentPointer)).toEqual(['/a', '', '']))

test('paths are written as Kubernetes writes them', () => {
  expect(fieldPath('')).toBe('<root>')
  expect(fieldPath('/spec/rateLimit/local/rules/2/key')).toBe('spec.rateLimit.local.rules[2].key')
  expect(fieldPath('/metadata/annotations/nginx.org~1x')).toBe('metadata.annotations["nginx.org/x"]')
})
