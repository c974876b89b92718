/** The examples that the documentation sends people to, through the command line. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { runCommand } from '../../scripts/docs/run-command.ts'
import type { LintReport, ReportedFinding } from '../../src/lint/report.ts'

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
    expect(findings.filter(isLoud).map(brief)).toEqual([
      'examples/shop/limits/menu.yaml:36 warning gateway/delay-not-below-burst',
      'examples/shop/limits/orders.yaml:14 warning gateway/key-may-be-empty',
    ])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })

  it('knows everything about itself: no more is found in a closed world', async () => {
    const [open, closed] = [await lint('examples/shop'), await lint('examples/shop', '--closed-world')]
    expect(closed.findings).toEqual(open.findings)
  })
})

describe('examples/api-management', () =>
  it('has a body without a finding, and one with typical mistakes', async () => {
    const { code, findings, summary } = await lint('examples/api-management')
    expect(findings.map(brief)).toEqual([
      'examples/api-management/mistakes.json:8 error api-management/grpc-status-code',
      'examples/api-management/mistakes.json:9 warning api-management/throttle-placement',
      'examples/api-management/mistakes.json:11 error api-management/rate-syntax',
      'examples/api-management/mistakes.json:11 error api-management/rate-limit-by',
      'examples/api-management/mistakes.json:11 error api-management/zone-size-syntax',
      'examples/api-management/mistakes.json:12 warning api-management/consumer-without-authentication',
      'examples/api-management/mistakes.json:12 warning api-management/delay-without-burst',
    ])
    expect({ code, documents: summary.documents }).toEqual({ code: 1, documents: 2 })
  }))

describe('examples/mistakes', async () => {
  /** The rules that each file is an example of; nothing else is reported for it, except infos. */
  const MISTAKES: Readonly<Record<string, readonly string[]>> = {
    'close-the-connection.yaml': ['gateway/reject-code-effect'],
    'debug-log.yaml': ['gateway/log-level'],
    'delay-and-no-delay.yaml': ['gateway/delay-and-no-delay'],
    'delay-as-large-as-burst.yaml': ['gateway/delay-not-below-burst'],
    'delay-without-burst.yaml': ['gateway/delay-without-burst'],
    'fast-without-burst.yaml': ['gateway/rate-granularity'],
    'gateway-and-route.yaml': ['gateway/mixed-target-kinds'],
    'joined-variables.yaml': ['gateway/key-unknown-variable'],
    'key-of-its-own.yaml': ['gateway/key-unique'],
    'key-written-twice.yaml': ['document/duplicate-key'],
    'limit-a-service.yaml': ['gateway/target-kind'],
    'long-queue.yaml': ['gateway/queue-latency'],
    'lost-indentation.yaml': ['document/syntax'],
    'misspelt-variable.yaml': ['gateway/key-unknown-variable'],
    'one-bucket-for-all.yaml': ['gateway/key-constant'],
    'one-listener-only.yaml': ['gateway/unknown-field'],
    'optional-api-key.yaml': ['gateway/key-may-be-empty'],
    'rate-in-capitals.yaml': ['gateway/rate-syntax'],
    'rate-of-nothing.yaml': ['gateway/rate-zero'],
    'rate-per-hour.yaml': ['gateway/rate-syntax'],
    'redirect-instead-of-reject.yaml': ['gateway/reject-code-range'],
    'reject-code-in-local.yaml': ['gateway/unknown-field'],
    'route-next-door.yaml': ['gateway/target-namespace'],
    'stable-version.yaml': ['gateway/api-version'],
    'two-owners.yaml': ['gateway/conflict'],
    'zone-of-a-gigabyte.yaml': ['gateway/zone-size-unit'],
    'zone-too-small.yaml': ['gateway/zone-size-minimum'],
  }
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

describe('examples/fleet, which was not written for this program', () =>
  it('gives no false alarm', async () => {
    const { code, findings, stderr } = await lint('examples/fleet')
    expect(findings.filter(isLoud).map(brief)).toEqual([])
    expect(code).toBe(0)
    expect(stderr.match(/^note: examples\/fleet\/\S+/gm)).toEqual(
      ['charts/edge-limits/templates', 'clusters/eu/stock/limits.yaml:'].map((file) => `note: examples/fleet/${file}`),
    )
  }))
