import fc from 'fast-check'
import { expect, it } from 'vitest'
import { keysHeld } from '../../src/nginx/memory.ts'
import { createSlab } from '../../src/simulate/core/slab.ts'
import { holds } from '../support/holds.ts'

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
