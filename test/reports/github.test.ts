import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapeUnsafe } from '../../src/reports/characters.ts'
import { escapeLogCommands } from '../../src/reports/escapes.ts'
import { FORMATS } from '../../src/reports/lint/formats.ts'
import { github } from '../../src/reports/lint/github.ts'
import { hostileReport, hostileText, logLines, readCommand } from './hostile.ts'
import { context, finding, reportOf } from './report.ts'

const many = (count: number, severity: 'error' | 'warning' | 'info') =>
  Array.from({ length: count }, (_, line) => finding({ line: line + 1, severity }))

const commandsOf = (log: string) =>
  logLines(log)
    .filter((line) => line !== '')
    .map(readCommand)

describe('annotations', () => {
  it('are one command per finding', () => {
    expect(github.render(reportOf([finding(), finding({ severity: 'warning', help: '' })]), context(''))).toBe(
      '::error file=k8s/coffee.yaml,line=2,endLine=2,col=7,endColumn=12,title=gateway/rate-syntax' +
        '::"10R/S" is not a valid rate%0AWrite "10r/s".\n' +
        '::warning file=k8s/coffee.yaml,line=2,endLine=2,col=7,endColumn=12,title=gateway/rate-syntax' +
        '::"10R/S" is not a valid rate\n',
    )
  })

  it('are none without findings', () => {
    expect(github.render(reportOf([finding({ severity: 'info' })]), context(''))).toBe('')
  })

  it('have no columns over several lines, where GitHub rejects them', () => {
    expect(github.render(reportOf([finding({ endLine: 4 })]), context(''))).toMatch(/line=2,endLine=4,title=/)
  })

  it.each([
    [{}, ['error', 'warning']],
    [{ info: true }, ['error', 'warning', 'notice']],
    [{ info: true, quiet: true }, ['error']],
  ])('are of %j', (parts, names) => {
    const report = reportOf([finding(), finding({ severity: 'warning' }), finding({ severity: 'info' })])
    expect(commandsOf(github.render(report, context('', parts))).map((command) => command?.name)).toEqual(names)
  })

  it('are at most as many as GitHub keeps of one step, most severe first, with a count of the others', () => {
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

  it('are complete where they just fit', () => {
    const report = reportOf([...many(10, 'info'), ...many(10, 'warning'), ...many(10, 'error')])
    const log = github.render(report, context('', { info: true }))
    expect(commandsOf(log)).toHaveLength(30)
    expect(log).not.toContain('beyond')
  })

  it('name files from the root of the repository', () => {
    const base = { folder: '/src/shop/apps', repository: '/src/shop' }
    expect(github.render(reportOf([finding()]), context('', { base }))).toContain(' file=apps/k8s/coffee.yaml,')
  })

  it('contain the findings, whatever their text', () => {
    fc.assert(
      fc.property(hostileReport, (report) => {
        const shown = report.findings.filter(({ severity }) => severity === 'error')
        const commands = commandsOf(github.render(report, context('', { quiet: true })))
        expect(commands).toEqual(
          shown.map(({ file, line, column, endColumn, rule, message, help }) => ({
            name: 'error',
            properties: {
              file,
              line: String(line),
              endLine: String(line),
              col: String(column),
              endColumn: String(endColumn),
              title: rule,
            },
            data: [message, help]
              .filter((part) => part !== '')
              .map((part) => part.split('\n').map(escapeUnsafe).join('\n'))
              .join('\n'),
          })),
        )
      }),
    )
  })
})

describe('a log', () => {
  it('contains no command from a manifest, in any format', async () => {
    const reporters = await Promise.all(FORMATS.map(({ load }) => load()))
    const formats = reporters.flatMap(({ render, syntax }) => (syntax === 'commands' ? [] : [{ render, syntax }]))
    fc.assert(
      fc.property(hostileReport, hostileText, fc.constantFrom(...formats), (report, text, { render, syntax }) => {
        const log = escapeLogCommands(render(report, context(text, { info: true, statistics: true })), syntax)
        expect(logLines(log).filter((line) => readCommand(line) !== undefined)).toEqual([])
      }),
    )
  })

  it.each([
    [
      'text',
      '::add-mask::a.yaml\n\n  ::x\na ##[error]b :: c',
      '\\x3a:add-mask::a.yaml\n\n  \\x3a:x\na ##\\x5berror]b :: c',
    ],
    ['json', '{"a":"##[error]"}', '{"a":"##\\u005berror]"}'],
    ['xml', '<a b="##[error]"/>', '<a b="##&#91;error]"/>'],
  ] as const)('of %s is changed where it must be', (syntax, log, inert) => {
    expect(escapeLogCommands(log, syntax)).toBe(inert)
  })
})
