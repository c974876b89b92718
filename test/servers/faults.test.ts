import { describe, expect, it } from 'vitest'
import noLimits from '../../rules/gateway/no-limits.ts'
import { RULES } from '../../rules/index.ts'
import { rule } from '../../src/gateway/rule.ts'
import { createWebhook, policyOf, reviewOf } from './reviews.ts'

const bad = policyOf({ rejectCode: 200 })

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
