import fastJsonPatch, { type Operation } from 'fast-json-patch'
import { describe, expect, it } from 'vitest'
import { readFixtures } from '../fixtures.ts'
import { valuesIn } from '../patches.ts'
import { createWebhook, policyOf, reviewOf, type Wishes } from './reviews.ts'

type Patched = { readonly patch: readonly Operation[]; readonly object: unknown }

/** What `/mutate` makes of an object, and its patch. */
async function mutate(request: Readonly<Record<string, unknown>>, wishes: Wishes = {}): Promise<Patched> {
  const { patch: encoded, allowed } = await createWebhook(wishes).ask('/mutate', reviewOf(request))
  expect(allowed).toBe(true)
  const patch: Operation[] = encoded === undefined ? [] : JSON.parse(Buffer.from(encoded, 'base64').toString())
  return { patch, object: fastJsonPatch.applyPatch(structuredClone(request.object), patch, true).newDocument }
}

const withLimit = (limit: object) => policyOf({ rules: [{ key: '$binary_remote_addr', rate: '10r/s', ...limit }] })
const RESIZE = { admission: { keyChange: 'resize' } } as const

describe('mutation', () => {
  it('fixes what is safe to fix, and all of it at once', async () => {
    const object = policyOf({
      targetRefs: [{ kind: 'HTTPRoute', name: 'coffee' }],
      rules: [
        { key: '$uri', rate: '10R/S' },
        { key: '$uri', rate: '10r/s', zoneSize: '10M' },
      ],
    })
    const { patch } = await mutate({ object })
    expect([...patch].sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
      { op: 'replace', path: '/spec/rateLimit/local/rules/0/rate', value: '10r/s' },
      { op: 'add', path: '/spec/rateLimit/local/rules/0/zoneSize', value: '10m' },
      { op: 'replace', path: '/spec/rateLimit/local/rules/1/zoneSize', value: '10m' },
      { op: 'add', path: '/spec/targetRefs/0/group', value: 'gateway.networking.k8s.io' },
    ])
  })

  it('leaves a good policy as it is', async () => {
    const { ask } = createWebhook()
    expect(await ask('/mutate', reviewOf({ object: withLimit({ zoneSize: '10m' }) }))).toEqual({
      uid: '0b5f',
      allowed: true,
    })
  })

  it.each([
    ['a deletion', { operation: 'DELETE', object: null, oldObject: withLimit({}) }],
    ['a status', { operation: 'UPDATE', subResource: 'status', object: withLimit({}), oldObject: withLimit({}) }],
    [
      'an object that leaves',
      {
        object: policyOf({
          rules: [{ key: '$uri', rate: '1r/s' }],
          metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' },
        }),
      },
    ],
    ['a wrong apiVersion', { object: { ...withLimit({ zoneSize: '10m' }), apiVersion: 'gateway.nginx.com/v1alpha1' } }],
  ])('does not touch %s', async (_, request) => {
    expect((await mutate(request)).patch).toEqual([])
  })

  it('changes the zone of a changed key only where the settings ask for it, and once', async () => {
    const [before, after] = [withLimit({ zoneSize: '10m' }), withLimit({ key: '$uri', zoneSize: '10m' })]
    const change = { operation: 'UPDATE', oldObject: before, object: after }
    expect((await mutate(change)).patch).toEqual([])
    const { patch, object } = await mutate(change, RESIZE)
    expect(patch).toEqual([{ op: 'replace', path: '/spec/rateLimit/local/rules/0/zoneSize', value: '11m' }])
    expect((await mutate({ operation: 'UPDATE', oldObject: object, object: after }, RESIZE)).patch).toEqual([])
    expect((await mutate({ operation: 'UPDATE', oldObject: after, object: after }, RESIZE)).patch).toEqual([])
  })

  it('writes a size for a changed key that had none', async () => {
    const change = {
      operation: 'UPDATE',
      oldObject: withLimit({ zoneSize: '10m' }),
      object: withLimit({ key: '$uri' }),
    }
    const { patch } = await mutate(change, RESIZE)
    expect(patch).toEqual([{ op: 'add', path: '/spec/rateLimit/local/rules/0/zoneSize', value: '11m' }])
  })
})

it('fixes also what an annotation suppresses', async () => {
  const metadata = { annotations: { 'sluice.policy/ignore': 'gateway/rate-syntax, gateway/zone-size-implicit' } }
  const { patch } = await mutate({ object: policyOf({ rules: [{ key: '$uri', rate: '10R/S' }], metadata }) })
  expect(patch.map(({ path }) => path).sort()).toEqual([
    '/spec/rateLimit/local/rules/0/rate',
    '/spec/rateLimit/local/rules/0/zoneSize',
  ])
})

describe('of every fixture, mutation', () => {
  const objects = readFixtures()
    .filter(({ rule }) => rule.startsWith('gateway/'))
    .flatMap(({ rule, name, text }) =>
      valuesIn(text).flatMap((object) =>
        typeof object === 'object' && object !== null ? [{ title: `${rule} ${name}`, object }] : [],
      ),
    )

  it.each(objects)('is idempotent and leaves alone what being absent means: $title', async ({ object }) => {
    const { patch, object: fixed } = await mutate({ object }, RESIZE)
    for (const { path } of patch) expect(path).not.toMatch(/dryRun|logLevel|rejectCode|^\/apiVersion|^\/metadata/)
    expect((await mutate({ object: fixed }, RESIZE)).patch).toEqual([])
  })
})
