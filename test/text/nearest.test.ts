import fc from 'fast-check'
import { expect, test } from 'vitest'
import { editDistance, nearest } from '../../src/text/nearest.ts'

test.each([
  ['same', 'same', 0],
  ['', 'ab', 2],
  ['remote_adr', 'remote_addr', 1],
  ['hots', 'host', 1],
  ['uir', 'uri', 1],
  ['abc', 'xyz', 3],
])('%s and %s are %i apart', (left, right, distance) => expect(editDistance(left, right, 5)).toBe(distance))

test('a distance beyond the limit is not counted to its end', () => expect(editDistance('abcdef', 'uvwxyz', 2)).toBe(3))

test('a distance is the same both ways, and no larger than the longer word', () => {
  const word = fc.stringMatching(/^[a-c]{0,7}$/)
  fc.assert(
    fc.property(word, word, (left, right) => {
      const distance = editDistance(left, right, 20)
      expect(distance).toBe(editDistance(right, left, 20))
      expect(distance).toBeLessThanOrEqual(Math.max(left.length, right.length))
      expect(distance === 0).toBe(left === right)
    }),
  )
})

test.each([
  ['zonesize', ['zoneSize', 'rate'], 'zoneSize'],
  ['brust', ['burst', 'rate'], 'burst'],
  ['dely', ['delay', 'noDelay'], 'delay'],
  ['rat', ['rate'], 'rate'],
  ['targetRef', ['rateLimit', 'targetRefs'], 'targetRefs'],
  ['x', ['y'], undefined],
  ['window', ['rate', 'burst', 'delay'], undefined],
  ['', ['a'], undefined],
])('%s may mean one of %j: %s', (word, candidates, meant) => expect(nearest(word, candidates)).toBe(meant))

test('of equally near candidates the one with the longest common prefix is taken, then the first', () => {
  expect(nearest('http_a', ['xttp_a', 'http_b', 'http_c'])).toBe('http_b')
})
