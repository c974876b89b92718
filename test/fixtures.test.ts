/** Every rule against its fixtures. `npm run fixtures` writes the expected reports again; read the diff. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { RULES } from '../rules/index.ts'
import { lint } from '../src/lint/lint.ts'
import type { ReportedFinding } from '../src/lint/report.ts'
import { type Fixture, readFixtures, sourceOf as textSource } from './fixtures.ts'
import { patched, valuesIn } from './patches.ts'

const fixtures = readFixtures()
const record = process.env.SLUICE_RECORD === '1'

const sourceOf = ({ name, namespace }: Fixture, text: string) => textSource(name, text, namespace)

function findingsOf(fixture: Fixture): readonly ReportedFinding[] {
  const { text, previous, options } = fixture
  const before = previous === undefined ? [] : [sourceOf(fixture, previous)]
  const { report, faults } = lint([sourceOf(fixture, text)], { ...options, previous: before })
  expect(faults).toEqual([])
  return report.findings
}

/** One line a finding, as the expected reports hold them. */
const print = ({ line, column, endLine, endColumn, severity, rule, pointer, message, help }: ReportedFinding): string =>
  `${line}:${column}-${endLine}:${endColumn} ${severity} ${rule} ${pointer || '-'}\n  ${message}\n  ${help}\n`

describe.each(RULES.map(({ id, fix }) => ({ id, fix })))('$id', ({ id, fix }) => {
  const own = fixtures.filter(({ rule }) => rule === id)
  const bad = own.filter(({ name }) => name.startsWith('bad'))
  const good = own.filter(({ name }) => name.startsWith('good'))
  const fixed = own.filter(({ name }) => name.startsWith('fixed'))

  it('has at least two bad fixtures, a good one, and a fixed one if it has a fix', () => {
    expect(bad.length).toBeGreaterThanOrEqual(2)
    expect(good.length).toBeGreaterThanOrEqual(1)
    expect(fixed.length).toBeGreaterThanOrEqual(fix ? 1 : 0)
  })

  it.each(bad)('finds what is wrong in $name', (fixture) => {
    const findings = findingsOf(fixture)
    const printed = findings.map(print).join('')
    const expected = fixture.path.replace(/\.\w+$/, '.out')
    if (record) writeFileSync(expected, printed)
    expect(findings.map(({ rule }) => rule)).toContain(id)
    expect(existsSync(expected), `${expected} is missing: npm run fixtures`).toBe(true)
    expect(printed).toBe(readFileSync(expected, 'utf8'))
  })

  it.each(fixed)('fixes what is wrong, as in $name, and does not report it again', (fixture) => {
    const broken = bad.find(({ name }) => name.replace('bad', 'fixed') === fixture.name)
    if (!broken) throw new Error(`no bad fixture stands beside ${fixture.name}`)
    const { options, text, previous } = broken
    const before = previous === undefined ? undefined : sourceOf(broken, previous)
    expect(patched(sourceOf(broken, text), { ...options, rule: id, previous: before })).toEqual(valuesIn(fixture.text))
    expect(findingsOf(fixture).filter(({ rule }) => rule === id)).toEqual([])
  })

  it.each(good)('reports nothing on $name, and neither do the other rules', (fixture) =>
    expect(findingsOf(fixture)).toEqual([]),
  )
})

it('has no fixture of a rule that does not exist', () => {
  const ids = new Set(RULES.map(({ id }) => id))
  expect([...new Set(fixtures.map(({ rule }) => rule))].filter((rule) => !ids.has(rule))).toEqual([])
})
