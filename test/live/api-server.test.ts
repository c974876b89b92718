/** What an API server would have stored. */
import { expect, test } from 'vitest'
import { isObject } from '../../src/json/member.ts'
import { createApiServer } from '../../src/live/api-server.ts'
import { namedWorlds } from '../../src/queries/query-world.ts'
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts'
import { gateway, policy, route } from './manifests.ts'

const PER_SECOND = 'key: $uri, rate: 1r/s'
const AT_FIRST = '2026-01-01T00:00:00Z'
const LATER = '2026-01-01T00:00:09Z'

function collected(text: string) {
  const [world] = namedWorlds([{ file: 'shop.yaml', text }], { settings: DEFAULT_SETTINGS, closedWorld: true })
  return world?.objects.collected ?? { byKind: new Map() }
}

const metadataOf = ({ objects }: ReturnType<ReturnType<typeof createApiServer>['store']>, name: string) =>
  objects.flatMap(({ kind, metadata }) =>
    kind === 'RateLimitPolicy' && isObject(metadata) && metadata.name === name ? [metadata] : [],
  )

test('a policy that is rejected stays as it was accepted last, until it is gone', () => {
  const server = createApiServer()
  const text = policy('coffee', PER_SECOND)
  const first = server.store(collected(text), AT_FIRST)
  const wrong = server.store(collected(policy('coffee', PER_SECOND, { settings: 'rejectCode: 99' })), LATER)
  expect(wrong.objects).toEqual(first.objects)
  expect(wrong.rejected).toEqual([
    { policy: 'shop/coffee', message: expect.stringMatching(/^the API server rejects it: \/spec/) },
  ])
  expect(server.store(collected(''), LATER)).toEqual({ objects: [], rejected: [] })
  const again = server.store(collected(policy('coffee', PER_SECOND, { settings: 'rejectCode: 99' })), LATER)
  expect(again.objects).toEqual([])
})

test('a policy has the time at which it first was there, and another one when it comes again', () => {
  const server = createApiServer()
  const text = policy('coffee', PER_SECOND)
  server.store(collected(text), AT_FIRST)
  const both = server.store(collected(text.replace('1r/s', '2r/s') + policy('tea', PER_SECOND)), LATER)
  expect(metadataOf(both, 'coffee')).toEqual([expect.objectContaining({ creationTimestamp: AT_FIRST })])
  expect(metadataOf(both, 'tea')).toEqual([expect.objectContaining({ creationTimestamp: LATER })])
  server.store(collected(''), LATER)
  // In the same second, and still younger than what was there before.
  expect(metadataOf(server.store(collected(text), LATER), 'coffee')).toEqual([
    expect.objectContaining({ creationTimestamp: '2026-01-01T00:00:10Z' }),
  ])
  const own = policy('milk', PER_SECOND, { created: '2020-01-01T00:00:00Z' })
  expect(metadataOf(server.store(collected(own), LATER), 'milk')).toEqual([
    expect.objectContaining({ creationTimestamp: '2020-01-01T00:00:00Z' }),
  ])
})

test.each([
  ['a name', policy('coffee-$(SIZE)', PER_SECOND)],
  ['a value', policy('coffee', 'key: $uri, rate: "${RATE}"')],
])('nothing has a placeholder in %s', (_, text) => {
  const { objects, rejected } = createApiServer().store(collected(text), AT_FIRST)
  expect(objects.filter(({ kind }) => kind === 'RateLimitPolicy')).toEqual([])
  const message = expect.stringMatching(/\$[({]\w+[)}] is not filled in$/)
  expect(rejected).toEqual([{ policy: expect.stringMatching(/^shop\/coffee/), message }])
})

test('every namespace exists', () => {
  const { objects } = createApiServer().store(collected(gateway() + route('coffee')), AT_FIRST)
  const metadata = { name: 'shop', labels: { 'kubernetes.io/metadata.name': 'shop' } }
  expect(objects.filter(({ kind }) => kind === 'Namespace')).toEqual([
    { apiVersion: 'v1', kind: 'Namespace', metadata },
  ])
  const given = 'apiVersion: v1\nkind: Namespace\nmetadata: { name: shop, labels: { a: b } }\n---\n'
  const other = createApiServer().store(collected(given + gateway()), AT_FIRST).objects
  expect(other.filter(({ kind }) => kind === 'Namespace')).toHaveLength(1)
})
