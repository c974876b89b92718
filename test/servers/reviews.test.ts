/** Reviews where no transcript shows it: rules that throw, and responses of a bounded size. All else: `test/fixtures/http/admission/`. */
import { describe, expect, it } from 'vitest'
import noLimits from '../../rules/gateway/no-limits.ts'
import { RULES } from '../../rules/index.ts'
import { rule } from '../../src/gateway/rule.ts'
import { worldOfObjects } from '../subjects.ts'
import { createWebhook, policyOf, reviewOf } from './reviews.ts'

const bad = policyOf({ rejectCode: 200 })

const ROUTE = {
  ...{ apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute' },
  ...{ metadata: { name: 'coffee', namespace: 'shop' }, spec: { parentRefs: [{ name: 'edge' }] } },
}

describe('a rule that throws', () => {
  const broken = rule({
    ...noLimits,
    id: 'gateway/broken',
    check() {
      throw new Error('secret of the inside')
    },
  })

  it('does not affect the other rules, is logged and counted', async () => {
    const { ask, metrics, lines } = createWebhook({ rules: [broken, ...RULES] })
    const good = await ask('/validate', reviewOf({ object: policyOf() }))
    expect(good).toMatchObject({ allowed: true, warnings: [expect.stringContaining('rule gateway/broken failed')] })
    expect(await ask('/validate', reviewOf({ object: bad }))).toMatchObject({ allowed: false })
    expect(await metrics.metrics()).toContain('sluice_admission_rule_faults_total{rule="gateway/broken"} 2\n')
    expect(lines.find(({ level }) => level === 'error')).toMatchObject({ fields: { rule: 'gateway/broken' } })
  })

  it('denies with onFault: deny, without internal details', async () => {
    const { ask } = createWebhook({ rules: [broken], admission: { onFault: 'deny' } })
    const { allowed, status } = await ask('/validate', reviewOf({ object: policyOf() }))
    expect({ allowed, code: status?.code }).toEqual({ allowed: false, code: 500 })
    expect(JSON.stringify(status)).not.toContain('secret')
  })
})

it('a new policy with very many mistakes gets responses of a bounded size', async () => {
  const many = Array.from({ length: 500 }, () => ({ key: '$request_id', rate: '0r/s', zoneSize: '10m' }))
  const { ask } = createWebhook()
  const { status, warnings = [] } = await ask('/validate', reviewOf({ object: policyOf({ rules: many }) }))
  expect(status).toMatchObject({ details: { causes: { length: 100 } } })
  expect(Buffer.byteLength(warnings.join(''))).toBeLessThanOrEqual(4096)
  expect(warnings.at(-1)).toMatch(/^and \d+ more findings/)
})

it('no look-up of a tenant names the namespace of others', () => {
  const gateway = { ...ROUTE, kind: 'Gateway', metadata: { name: 'edge', namespace: 'shop' }, spec: {} }
  const { gateways, routes } = worldOfObjects(ROUTE, gateway).forTenant().lookups
  expect([gateways.namespacesOf('edge'), routes.namespacesOf('HTTPRoute', 'coffee')]).toEqual([[''], ['']])
})

it('of a changed route, 200 policies are looked at and no more, and each of these reported', async () => {
  const warningsAbout = async (count: number) => {
    const policies = Array.from({ length: count }, (_, index) => policyOf({ metadata: { name: `slow-${index}` } }))
    const { ask } = createWebhook({ world: worldOfObjects(ROUTE, ...policies) })
    const review = reviewOf({ operation: 'DELETE', object: null, oldObject: ROUTE })
    const { warnings = [] } = await ask('/observe', review)
    const more = /^and (\d+) more findings/.exec(warnings.at(-1) ?? '')?.[1]
    return warnings.length - 1 + Number(more)
  }
  // Each of them loses its last target, and names a route that does not exist.
  expect(await warningsAbout(199)).toBe(398)
  expect(await warningsAbout(200)).toBe(400)
  expect(await warningsAbout(201)).toBe(400)
})
