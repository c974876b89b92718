/** A new system is one entry, a reader and rules: lint, world and webhook take it without a change in src/. */
import { describe, expect, it } from 'vitest'
import { observedObjects, reviewedObjects, watchedResources } from '../../src/installation/reviewed.ts'
import { createEditor } from '../../src/lint/fix.ts'
import { lint } from '../../src/lint/lint.ts'
import { createWebhook, reviewOf } from '../servers/reviews.ts'
import { worldsIn } from '../subjects.ts'
import { casesOf } from '../support/cases.ts'
import { cup, kettle, stateOfCup, WITH_TEA } from './tea.ts'

const { cases } = casesOf(import.meta.url)

const KETTLE_TEXT = cases<string>('KETTLE_TEXT')

describe('a system of two kinds', () => {
  it('is judged in texts, with the places of its findings and their fixes', () => {
    const outcome = lint([{ file: 'kettle.yaml', text: KETTLE_TEXT }], WITH_TEA)
    expect(outcome.report.findings).toMatchObject(
      cases<object>('is judged in texts, with the places of its findings and their fixes'),
    )
    const [finding] = outcome.report.findings
    expect(finding && createEditor(outcome)(finding)).toMatchObject([{ text: '2' }])
  })

  it('is judged as objects, beside those of other systems', () => {
    const gateway = { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'Gateway', metadata: { name: 'a' }, spec: {} }
    const sources = [
      { object: kettle({ water: 3, cups: ['blue', 'red'] }) },
      { object: cup('blue') },
      { object: gateway },
    ]
    const { report } = lint(sources, { ...WITH_TEA, closedWorld: true })
    expect(report.findings.map(({ rule, file, message }) => [rule, file, message])).toEqual(
      cases('is judged as objects, beside those of other systems'),
    )
    expect(report.summary).toMatchObject({ documents: 3 })
  })

  it('is looked up: found, absent in a closed world, unknown in an open one', () => {
    const stateOf = (name: string, closedWorld: boolean) => {
      const [judged] = worldsIn([{ object: cup('blue') }], { ...WITH_TEA, closedWorld })
      return stateOfCup(judged?.world.lookups, name)
    }
    expect([stateOf('blue', true), stateOf('red', true), stateOf('red', false)]).toEqual(['found', 'absent', 'unknown'])
  })

  it('can be suppressed by a comment, and a comment that suppresses nothing is reported', () => {
    const text = KETTLE_TEXT.replace('water: 3', 'water: 3 # sluice-disable-line tea/too-much-water -- a large kettle')
    const outcome = lint([{ file: 'kettle.yaml', text }], WITH_TEA)
    expect(outcome.report).toMatchObject({ findings: [], suppressed: [{ rule: 'tea/too-much-water' }] })
    const unused = lint([{ file: 'kettle.yaml', text: text.replace('water: 3', 'water: 1') }], WITH_TEA)
    expect(unused.report.findings).toMatchObject([{ rule: 'document/suppression' }])
  })

  it('has its syntax errors reported', () => {
    const { report } = lint([{ file: 'kettle.yaml', text: KETTLE_TEXT.replace('[blue', '[blue: [') }], WITH_TEA)
    expect(report.findings).toMatchObject([{ rule: 'document/syntax' }])
  })

  it('is unknown to a run without it', () => {
    const { report } = lint([{ file: 'kettle.yaml', text: KETTLE_TEXT }, { object: kettle({ water: 9 }) }])
    expect(report).toMatchObject({ findings: [], summary: { documents: 0 } })
  })
})

describe('the webhook', () => {
  const { systems, rules } = WITH_TEA
  const [judged] = worldsIn([{ object: cup('blue') }], { systems, closedWorld: true })
  const ask = (path: '/validate' | '/mutate', object: object) =>
    createWebhook({ systems, rules, ...(judged ? { world: judged.world } : {}) }).ask(
      path,
      reviewOf({ object, name: 'whistle' }),
    )

  it('denies its errors and warns of what depends on other objects', async () => {
    const { allowed, status, warnings } = await ask('/validate', kettle({ water: 3, cups: ['blue', 'red'] }))
    expect({ allowed, warnings }).toEqual(cases('denies its errors and warns of what depends on other objects'))
    expect(status).toMatchObject({
      message: expect.stringContaining('Kettle "shop/whistle" is denied'),
      details: { kind: 'Kettle', causes: [{ reason: 'tea/too-much-water', field: 'spec.water' }] },
    })
  })

  it('writes its safe fixes', async () => {
    const { patch = '' } = await ask('/mutate', kettle({ water: 3 }))
    expect(JSON.parse(Buffer.from(patch, 'base64').toString())).toEqual([
      { op: 'replace', path: '/spec/water', value: 2 },
    ])
  })

  it('is installed for its kinds', () => {
    const GROUP = 'tea.example.com'
    expect(reviewedObjects(rules, systems).find(({ group }) => group === GROUP)).toMatchObject(
      cases<object>('is installed for its kinds'),
    )
    expect(observedObjects(systems).find(({ group }) => group === GROUP)).toMatchObject({ resources: ['cups'] })
    expect(watchedResources(systems).find(({ group }) => group === GROUP)).toMatchObject({
      resources: ['cups', 'kettles'],
    })
  })
})
