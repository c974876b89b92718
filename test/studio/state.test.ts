/** The state of the playground and its links. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromFragment, targetsIn, toFragment } from '../../src/studio/playground/state.ts'
import { casesOf } from '../support/cases.ts'
import { holdsLaterFor } from '../support/holds.ts'

const { cases, each } = casesOf(import.meta.url)

test('a link holds whatever files there are', async () => {
  const file = fc.record({ file: fc.string(), text: fc.string({ unit: 'binary' }) })
  const state = fc.record(
    { files: fc.array(file, { minLength: 1 }), previous: fc.array(file), target: fc.string() },
    { requiredKeys: ['files'] },
  )
  await holdsLaterFor(100)(state, async (given) => {
    const fragment = await toFragment(given)
    expect(fragment).toMatch(/^1\.[\w-]+$/)
    expect(await fromFragment(fragment)).toEqual(given)
  })
})

each<[string, RegExp]>('the fragment "%s" is refused in words', (fragment, words) =>
  expect(fromFragment(fragment)).rejects.toThrow(words),
)

test('a fragment that holds no files is refused', async () =>
  await expect(fromFragment(await toFragment({ files: [] }))).rejects.toThrow(/damaged/))

test('routes, Gateways and proxies are found in texts, routes first', () => {
  const text = cases<string>('text')
  const proxy = '{\n  "name": "orders",\n  "proxyConfig": {}\n}'
  const targets = targetsIn([
    { file: 'a.yaml', text },
    { file: 'b.json', text: proxy },
  ])
  expect([...targets].sort()).toEqual(cases('routes, Gateways and proxies are found in texts, routes first'))
  expect(targets.indexOf('HTTPRoute/shop/coffee')).toBeLessThan(targets.indexOf('Gateway/shop/edge'))
})
