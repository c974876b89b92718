import fastJsonPatch, { type Operation } from 'fast-json-patch'
import { describe, expect, it } from 'vitest'
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts'
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

const limitsOf = (object: unknown): readonly unknown[] => Object(object).spec.rateLimit.local.rules

/** A cluster in which a policy is applied: its annotations stay, as a manifest does not have them. */
async function createCluster(created: object) {
  let stored: object = created
  return {
    async apply(limit: object): Promise<unknown> {
      const { annotations } = Object(stored).metadata
      const object = policyOf({
        rules: [{ key: '$binary_remote_addr', rate: '10r/s', ...limit }],
        metadata: annotations ? { annotations } : {},
      })
      stored = Object((await mutate({ operation: 'UPDATE', oldObject: stored, object }, RESIZE)).object)
      return stored
    },
  }
}

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
    expect(patch).toContainEqual({ op: 'replace', path: '/spec/rateLimit/local/rules/0/zoneSize', value: '11m' })
    expect((await mutate({ operation: 'UPDATE', oldObject: object, object }, RESIZE)).patch).toEqual([])
    expect((await mutate({ operation: 'UPDATE', oldObject: after, object: after }, RESIZE)).patch).toEqual([])
  })

  it('gives the same manifest, applied again, the size that it wrote once', async () => {
    const cluster = await createCluster(withLimit({ zoneSize: '10m' }))
    const changed = { key: '$uri', zoneSize: '10m' }
    const first = await cluster.apply(changed)
    expect(limitsOf(first)).toEqual([{ key: '$uri', rate: '10r/s', zoneSize: '11m' }])
    expect(await cluster.apply(changed)).toEqual(first)
    expect(limitsOf(await cluster.apply({ ...changed, rate: '20r/s' }))).toMatchObject([
      { rate: '20r/s', zoneSize: '11m' },
    ])
    expect(limitsOf(await cluster.apply({ ...changed, zoneSize: '20m' }))).toMatchObject([{ zoneSize: '20m' }])
    expect(limitsOf(await cluster.apply(changed))).toMatchObject([{ zoneSize: '10m' }])
  })

  it('writes no size that the zone had with another key before', async () => {
    const cluster = await createCluster(withLimit({ zoneSize: '10m' }))
    const sizes: unknown[] = []
    for (const key of ['$uri', '$host', '$scheme', '$server_port', '$host'])
      for (const _ of ['applied', 'applied again'])
        sizes.push(limitsOf(await cluster.apply({ key, zoneSize: '10m' }))[0])
    expect(sizes.map((limit) => Object(limit).zoneSize)).toEqual([
      '11m',
      '11m',
      '10m',
      '10m',
      '12m',
      '12m',
      '10m',
      '10m',
      '13m',
      '13m',
    ])
  })

  it.each(['[', '{}', '[{}]', '[{"zone":0,"written":"x","size":"11m"}]', '[null,7]', ''])(
    'survives notes that somebody else wrote: %s',
    async (text) => {
      const annotations = { 'sluice.policy/zones': text }
      const [oldObject, object] = ['$host', '$uri'].map((key) =>
        policyOf({ rules: [{ key, rate: '10r/s', zoneSize: '10m' }], metadata: { annotations } }),
      )
      const { object: stored } = await mutate({ operation: 'UPDATE', oldObject, object }, RESIZE)
      expect(limitsOf(stored)).toMatchObject([{ zoneSize: '11m' }])
    },
  )

  it('notes nothing where it may not resize', async () => {
    const [oldObject, object] = [withLimit({ zoneSize: '10m' }), withLimit({ key: '$uri', zoneSize: '12m' })]
    expect((await mutate({ operation: 'UPDATE', oldObject, object })).patch).toEqual([])
    expect((await mutate({ operation: 'UPDATE', oldObject, object }, RESIZE)).patch).toEqual([
      {
        op: 'add',
        path: '/metadata/annotations',
        value: { 'sluice.policy/zones': '[{"zone":0,"used":[{"size":"10m","key":"$binary_remote_addr"}]}]' },
      },
    ])
  })

  it('writes a size for a changed key that had none', async () => {
    const change = {
      operation: 'UPDATE',
      oldObject: withLimit({ zoneSize: '10m' }),
      object: withLimit({ key: '$uri' }),
    }
    const { patch } = await mutate(change, RESIZE)
    expect(patch).toContainEqual({ op: 'add', path: '/spec/rateLimit/local/rules/0/zoneSize', value: '11m' })
  })
})

it('neither resizes nor notes zones that are named by their keys', async () => {
  const settings = { ...DEFAULT_SETTINGS, zoneNaming: 'keyed' } as const
  const change = {
    operation: 'UPDATE',
    oldObject: withLimit({ zoneSize: '10m' }),
    object: withLimit({ key: '$uri', zoneSize: '10m' }),
  }
  expect((await mutate(change, { ...RESIZE, settings })).patch).toEqual([])
  expect((await mutate(change, RESIZE)).patch).not.toEqual([])
  const { ask } = createWebhook({ ...RESIZE, settings })
  expect(await ask('/validate', reviewOf(change))).toEqual({ uid: '0b5f', allowed: true })
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
