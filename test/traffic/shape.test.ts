import { describe, expect, it } from 'vitest'
import { clientAddress, generate, requestsOf, type Shape, type ShapeName } from '../../src/traffic/shape.ts'
import { casesOf } from '../support/cases.ts'

const { cases } = casesOf(import.meta.url)

const shape = (name: ShapeName, other: Partial<Shape> = {}): Shape => ({
  name,
  clients: 20,
  rate: 5000,
  duration: 60_000,
  period: 10_000,
  seed: 1,
  ...other,
})
const requests = (name: ShapeName, other: Partial<Shape> = {}) => [...generate(shape(name, other))]

describe.each(['steady', 'poisson', 'burst', 'ramp'] as const)('%s', (name) => {
  it('comes in order, within its time, from its clients', () => {
    const all = requests(name)
    expect(all.every(({ time }, index) => time >= (all[index - 1]?.time ?? 0) && time < 60_000)).toBe(true)
    expect(new Set(all.map(({ client }) => client)).size).toBe(20)
  })
  it.each([{}, { rate: 1, duration: 20_000_000 }, { clients: 3, period: 7 }])(
    'has about as many requests as are counted before: %j',
    (other) => {
      const count = requests(name, other).length
      expect(Math.abs(requestsOf(shape(name, other)) / count - 1)).toBeLessThan(0.1)
    },
  )
  it('is the same each time', () => expect(requests(name)).toEqual(requests(name)))
})

it('steady sends the rate at equal intervals', () => {
  const all = requests('steady')
  expect(all).toHaveLength(6000)
  const own = all.filter(({ client }) => client === 7).map(({ time }) => time)
  expect(new Set(own.slice(1).map((time, index) => time - (own[index] ?? 0)))).toEqual(new Set([200]))
})

it('poisson sends about as much, otherwise for another seed', () => {
  const all = requests('poisson')
  expect(all.length).toBeGreaterThan(5700)
  expect(all.length).toBeLessThan(6300)
  expect(requests('poisson', { seed: 2 })).not.toEqual(all)
})

it('burst sends what a period has at once', () => {
  const own = requests('burst').filter(({ client }) => client === 3)
  expect(own).toHaveLength(300)
  expect(new Set(own.map(({ time }) => time)).size).toBe(6)
})

it('ramp ends at the full rate and sends half as much', () => {
  const all = requests('ramp')
  expect(all).toHaveLength(3000)
  expect(all.filter(({ time }) => time >= 59_000).length).toBeCloseTo(99, -1)
})

it('every client has an address of its own', () => {
  const addresses = [0, 254, 255, 65_535, 131_070, 131_071, 1_000_000, 16_000_000].map(clientAddress)
  expect(addresses).toEqual(cases('every client has an address of its own'))
})
