/** The examples that the documentation sends people to, through the command line. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { runCommand } from '../../scripts/docs/run-command.ts'
import type { LintReport, ReportedFinding } from '../../src/lint/report.ts'
import { casesOf } from '../support/cases.ts'

const { cases } = casesOf(import.meta.url)

async function lint(...argv: readonly string[]) {
  const { code, stdout, stderr } = await runCommand(['lint', ...argv, '--format', 'json'])
  const { findings, summary }: LintReport = JSON.parse(stdout)
  return { code, stderr, findings, summary }
}

const brief = ({ file, severity, rule, line }: ReportedFinding): string => `${file}:${line} ${severity} ${rule}`

const isLoud = ({ severity }: ReportedFinding): boolean => severity !== 'info'

describe('examples/shop', () => {
  it('has a Gateway, three routes and four policies, a warning or two and no error', async () => {
    const { code, findings, stderr } = await lint('examples/shop')
    expect(findings.filter(isLoud).map(brief)).toEqual(
      cases('has a Gateway, three routes and four policies, a warning or two and no error'),
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })

  it('knows everything about itself: no more is found in a closed world', async () => {
    const [open, closed] = [await lint('examples/shop'), await lint('examples/shop', '--closed-world')]
    expect(closed.findings).toEqual(open.findings)
  })
})

it('examples/api-management has a body without a finding, and one with typical mistakes', async () => {
  const { code, findings, summary } = await lint('examples/api-management')
  expect(findings.map(brief)).toEqual(cases('has a body without a finding, and one with typical mistakes'))
  expect({ code, documents: summary.documents }).toEqual({ code: 1, documents: 2 })
})

describe('examples/mistakes', async () => {
  /** The rules that each file is an example of; nothing else is reported for it, except infos. */
  const MISTAKES = cases<Readonly<Record<string, readonly string[]>>>('MISTAKES')
  const folder = 'examples/mistakes'
  const { code, findings } = await lint(folder)

  it('are all listed here', () => {
    expect(readdirSync(new URL(`../../${folder}`, import.meta.url)).sort()).toEqual(Object.keys(MISTAKES).sort())
    expect(code).toBe(1)
  })

  it.each(Object.entries(MISTAKES))('%s', (name, rules) => {
    const found = findings.filter((finding) => finding.file === `${folder}/${name}` && isLoud(finding))
    expect([...new Set(found.map(({ rule }) => rule))]).toEqual(rules)
  })

  it.each(Object.keys(MISTAKES))('%s reports what its author meant', (name) =>
    expect(readFileSync(new URL(`../../${folder}/${name}`, import.meta.url), 'utf8')).toMatch(/^# Meant: .+[.?]\n/),
  )
})

it('examples/fleet, which was not written for this program gives no false alarm', async () => {
  const { code, findings, stderr } = await lint('examples/fleet')
  expect(findings.filter(isLoud).map(brief)).toEqual([])
  expect(code).toBe(0)
  expect(stderr.match(/^note: examples\/fleet\/\S+/gm)).toEqual(
    ['charts/edge-limits/templates', 'clusters/eu/stock/limits.yaml:'].map((file) => `note: examples/fleet/${file}`),
  )
})
