/** What the webhook denies, where no transcript shows it. The others: `test/fixtures/http/admission/`. */
import { describe, expect, it } from 'vitest'
import { RULES } from '../../rules/index.ts'
import type { Lookup } from '../../src/world/lookup.ts'
import { withCreationOfNamespaces, worldOfObjects } from '../subjects.ts'
import { createWebhook, NOW, policyOf, reviewOf, type Wishes } from './reviews.ts'

const GATEWAY = { group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' }
const ROUTE = { group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'coffee' }
const bad = policyOf({ rejectCode: 200 })
const worse = policyOf({ rejectCode: 200, logLevel: 'debug' })

const validate = (request: Readonly<Record<string, unknown>>, wishes: Wishes = {}) =>
  createWebhook(wishes).ask('/validate', reviewOf(request))
const update = (oldObject: unknown, object: unknown, wishes: Wishes = {}) =>
  validate({ operation: 'UPDATE', oldObject, object }, wishes)

const MINUTE = 60_000
const old: Lookup<number> = { state: 'found', value: NOW - 10 * MINUTE }

/** A world in which every target is absent in namespace "shop", and exists in the namespace "infra". */
const elsewhere = (createdAt: Lookup<number> = old) =>
  withCreationOfNamespaces(
    worldOfObjects(
      ...[GATEWAY, ROUTE].map(({ group, kind, name }) => ({
        apiVersion: `${group}/v1`,
        kind,
        metadata: { name, namespace: 'infra' },
        spec: {},
      })),
    ),
    createdAt,
  )

describe('a new policy', () => {
  it('with very many mistakes gets responses of a bounded size', async () => {
    const many = Array.from({ length: 500 }, () => ({ key: '$request_id', rate: '0r/s', zoneSize: '10m' }))
    const { status, warnings = [] } = await validate({ object: policyOf({ rules: many }) })
    expect(status).toMatchObject({ details: { causes: { length: 100 } } })
    expect(Buffer.byteLength(warnings.join(''))).toBeLessThanOrEqual(4096)
    expect(warnings.at(-1)).toMatch(/^and \d+ more findings/)
  })
})

describe('an update', () => {
  it('that adds an error is denied for that one', async () => {
    const { status, warnings } = await update(bad, worse)
    expect(status).toMatchObject({ details: { causes: [{ reason: 'gateway/log-level' }] } })
    expect(warnings?.join()).toContain('[gateway/reject-code-range]')
  })

  it('cannot hide a new error behind a removed finalizer', async () => {
    const before = policyOf({ metadata: { finalizers: ['a'] } })
    expect(await update(before, bad)).toMatchObject({ allowed: false })
  })
})

describe('a target in another namespace', () => {
  it('denies, and does not name the namespace of others', async () => {
    const { status } = await validate({ object: policyOf() }, { world: elsewhere() })
    expect(status).toMatchObject({ details: { causes: [{ reason: 'gateway/target-namespace' }] } })
    expect(JSON.stringify(status)).not.toContain('infra')
  })

  it('warns on a dry run', async () => {
    const { allowed, warnings } = await validate({ object: policyOf(), dryRun: true }, { world: elsewhere() })
    expect({ allowed, warnings: warnings?.join() }).toEqual({
      allowed: true,
      warnings: expect.stringContaining('[gateway/target-namespace]'),
    })
  })

  it.each<[string, Lookup<number>]>([
    ['young', { state: 'found', value: NOW - 10 * MINUTE + 1 }],
    ['made by a clock that goes fast', { state: 'found', value: NOW + MINUTE }],
    ['so new that the watch has not heard of it', { state: 'absent' }],
    ['not known', { state: 'unknown' }],
  ])('warns where the namespace is %s: the target may be the next to arrive', async (_, createdAt) => {
    const { allowed, warnings } = await validate({ object: policyOf() }, { world: elsewhere(createdAt) })
    expect({ allowed, warnings: warnings?.join() }).toEqual({
      allowed: true,
      warnings: expect.stringContaining('[gateway/target-namespace]'),
    })
  })

  it('denies in a new namespace as well where the reference itself names another', async () => {
    const object = policyOf({ targetRefs: [{ ...GATEWAY, namespace: 'infra' }] })
    const { status } = await validate({ object }, { world: elsewhere({ state: 'absent' }) })
    expect(status).toMatchObject({ details: { causes: [{ field: 'spec.targetRefs[0].namespace' }] } })
  })

  it('is not named by any look-up', () => {
    const { gateways, routes } = elsewhere().forTenant().lookups
    expect([gateways.namespacesOf('edge'), routes.namespacesOf('HTTPRoute', 'coffee')]).toEqual([[''], ['']])
  })
})

describe('settings', () => {
  it('that only warn let through what would be denied, and count it', async () => {
    const { ask, metrics } = createWebhook({ admission: { enforce: 'warn' } })
    const { allowed, warnings } = await ask('/validate', reviewOf({ object: bad }))
    expect(allowed).toBe(true)
    expect(warnings?.[0]).toMatch(/^would be denied: spec\.rateLimit\.rejectCode: /)
    expect(await metrics.metrics()).toContain('sluice_admission_would_deny_total 1\n')
  })
})

describe('the annotation that ignores rules', () => {
  const all = RULES.map(({ id }) => id).join(', ')
  const ignoring = (rules: string) => ({ annotations: { 'sluice.policy/ignore': rules } })

  it('never suppresses an error', async () => {
    for (const rules of [all, `${all} -- urgent`, 'gateway/reject-code-range', 'all', '*']) {
      const object = policyOf({ rejectCode: 200, metadata: ignoring(rules) })
      expect(await validate({ object })).toMatchObject({
        allowed: false,
        status: { details: { causes: [{ reason: 'gateway/reject-code-range' }] } },
      })
      const before = policyOf({ metadata: {} })
      expect(await update(before, object)).toMatchObject({ allowed: false })
    }
  })

  it('does not hide an error that only warns', async () => {
    const worded = async (wishes: Wishes, oldObject: unknown) =>
      (await update(oldObject, policyOf({ rejectCode: 200, metadata: ignoring(all) }), wishes)).warnings?.join()
    expect(await worded({}, bad)).toContain('[gateway/reject-code-range]')
    expect(await worded({ admission: { enforce: 'warn' } }, policyOf())).toContain('would be denied')
  })
})
