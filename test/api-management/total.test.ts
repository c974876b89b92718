/** Any JSON may stand in a body: no rule throws on it, and what the rules report is consistent. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parentPointer, valueAt } from '../../src/json/pointer.ts'
import { fixSources } from '../../src/lint/fix.ts'
import { type LintOutcome, lint } from '../../src/lint/lint.ts'
import { type Draft, HOSTILE_TEXTS, mutationsOf, pointersOf, withValueAt } from '../rules/policies.ts'
import { runs } from '../runs.ts'
import { goodBody } from './bodies.ts'

const sourceOf = (body: Draft) => ({ file: 'body.json', text: JSON.stringify(body, null, 1) })

function expectSense(body: Draft, { report, faults, fixes }: LintOutcome): void {
  expect(faults).toEqual([])
  const all = report.findings.map((finding) => JSON.stringify(finding))
  expect(new Set(all).size).toBe(all.length)
  const exists = (at: string) => valueAt(body, at) !== undefined
  for (const finding of report.findings) {
    const { pointer, message, help } = finding
    expect(exists(pointer) || exists(parentPointer(pointer)), pointer).toBe(true)
    expect(`${message} ${help}`).not.toMatch(/undefined|NaN|\[object|Infinity/)
    for (const { op, path } of fixes.get(finding)?.patch ?? [])
      expect(exists(op === 'add' ? parentPointer(path) : path), path).toBe(true)
  }
}

it('a good body has no findings', () => {
  expect(lint([sourceOf(goodBody())]).report).toMatchObject({ findings: [], summary: { documents: 1 } })
})

it('mutated bodies are judged without a fault, against what they were before', () => {
  fc.assert(
    fc.property(mutationsOf(goodBody), mutationsOf(goodBody), (body, before) =>
      expectSense(body, lint([sourceOf(body)], { previous: [sourceOf(before)] })),
    ),
    runs(500),
  )
})

it('fixes of mutated bodies can be read again, and leave nothing to fix', () => {
  const judge = (sources: Parameters<typeof lint>[0]) => lint(sources)
  fc.assert(
    fc.property(mutationsOf(goodBody), (body) => {
      const { left, outcome } = fixSources([sourceOf(body)], judge([sourceOf(body)]), {
        kinds: new Set(['safe']),
        judge,
      })
      expect([left, outcome.fixes.size]).toEqual([[], 0])
    }),
    runs(300),
  )
})

describe('hostile texts', () => {
  it.each(HOSTILE_TEXTS.map((text) => ({ start: JSON.stringify(text.slice(0, 8)), text })))(
    'beginning with $start are judged, wherever they stand',
    ({ text }) => {
      for (const pointer of pointersOf(goodBody()).filter((at) => at !== '')) {
        const body = withValueAt(goodBody(), pointer, text)
        expectSense(body, lint([sourceOf(body)]))
      }
    },
  )
})
