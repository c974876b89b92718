import fc from 'fast-check'
import { expect, test } from 'vitest'
import { editDistance, nearest } from '../../src/text/nearest.ts'
import { casesOf } from '../support/cases.ts'
import { holds } from '../support/holds.ts'

const { each } = casesOf(import.meta.url)

each<[string, string, number]>('%s and %s are %i apart', (left, right, distance) =>
  expect(editDistance(left, right, 5)).toBe(distance),
)

test('a distance beyond the limit is not counted to its end', () => expect(editDistance('abcdef', 'uvwxyz', 2)).toBe(3))

test('a distance is the same both ways, and no larger than the longer word', () => {
  const word = fc.stringMatching(/^[a-c]{0,7}$/)
  holds(word, word, (left, right) => {
    const distance = editDistance(left, right, 20)
    expect(distance).toBe(editDistance(right, left, 20))
    expect(distance).toBeLessThanOrEqual(Math.max(left.length, right.length))
    expect(distance === 0).toBe(left === right)
  })
})

each<[string, readonly string[], string | undefined]>('%s may mean one of %j: %s', (word, candidates, meant) =>
  expect(nearest(word, candidates)).toBe(meant),
)

test('of equally near candidates the one with the longest common prefix is taken, then the first', () =>
  expect(nearest('http_a', ['xttp_a', 'http_b', 'http_c'])).toBe('http_b'))
