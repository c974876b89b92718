import { describe, expect, it } from 'vitest'
import { RULES } from '../../rules/index.ts'
import type { Lookup } from '../../src/world/lookup.ts'
import { withCreationOfNamespaces, worldOfObjects } from '../subjects.ts'
import { createWebhook, NOW, policyOf, reviewOf, type Wishes } from './reviews.ts'

const GATEWAY = { group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' }
const ROUTE = { group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'coffee' }
const bad = policyOf({ rejectCode: 200 })
const worse = policyOf({ rejectCode: 200, logLevel: 'debug' })
const withKey = (key: string, metadata = {}) => policyOf({ rules: [{ key, rate: '10r/s', zoneSize: '10m' }], metadata })

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
  it('passes in silence where nothing is wrong', async () => {
    expect(await validate({ object: policyOf() })).toEqual({ uid: '0b5f', allowed: true })
  })

  it('is denied with a cause for each error', async () => {
    const object = policyOf({
      rejectCode: 200,
      targetRefs: [GATEWAY, { ...GATEWAY, kind: 'HTTPRoute', name: 'coffee' }],
    })
    const { allowed, status, auditAnnotations } = await validate({ object })
    expect(allowed).toBe(false)
    expect(status).toMatchObject({
      code: 422,
      reason: 'Invalid',
      details: {
        name: 'coffee',
        group: 'gateway.nginx.org',
        kind: 'RateLimitPolicy',
        causes: [
          { reason: 'gateway/mixed-target-kinds', field: 'spec.targetRefs[1].kind' },
          { reason: 'gateway/reject-code-range', field: 'spec.rateLimit.rejectCode' },
        ],
      },
    })
    expect(status?.message).toMatch(
      /^RateLimitPolicy "shop\/coffee" is denied: .*Split the policy into .*\[gateway\/mixed-target-kinds\]/,
    )
    expect(auditAnnotations).toEqual({ errors: 'gateway/mixed-target-kinds,gateway/reject-code-range' })
  })

  it('is let through with warnings, each under 120 characters', async () => {
    const { allowed, warnings = [] } = await validate({ object: withKey('$http_authorization') })
    expect(allowed).toBe(true)
    expect(warnings.join('\n')).toContain('[gateway/key-may-be-empty]')
    for (const warning of warnings) expect(warning.length).toBeLessThan(120)
  })

  it('with very many mistakes gets responses of a bounded size', async () => {
    const many = Array.from({ length: 500 }, () => ({ key: '$request_id', rate: '0r/s', zoneSize: '10m' }))
    const { status, warnings = [] } = await validate({ object: policyOf({ rules: many }) })
    expect(status).toMatchObject({ details: { causes: { length: 100 } } })
    expect(Buffer.byteLength(warnings.join(''))).toBeLessThanOrEqual(4096)
    expect(warnings.at(-1)).toMatch(/^and \d+ more findings/)
  })
})

describe('what passes', () => {
  it.each([
    ['a deletion', { operation: 'DELETE', object: null, oldObject: bad }],
    ['a subresource', { operation: 'UPDATE', subResource: 'status', object: worse, oldObject: policyOf() }],
    ['a connection', { operation: 'CONNECT', object: null }],
    ['the policy of another product', { object: { ...bad, apiVersion: 'kuadrant.io/v1' } }],
    ['another kind', { object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } } }],
  ])('%s', async (_, request) => {
    expect(await validate(request)).toEqual({ uid: '0b5f', allowed: true })
  })
})

describe('an update', () => {
  it('that changes a key and not its zone is denied', async () => {
    const { allowed, status } = await update(withKey('$binary_remote_addr'), withKey('$uri'))
    expect(allowed).toBe(false)
    expect(status).toMatchObject({ details: { causes: [{ reason: 'gateway/key-change-without-zone-resize' }] } })
  })

  it('that gives a zone a size which it had with another key before is let through with a warning', async () => {
    const used = [{ size: '10m', key: '$binary_remote_addr' }]
    const annotations = { 'sluice.policy/zones': JSON.stringify([{ zone: 0, used }]) }
    const by = (key: string, zoneSize: string) =>
      policyOf({ rules: [{ key, rate: '1r/s', zoneSize }], metadata: { annotations } })
    const { allowed, warnings } = await update(by('$host', '11m'), by('$uri', '10m'))
    expect({ allowed, warnings: warnings?.join() }).toEqual({
      allowed: true,
      warnings: expect.stringMatching(
        /: this zone had the size 10m with the.*\[gateway\/key-change-without-zone-resize\]/,
      ),
    })
    for (const zoneSize of ['10m', '12m'])
      expect(await update(by('$host', '11m'), by('$binary_remote_addr', zoneSize))).toEqual({
        uid: '0b5f',
        allowed: true,
      })
  })

  it('that corrects a variable which nginx never knew is let through', async () => {
    expect(await update(withKey('$binary_remote_adr'), withKey('$binary_remote_addr'))).toMatchObject({ allowed: true })
  })

  it('that changes the key of a policy without a target is let through', async () => {
    const [before, after] = [withKey('$binary_remote_addr'), withKey('$uri')]
    expect(await update(before, after, { world: worldOfObjects() })).toMatchObject({ allowed: true })
  })

  it('of an object that was bad before is let through with warnings', async () => {
    const { allowed, warnings } = await update(bad, { ...bad, metadata: { ...bad.metadata, labels: { team: 'a' } } })
    expect(allowed).toBe(true)
    expect(warnings?.join()).toContain('[gateway/reject-code-range]')
  })

  it('that adds an error is denied for that one', async () => {
    const { status, warnings } = await update(bad, worse)
    expect(status).toMatchObject({ details: { causes: [{ reason: 'gateway/log-level' }] } })
    expect(warnings?.join()).toContain('[gateway/reject-code-range]')
  })

  it('of a bad object is denied with strict settings', async () => {
    expect(await update(bad, bad, { admission: { strict: true } })).toMatchObject({ allowed: false })
  })

  it.each([
    ['is being deleted', { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['a'] }],
    ['loses a finalizer', { finalizers: [] }],
  ])('of an object that %s is let through, however strict the settings are', async (_, metadata) => {
    const before = policyOf({ rejectCode: 200, metadata: { finalizers: ['a', 'b'] } })
    const after = policyOf({ rejectCode: 200, metadata })
    expect(await update(before, after, { admission: { strict: true, onFault: 'deny' } })).toMatchObject({
      allowed: true,
    })
  })

  it('cannot hide a new error behind a removed finalizer', async () => {
    const before = policyOf({ metadata: { finalizers: ['a'] } })
    expect(await update(before, bad)).toMatchObject({ allowed: false })
  })
})

describe('errors that need other objects', () => {
  const object = withKey('$tenant')

  it('warn, as those may come later', async () => {
    const { allowed, warnings } = await validate({ object })
    expect({ allowed, warnings: warnings?.join() }).toEqual({
      allowed: true,
      warnings: expect.stringContaining('[gateway/key-unknown-variable]'),
    })
  })

  it('deny with crossObject: deny', async () => {
    expect(await validate({ object }, { admission: { crossObject: 'deny' } })).toMatchObject({ allowed: false })
  })

  it('deny an unknown variable where every snippet is known, but not on a dry run', async () => {
    const world = worldOfObjects()
    const { status } = await validate({ object }, { world })
    expect(status).toMatchObject({ details: { causes: [{ reason: 'gateway/key-unknown-variable' }] } })
    expect(await validate({ object, dryRun: true }, { world })).toMatchObject({ allowed: true })
    const snippet = { spec: { snippets: [{ context: 'http', value: 'map $host $tenant { default x; }' }] } }
    const filter = { apiVersion: 'gateway.nginx.org/v1alpha1', kind: 'SnippetsFilter', metadata: { name: 'a' } }
    expect(await validate({ object }, { world: worldOfObjects({ ...filter, ...snippet }) })).toMatchObject({
      allowed: true,
    })
  })

  it.each([
    ['misspelt', '$binary_remote_adr', 'Did you mean "$binary_remote_addr"?'],
    ['glued', '$host_$uri', 'Write "$host:$uri"'],
    ['one of NGINX Plus', '$jwt_claim_sub', 'a variable of NGINX Plus only'],
  ])('deny a variable that is %s always, and suggest another', async (_, key, words) => {
    for (const dryRun of [true, false]) {
      const { status } = await validate({ object: withKey(key), dryRun }, { notSynced: ['SnippetsFilter'] })
      expect(status?.message).toContain(words)
    }
  })

  it('never deny while something may be missing, and that is reported', async () => {
    const wishes = { admission: { crossObject: 'deny' }, notSynced: ['SnippetsFilter'] } as const
    const { allowed, warnings = [] } = await validate({ object }, wishes)
    expect(allowed).toBe(true)
    expect(warnings[0]).toBe(
      'sluice does not know all objects now (SnippetsFilter); checks across objects may be missing',
    )
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

  it('suppresses warnings', async () => {
    const warned = await validate({ object: withKey('everybody') })
    expect(warned.warnings?.join()).toContain('[gateway/key-constant]')
    const quiet = await validate({ object: withKey('everybody', ignoring('gateway/key-constant -- meant')) })
    expect(quiet).toEqual({ uid: '0b5f', allowed: true })
  })

  it('suppresses nothing that it does not name', async () => {
    const other = await validate({ object: withKey('everybody', ignoring('gateway/*, all, key-constant')) })
    expect(other.warnings?.join()).toContain('[gateway/key-constant]')
  })

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
