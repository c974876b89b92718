import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keyParts } from '../../src/limits/key.ts'
import { keysHeld } from '../../src/nginx/memory.ts'
import { compileKey, createKeyTable, isAddressKey, keyLabel, keyLength } from '../../src/simulate/core/keys.ts'
import { createSlab } from '../../src/simulate/core/slab.ts'
import { createExpressions } from '../../src/simulate/scenario/expressions.ts'
import { createVariables } from '../../src/traffic/variables.ts'
import { casesOf } from '../support/cases.ts'
import { holds } from '../support/holds.ts'
import { numberOf, PLATFORM } from './plans.ts'

const { cases, each } = casesOf(import.meta.url)

const ROW: Readonly<Record<string, string>> = cases('ROW')
const NAMES = Object.keys(ROW)
const columns = { has: (name: string) => NAMES.includes(name), slot: (name: string) => NAMES.indexOf(name) }
const variables = createVariables(columns, new Map([['http_x_tenant', 'acme']]))

function keyOf(key: string, other: Readonly<Record<string, string>> = {}) {
  const compiled = compileKey(keyParts(key), variables, PLATFORM)
  return compiled.ok ? compiled.read(Object.values({ ...ROW, ...other })) : compiled.unknown
}

describe('the value of', () =>
  each<[string, string]>('%s', (key, value) => expect(keyOf(key)).toBe(value), 'the value of'))

each<[string, readonly string[]]>('%s is not known from the traffic', (key, unknown) =>
  expect(keyOf(key)).toEqual(unknown),
)

it('an address in binary never runs into what follows', () => {
  const a = keyOf('$binary_remote_addr$cookie_session', { remote_addr: '10.0.0.1', http_cookie: 'session=2' })
  const b = keyOf('$binary_remote_addr$cookie_session', { remote_addr: '10.0.0.12', http_cookie: 'session=' })
  expect(a).not.toEqual(b)
  expect([a, b].map((key) => keyLabel(String(key)))).toEqual(['10.0.0.12', '10.0.0.12'])
})

describe('in nginx takes bytes:', () =>
  each<[string, string, number]>('%s of %s', (key, address, bytes) => {
    const value = String(keyOf(key, { remote_addr: address }))
    expect(keyLength(value, keyParts(key))).toBe(bytes)
    const table = createKeyTable(keyParts(key))
    const number = numberOf(value, table)
    expect([table.text(number), table.length(number)]).toEqual([value, bytes])
  }))

each<[string, boolean]>('%j is the address alone: %s', (key, isAddress) =>
  expect(isAddressKey(keyParts(key))).toBe(isAddress),
)

it('keys that are the same have one number, and unknown ones none', () => {
  const expressions = createExpressions(variables, PLATFORM)
  for (const [key, found] of cases<[string, object][]>('EXPRESSIONS'))
    expect(expressions.of(keyParts(key))).toEqual(found)
  expect(expressions.all).toHaveLength(3)
})

const zone = (kilobytes: number) => ({ bytes: kilobytes * 1024, name: 'shop_rl_coffee_rule0', pageSize: 4096 })

function fill(slab: ReturnType<typeof createSlab>, keyBytes: number): number[] {
  const taken: number[] = []
  for (let piece = slab.allocate(keyBytes); piece !== -1; piece = slab.allocate(keyBytes)) taken.push(piece)
  return taken
}

it('holds as many keys of one length as nginx does', () =>
  holds(fc.integer({ min: 32, max: 512 }), fc.integer({ min: 1, max: 6000 }), (kilobytes, keyBytes) => {
    const { bytes, name, pageSize } = zone(kilobytes)
    const expected = keysHeld({ zoneBytes: bytes, keyBytes, pageSize, nameBytes: name.length })
    expect(fill(createSlab(zone(kilobytes)), keyBytes)).toHaveLength(expected)
  }))

it.each([4, 2500, 4000, 9000])('takes as many keys of %d bytes again once they are given back', (length) => {
  const slab = createSlab(zone(64))
  const first = fill(slab, length)
  for (const _ of [1, 2]) {
    for (const piece of first) slab.free(piece)
    expect(fill(slab, length)).toEqual(expect.objectContaining({ length: first.length }))
  }
})

it('gives the pages of one length to another when they are empty', () => {
  const slab = createSlab(zone(64))
  const long = fill(slab, 1000)
  const room = fill(slab, 4).length
  for (const piece of long) slab.free(piece)
  expect(fill(slab, 4).length).toBeGreaterThan(room)
})

it('has no room for another length while the pages are taken', () => {
  const slab = createSlab(zone(32))
  fill(slab, 1000)
  expect(slab.allocate(3000)).toBe(-1)
})
