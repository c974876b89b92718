import { expect, it } from 'vitest'
import { parseArgs } from '../../src/cli/core/flags.ts'
import { addObjects, type CollectedObjects } from '../../src/project/objects.ts'
import { append } from '../../src/text/append.ts'

const MANY = 300_000

it('adds more values than fit on the stack', () => {
  const list = [0]
  append(list, Array(MANY).fill(1))
  expect(list).toHaveLength(MANY + 1)
})

it('takes more paths than fit on the stack', () =>
  expect(parseArgs({}, ['--', ...Array(MANY).fill('a.yaml')], '').positionals).toHaveLength(MANY))

it('collects more objects than fit on the stack', () => {
  const empty = (): CollectedObjects => ({
    byKind: new Map(),
    judged: [],
    annotated: [],
    broken: [],
    documents: 0,
    filledInLater: [],
    notBuilt: [],
    refused: [],
    partial: false,
  })
  const [from, into] = [empty(), empty()]
  const document = { start: 0, end: 0, value: undefined, problems: [] }
  from.broken.push(...Array(10).fill({ source: { file: 'a', text: '' }, document, base: '' }))
  for (let count = 10; count < MANY; count *= 2) append(from.broken, [...from.broken])
  addObjects(from, into)
  expect(into.broken).toHaveLength(from.broken.length)
  expect(into.broken.length).toBeGreaterThanOrEqual(MANY)
})
