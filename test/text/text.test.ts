import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { parseArgs } from '../../src/cli/core/flags.ts'
import { addObjects, noCollectedObjects } from '../../src/project/objects.ts'
import { append } from '../../src/text/append.ts'
import { compileLinear } from '../../src/text/linear.ts'
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

const MANY = 300_000

it('adds more values than fit on the stack', () => {
  const list = [0]
  append(list, Array(MANY).fill(1))
  expect(list).toHaveLength(MANY + 1)
})

it('takes more paths than fit on the stack', () =>
  expect(parseArgs({}, ['--', ...Array(MANY).fill('a.yaml')], '').positionals).toHaveLength(MANY))

it('collects more objects than fit on the stack', () => {
  const [from, into] = [noCollectedObjects(), noCollectedObjects()]
  const document = { start: 0, end: 0, value: undefined, problems: [] }
  from.broken.push(...Array(10).fill({ source: { file: 'a', text: '' }, document, base: '' }))
  for (let count = 10; count < MANY; count *= 2) append(from.broken, [...from.broken])
  addObjects(from, into)
  expect(into.broken).toHaveLength(from.broken.length)
  expect(into.broken.length).toBeGreaterThanOrEqual(MANY)
})

/** The language of Go's expressions; how long they take is in `test/growth/reading.test.ts`. */

each<[expression: string, matching: string, other: string]>(
  '%s matches %j and not %j',
  (expression, matching, other) => {
    const pattern = compileLinear(expression)
    expect([pattern?.test(matching), pattern?.test(other)]).toEqual([true, false])
  },
)

it.each(['(', '(?=a)', '(a)\\1', '(?>a)', 'a++', 'a{1001}', '(?:(?:a{9}){9}){9}'.repeat(30)])(
  '%s is not compiled',
  (expression) => expect(compileLinear(expression)).toBeUndefined(),
)
