/** Changes of limits that a running nginx rejects, and the sizes that avoid this. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { listChange, otherSize, zoneChanges } from '../../src/gateway/keys/zones.ts'
import type { PolicyView } from '../../src/gateway/objects/policy.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { casesOf } from '../support/cases.ts'
import { holds } from '../support/holds.ts'
import { policyOf } from './objects.ts'

const { cases, each } = casesOf(import.meta.url)

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

describe('a zone keeps its name and size, and its key changes', () =>
  each<[why: string, before: string[], after: string[], changes: string[]]>(
    '%s',
    (_, before, after, changes) => expect(changesIn(before, after)).toEqual(changes),
    'a zone keeps its name and size, and its key changes',
  ))

describe('the author of a change', () =>
  each<[how: string, before: string[], after: string[]]>('%s limits: %j to %j', (how, before, after) =>
    expect(listChange(policy(...before), policy(...after))).toBe(how),
  ))

it('another size is close, and valid', () => {
  const near = (count: number, unit: 'k' | 'm') =>
    otherSize({ count, unit, bytes: count * 1024 ** (unit === 'k' ? 1 : 2) })
  expect([near(10, 'm'), near(1024, 'k'), near(32, 'k'), near(9999, 'm'), near(9999, 'k')]).toEqual(
    cases('another size is close, and valid'),
  )
})

it('with other sizes no change is rejected, whatever it was', () => {
  const key = fc.constantFrom('$uri', '$URI', '$host', '"$host"', '$args')
  const zoneSize = fc.constantFrom(undefined, '1m', '1024k', '10m', '32k', '9999m', '9999k', '31k', '1g')
  const limits = fc.array(fc.record({ key, zoneSize, rate: fc.constant('1r/s') }), { maxLength: 5 })
  const written = (all: readonly { zoneSize: string | undefined }[]): readonly JsonObject[] =>
    all.map((limit) => ({ ...limit }))
  holds(limits, limits, (before, after) => {
    const [old, current] = [policyOf(...written(before)), policyOf(...written(after))]
    const sizes = new Map(zoneChanges(old, current, AT).map(({ limit, size }) => [limit.index, otherSize(size)]))
    const fixed = after.map((limit, index) => ({ ...limit, zoneSize: sizes.get(index) ?? limit.zoneSize }))
    expect(zoneChanges(old, policyOf(...written(fixed)), AT)).toEqual([])
  })
})
