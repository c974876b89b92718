/** Changes of limits that a running nginx rejects, and the sizes that avoid this. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { listChange, otherSize, zoneChanges } from '../../src/gateway/keys/zones.ts'
import type { PolicyView } from '../../src/gateway/objects/policy.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { policyOf } from './objects.ts'

const AT = { pageSize: 4096, naming: 'indexed' } as const

/** A policy with these keys: `$uri`, or `$uri 2m` with a size. */
const policy = (...limits: readonly string[]): PolicyView =>
  policyOf(
    ...limits.map((limit) => {
      const [key = '', zoneSize] = limit.split(' ')
      return { key, rate: '1r/s', ...(zoneSize === undefined ? {} : { zoneSize }) }
    }),
  )

const changesIn = (before: readonly string[], after: readonly string[]): readonly string[] =>
  zoneChanges(policy(...before), policy(...after), AT).map(
    ({ limit, oldKey, newKey }) => `${limit.index}: ${oldKey} to ${newKey}`,
  )

describe('a zone keeps its name and size, and its key changes', () => {
  it.each<[why: string, before: string[], after: string[], changes: string[]]>([
    ['changed', ['$uri'], ['$host'], ['0: $uri to $host']],
    ['same size in other units', ['$uri 1m'], ['$host 1024k'], ['0: $uri to $host']],
    ['leading zeros', ['$uri'], ['$host 0010m'], ['0: $uri to $host']],
    ['another case', ['$uri'], ['$URI'], ['0: $uri to $URI']],
    ['inserted', ['$uri', '$host'], ['$args', '$uri', '$host'], ['0: $uri to $args', '1: $host to $uri']],
    ['removed', ['$uri', '$host'], ['$host'], ['0: $uri to $host']],
    ['reordered', ['$uri', '$host'], ['$host', '$uri'], ['0: $uri to $host', '1: $host to $uri']],
    ['appended', ['$uri'], ['$uri', '$host'], []],
    ['removed at the end', ['$uri', '$host'], ['$uri'], []],
    ['resized', ['$uri 1m'], ['$host 2m'], []],
    ['quoted', ['"$uri"'], ['$uri'], []],
    ['a size that nginx rejects', ['$uri 1g'], ['$host 1g'], []],
    ['a size below eight pages', ['$uri 31k'], ['$host 31k'], []],
    ['a key that nginx cannot read', ['"$uri'], ['$host'], []],
  ])('%s', (_, before, after, changes) => {
    expect(changesIn(before, after)).toEqual(changes)
  })
})

describe('the author of a change', () => {
  it.each<[how: string, before: string[], after: string[]]>([
    ['changed', ['$uri'], ['$host']],
    ['changed', ['$uri', '$host'], ['$args', '$host', '$uri']],
    ['inserted', ['$uri'], ['$host', '$uri']],
    ['inserted', ['$uri', '$host'], ['$uri', '$args', '$host']],
    ['removed', ['$uri', '$host', '$args'], ['$uri', '$args']],
    ['reordered', ['$uri', '$host'], ['$host', '$uri']],
  ])('%s limits: %j to %j', (how, before, after) => {
    expect(listChange(policy(...before), policy(...after))).toBe(how)
  })
})

it('another size is close, and valid', () => {
  const near = (count: number, unit: 'k' | 'm') =>
    otherSize({ count, unit, bytes: count * 1024 ** (unit === 'k' ? 1 : 2) })
  expect([near(10, 'm'), near(1024, 'k'), near(32, 'k'), near(9999, 'm'), near(9999, 'k')]).toEqual([
    '11m',
    '2m',
    '33k',
    '9998m',
    '9998k',
  ])
})

it('with other sizes no change is rejected, whatever it was', () => {
  const key = fc.constantFrom('$uri', '$URI', '$host', '"$host"', '$args')
  const zoneSize = fc.constantFrom(undefined, '1m', '1024k', '10m', '32k', '9999m', '9999k', '31k', '1g')
  const limits = fc.array(fc.record({ key, zoneSize, rate: fc.constant('1r/s') }), { maxLength: 5 })
  const written = (all: readonly { zoneSize: string | undefined }[]): readonly JsonObject[] =>
    all.map((limit) => ({ ...limit }))
  fc.assert(
    fc.property(limits, limits, (before, after) => {
      const [old, current] = [policyOf(...written(before)), policyOf(...written(after))]
      const sizes = new Map(zoneChanges(old, current, AT).map(({ limit, size }) => [limit.index, otherSize(size)]))
      const fixed = after.map((limit, index) => ({ ...limit, zoneSize: sizes.get(index) ?? limit.zoneSize }))
      expect(zoneChanges(old, policyOf(...written(fixed)), AT)).toEqual([])
    }),
  )
})
