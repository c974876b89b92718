/** Any JSON may call itself a RateLimitPolicy: no rule throws on it, and what the rules report is consistent. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { manifest } from '../../rules/gateway/manifest.ts'
import { RULES } from '../../rules/index.ts'
import type { Finding } from '../../src/engine/finding.ts'
import { createJudge } from '../../src/engine/run.ts'
import { splitByTemplate } from '../../src/files/discover/stdin.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { parentPointer, valueAt } from '../../src/json/pointer.ts'
import { lint } from '../../src/lint/lint.ts'
import type { LocatedSubject } from '../../src/project/subjects.ts'
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts'
import { subjectsIn } from '../subjects.ts'
import { casesOf } from '../support/cases.ts'
import { holdsFor } from '../support/holds.ts'
import { anyJson, type Draft, goodPolicy, HOSTILE_TEXTS, mutatedPolicy, pointersOf, withValueAt } from './policies.ts'

const { cases } = casesOf(import.meta.url)

const OTHERS = cases<readonly JsonObject[]>('OTHERS')

const asSource = (...objects: unknown[]) => ({
  file: 'objects.json',
  text: JSON.stringify({ kind: 'List', apiVersion: 'v1', items: [...objects, ...OTHERS] }),
})

/** Judges without a net: a rule that throws fails the test. */
function judge(policies: Draft[], before: Draft[]): readonly Finding<LocatedSubject>[] {
  const judgeSubject = createJudge<LocatedSubject>({ rules: RULES, settings: DEFAULT_SETTINGS })
  const previous = [asSource(...before)]
  return subjectsIn([asSource(...policies)], { previous, closedWorld: true }).flatMap(judgeSubject)
}

function expectSense(findings: readonly Finding<LocatedSubject>[]): void {
  const seen = new Set<string>()
  for (const { subject, rule, message, pointer, data, patch = [] } of findings) {
    const { object = {} } = subject
    const exists = (at: string) => valueAt(object, at) !== undefined
    expect(exists(pointer) || exists(parentPointer(pointer)), `${rule} points to ${pointer}`).toBe(true)
    for (const { op, path } of patch)
      expect(exists(op === 'add' ? parentPointer(path) : path), `${rule} patches ${path}`).toBe(true)
    const said = JSON.stringify([subject.identity, subject.origin.base, rule, pointer, message, data])
    expect(seen, 'said twice').not.toContain(said)
    seen.add(said)
  }
}

/** The rest of a policy may be any JSON, where it calls itself one. */
const selfStyled = fc
  .dictionary(fc.constantFrom('metadata', 'spec', 'status', 'data', 'name'), anyJson)
  .map((rest): Draft => ({ ...rest, apiVersion: 'gateway.nginx.org/v1alpha1', kind: 'RateLimitPolicy' }))

describe.each([
  ['mutated policies', mutatedPolicy],
  ['any JSON that calls itself a policy', selfStyled],
] as const)('%s', (_, policy) => {
  it('are judged without a fault, beside each other and against what they were before', () =>
    holdsFor(300)(
      fc.array(policy, { minLength: 1, maxLength: 3 }),
      fc.array(policy, { maxLength: 2 }),
      (now, before) => void expectSense(judge(now, before)),
    ))

  it('are reported with messages and places, each finding once', () =>
    holdsFor(200)(policy, (object) => {
      const { report, faults } = lint([asSource(object)], { closedWorld: true })
      expect(faults).toEqual([])
      const all = report.findings.map((finding) => JSON.stringify(finding))
      expect(new Set(all).size).toBe(all.length)
      for (const { message, help } of report.findings)
        expect(`${message} ${help}`).not.toMatch(/undefined|NaN|\[object/)
    }))
})

it('reports nothing about the good policy', () =>
  expect(lint([asSource(goodPolicy())], { closedWorld: true }).report.findings).toEqual([]))

describe('hostile texts', () => {
  const places = pointersOf(goodPolicy()).filter((pointer) => !/^(?:|\/kind|\/apiVersion)$/.test(pointer))

  it.each(HOSTILE_TEXTS.map((text) => ({ start: JSON.stringify(text.slice(0, 8)), text })))(
    'beginning with $start are judged, wherever they stand',
    ({ text }) => {
      const policies = places.map((pointer) => withValueAt(goodPolicy(), pointer, text))
      for (const policy of policies) expectSense(judge([policy], [goodPolicy()]))
    },
  )
})

/** Texts of megabytes: no regular expression that meets them may run out of stack. */

const LENGTH = 10_000_000

describe('texts of megabytes', () => {
  it.each([
    ['gateway/zone-size-syntax', `{ key: a, rate: 1r/s, zoneSize: "${'1'.repeat(LENGTH)}" }`],
    ['gateway/key-too-long', `{ key: "$http_x${'-a'.repeat(LENGTH / 2)}", rate: 1r/s }`],
  ])('%s', (rule, limit) => {
    const { report, faults } = lint([{ file: 'a.yaml', text: manifest({ limits: [limit] }) }])
    expect(faults).toEqual([])
    expect(report.findings.map((finding) => finding.rule)).toContain(rule)
  })

  it('the path of a template', () => {
    const path = `shop${'/a'.repeat(LENGTH / 2)}`
    expect(splitByTemplate(`---\n# Source: ${path}\na: 1\n`, '-').map(({ file }) => file === path)).toEqual([true])
  })
})
