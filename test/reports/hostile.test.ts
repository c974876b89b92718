/** Reports of findings whose texts have a meaning in some format, and of very many findings. */
import fc from 'fast-check'
import MarkdownIt from 'markdown-it'
import { describe, expect, it } from 'vitest'
import { escapeUnsafe } from '../../src/reports/characters.ts'
import { escapeLogCommands } from '../../src/reports/escapes.ts'
import { FORMATS } from '../../src/reports/lint/formats.ts'
import { github } from '../../src/reports/lint/github.ts'
import { gitlab } from '../../src/reports/lint/gitlab.ts'
import { junit } from '../../src/reports/lint/junit.ts'
import { markdown } from '../../src/reports/lint/markdown.ts'
import { holds } from '../support/holds.ts'
import { hostileReport, hostileText, inXml, logLines, parseXml, readCommand } from './hostile.ts'
import { context, finding, reportOf } from './report.ts'

const many = (count: number, severity: 'error' | 'warning' | 'info') =>
  Array.from({ length: count }, (_, line) => finding({ line: line + 1, severity }))

const commandsOf = (log: string) =>
  logLines(log)
    .filter((line) => line !== '')
    .map(readCommand)

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

const joined = (message: string, help: string) => [message, help].filter((part) => part !== '')

describe('whatever their text, the findings are in', () => {
  it('annotations of GitHub', () =>
    holds(hostileReport, (report) => {
      const shown = report.findings.filter(({ severity }) => severity === 'error')
      expect(commandsOf(github.render(report, context('', { quiet: true })))).toEqual(
        shown.map(({ file, line, column, endColumn, rule: title, message, help }) => {
          const lines = { line: String(line), endLine: String(line) }
          const properties = { file, ...lines, col: String(column), endColumn: String(endColumn), title }
          const data = joined(message, help).map((part) => part.split('\n').map(escapeUnsafe).join('\n'))
          return { name: 'error', properties, data: data.join('\n') }
        }),
      )
    }))

  it('the list of GitLab', () =>
    holds(hostileReport, (report) => {
      const entries = JSON.parse(gitlab.render(report, context('')))
      expect(entries.map(({ location }: { location: { path: string } }) => location.path)).toEqual(
        report.findings.map(({ file }) => file),
      )
      for (const [index, { message }] of report.findings.entries())
        expect(entries[index].description.startsWith(message)).toBe(true)
    }))

  it('JUnit, which is well-formed', () =>
    holds(hostileReport, (report) => {
      const [suites] = parseXml(junit.render(report, context(''))).children
      const cases = suites?.children.flatMap(({ children }) => children) ?? []
      expect(cases).toHaveLength(report.findings.length)
      expect(Number(suites?.attributes.tests)).toBe(cases.length)
      const messages = cases.map(({ children }) => children[0]?.attributes.message ?? '')
      for (const { message, severity } of report.findings) {
        const expected = severity === 'error' ? inXml(message) : `${severity}: ${inXml(message)}`
        expect(messages.some((found) => found.startsWith(expected))).toBe(true)
      }
    }))

  it('Markdown', () =>
    holds(hostileReport, (report) => {
      const errors = report.findings.filter(({ severity }) => severity === 'error')
      const expected = errors.map(({ file, line, column, message, help, rule }) => [
        escapeUnsafe(`${file}:${line}:${column}`),
        joined(message, help).map(escapeUnsafe).join('\n'),
        rule,
      ])
      expect(cellsOf(markdown.render(reportOf(errors), context(''))).map((cells) => cells.map(comparable))).toEqual(
        expected.map((cells) => cells.map(comparable)),
      )
    }))
})

it('Markdown has no mention, link or markup from a manifest', () => {
  const message = 'by @team in #12, see https://example.com or www.example.com <b>now</b> **so** $x$'
  const html = parser.render(markdown.render(reportOf([finding({ message, help: '' })]), context('')))
  expect(html).not.toMatch(/<a |<b>|<strong>|@team|#12/)
})

describe('of very many findings', () => {
  it('GitHub gets as many as it keeps of one step, most severe first, with a count of the others', () => {
    const report = reportOf([...many(30, 'info'), ...many(12, 'warning'), ...many(1200, 'error')])
    const commands = commandsOf(github.render(report, context('', { info: true })))
    const names = commands.map((command) => command?.name)
    expect(names).toEqual([...Array(10).fill('error'), ...Array(10).fill('warning'), ...Array(10).fill('notice')])
    expect(commands.at(-1)).toEqual({
      name: 'notice',
      properties: { title: 'sluice' },
      data: 'not shown: 1,190 errors, 2 warnings, 21 infos. GitHub shows at most 10 annotations of each severity for one step.',
    })
  })

  it('GitHub gets all where they just fit', () => {
    const report = reportOf([...many(10, 'info'), ...many(10, 'warning'), ...many(10, 'error')])
    const log = github.render(report, context('', { info: true }))
    expect(commandsOf(log)).toHaveLength(30)
    expect(log).not.toContain('not shown')
  })

  it('GitLab gets a fingerprint for each, also for those that differ only in their line', () => {
    const entries = JSON.parse(gitlab.render(reportOf(many(1000, 'error')), context('')))
    const prints = entries.map(({ fingerprint }: { fingerprint: string }) => fingerprint)
    expect(new Set(prints).size).toBe(1000)
  })

  it('Markdown fits a comment on GitHub, most severe first, with a count of the others', () => {
    const report = reportOf([
      ...many(5000, 'warning'),
      ...Array.from({ length: 100 }, (_, line) => finding({ line: line + 1, message: 'x'.repeat(10_000) })),
    ])
    const rendered = markdown.render(report, context('', { statistics: true }))
    expect(rendered.length).toBeLessThan(65_536)
    expect(rendered).toContain('### sluice: 100 errors, 5,000 warnings')
    expect(rendered).toMatch(/\n… and [\d,]+ (errors?, 5,000 )?warnings more; `sluice lint` lists them all\.\n/)
    expect(cellsOf(rendered).length - 1).toBeGreaterThan(50)
    expect(cellsOf(rendered)[0]?.[1]).toBe(`${'x'.repeat(600)}…\nWrite "10r/s".`.replaceAll('"', ''))
  })
})

describe('a log', () => {
  it('contains no command from a manifest, in any format', async () => {
    const reporters = await Promise.all(FORMATS.map(({ load }) => load()))
    const formats = reporters.flatMap(({ render, syntax }) => (syntax === 'commands' ? [] : [{ render, syntax }]))
    holds(hostileReport, hostileText, fc.constantFrom(...formats), (report, text, { render, syntax }) => {
      const log = escapeLogCommands(render(report, context(text, { info: true, statistics: true })), syntax)
      expect(logLines(log).filter((line) => readCommand(line) !== undefined)).toEqual([])
    })
  })

  const [log, inert] = [
    '::add-mask::a.yaml\n\n  ::x\na ##[error]b :: c',
    '\\x3a:add-mask::a.yaml\n\n  \\x3a:x\na ##\\x5berror]b :: c',
  ]
  it.each([
    ['text', log, inert],
    ['json', '{"a":"##[error]"}', '{"a":"##\\u005berror]"}'],
    ['xml', '<a b="##[error]"/>', '<a b="##&#91;error]"/>'],
  ] as const)('of %s is changed where it must be', (syntax, text, expected) =>
    expect(escapeLogCommands(text, syntax)).toBe(expected),
  )
})
