/** What the webhook makes of policies that are applied again, and of every fixture. All else: `test/fixtures/http/admission/`. */
import fastJsonPatch, { type Operation } from 'fast-json-patch'
import { describe, expect, it } from 'vitest'
import { readFixtures } from '../fixtures.ts'
import { valuesIn } from '../patches.ts'
import { createWebhook, policyOf, reviewOf } from './reviews.ts'

type Patched = { readonly patch: readonly Operation[]; readonly object: unknown }

const PLAIN = createWebhook()
const RESIZE = createWebhook({ admission: { keyChange: 'resize' } })

/** What `/mutate` makes of an object, and its patch. */
async function mutate(request: Readonly<Record<string, unknown>>, webhook = PLAIN): Promise<Patched> {
  const { patch: encoded, allowed } = await webhook.ask('/mutate', reviewOf(request))
  expect(allowed).toBe(true)
  const patch: Operation[] = encoded === undefined ? [] : JSON.parse(Buffer.from(encoded, 'base64').toString())
  return { patch, object: fastJsonPatch.applyPatch(structuredClone(request.object), patch, true).newDocument }
}

const withLimit = (limit: object) => policyOf({ rules: [{ key: '$binary_remote_addr', rate: '10r/s', ...limit }] })

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
    const written = sizes.map((limit) => Object(limit).zoneSize).join(' ')
    expect(written).toBe('11m 11m 10m 10m 12m 12m 10m 10m 13m 13m')
  })
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
