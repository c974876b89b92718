import fc from 'fast-check'
import MarkdownIt from 'markdown-it'
import { describe, expect, it } from 'vitest'
import { escapeUnsafe } from '../../src/reports/characters.ts'
import { markdown } from '../../src/reports/lint/markdown.ts'
import { hostileReport } from './hostile.ts'
import { context, finding, reportOf, suppressedFinding } from './report.ts'

const parser = new MarkdownIt({ html: true, linkify: true })

/** The cells of all tables, with entities, code and tags turned into the text that a reader sees. */
function cellsOf(rendered: string): readonly (readonly string[])[] {
  const html = parser.render(rendered)
  return [...html.matchAll(/<tr>(.*?)<\/tr>/gs)]
    .map(([, row = '']) => [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = '']) => seen(cell)))
    .filter((cells) => cells.length > 0)
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }

const seen = (html: string): string =>
  html
    .replaceAll('<br>', '\n')
    .replace(/<\/?code>/g, '')
    .replaceAll('\u200b', '')
    .replace(/&(amp|lt|gt|quot);/g, (_, name: string) => NAMED[name] ?? '')

/** Quotes become code, spaces at the ends are removed, and HTML has no noncharacters. */
const comparable = (text: string): string =>
  text
    .replace(/["\u200b]/g, '')
    .replace(/\p{Noncharacter_Code_Point}/gu, '\ufffd')
    .trim()

const warning = finding({ severity: 'warning' })

describe('the Markdown report', () => {
  it('shows errors and folds the rest', () => {
    const report = reportOf([warning, finding()], { suppressed: [suppressedFinding()] })
    expect(markdown.render(report, context(''))).toBe(`### sluice: 1 error, 1 warning

14 files, 9 documents; 1 suppressed

| place | finding | rule |
|---|---|---|
| \`k8s/coffee.yaml:2:7\` | \`10R/S\` is not a valid rate<br>Write \`10r/s\`. | \`gateway/rate-syntax\` |

<details><summary>Warnings (1)</summary>

| place | finding | rule |
|---|---|---|
| \`k8s/coffee.yaml:2:7\` | \`10R/S\` is not a valid rate<br>Write \`10r/s\`. | \`gateway/rate-syntax\` |

</details>
`)
  })

  it('reports that there are no problems', () => {
    expect(markdown.render(reportOf([finding({ severity: 'info' })]), context(''))).toBe(
      '### sluice: no problems\n\n14 files, 9 documents; 1 info with `--info`\n',
    )
  })

  it('counts the findings of each rule with --statistics', () => {
    const rendered = markdown.render(reportOf([finding(), warning]), context('', { statistics: true }))
    expect(cellsOf(rendered).at(-1)).toEqual(['gateway/rate-syntax', '2', '0'])
  })

  it('fits a comment on GitHub, most severe first, with a count of the others', () => {
    const report = reportOf([
      ...Array.from({ length: 5000 }, (_, line) => finding({ line: line + 1, severity: 'warning' })),
      ...Array.from({ length: 100 }, (_, line) => finding({ line: line + 1, message: 'x'.repeat(10_000) })),
    ])
    const rendered = markdown.render(report, context('', { statistics: true }))
    expect(rendered.length).toBeLessThan(65_536)
    const rows = cellsOf(rendered).length - 1
    expect(rendered).toContain('### sluice: 100 errors, 5,000 warnings')
    expect(rendered).toMatch(/\n… and [\d,]+ (errors?, 5,000 )?warnings more; `sluice lint` lists them all\.\n/)
    expect(rows).toBeGreaterThan(50)
    expect(cellsOf(rendered)[0]?.[1]).toBe(`${'x'.repeat(600)}…\nWrite "10r/s".`.replaceAll('"', ''))
  })

  it('contains no mention, link or markup from a manifest', () => {
    const message = 'by @team in #12, see https://example.com or www.example.com <b>now</b> **so** $x$'
    const html = parser.render(markdown.render(reportOf([finding({ message, help: '' })]), context('')))
    expect(html).not.toMatch(/<a |<b>|<strong>|@team|#12/)
  })

  it('contains the findings, whatever their text', () => {
    fc.assert(
      fc.property(hostileReport, (report) => {
        const errors = report.findings.filter(({ severity }) => severity === 'error')
        const rendered = markdown.render(reportOf(errors), context(''))
        const expected = errors.map(({ file, line, column, message, help, rule }) => [
          escapeUnsafe(`${file}:${line}:${column}`),
          [message, help]
            .filter((part) => part !== '')
            .map(escapeUnsafe)
            .join('\n'),
          rule,
        ])
        expect(cellsOf(rendered).map((cells) => cells.map(comparable))).toEqual(
          expected.map((cells) => cells.map(comparable)),
        )
      }),
    )
  })
})
