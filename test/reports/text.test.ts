import { describe, expect, it } from 'vitest'
import { text } from '../../src/reports/lint/text.ts'
import { context, finding, reportOf, suppressedFinding } from './report.ts'

const FILE = 'spec:\nrate: 10R/S # fast\n'

describe('the text report', () => {
  it('shows a finding with its line, a mark, the remedy and the rule', () => {
    expect(text.render(reportOf([finding()]), context(FILE))).toBe(`k8s/coffee.yaml

  2:7  error  "10R/S" is not a valid rate  gateway/rate-syntax
    2 │ rate: 10R/S # fast
      │       ^^^^^
      ╰ help: Write "10r/s".

1 error in 14 files (9 documents), 0.08 s
`)
  })

  it('groups by file, aligns line numbers, and separates findings', () => {
    const lines = Array.from({ length: 120 }, (_, index) => `line ${index + 1}`).join('\n')
    const findings = [
      finding({ file: 'a.yaml', line: 9, column: 1, endColumn: 5 }),
      finding({ file: 'a.yaml', line: 110, column: 6, endColumn: 9, severity: 'warning' }),
      finding({ file: 'b.yaml', line: 1, column: 6, endColumn: 7, help: '' }),
    ]
    expect(text.render(reportOf(findings), context(lines))).toBe(`a.yaml

  9:1  error  "10R/S" is not a valid rate  gateway/rate-syntax
      9 │ line 9
        │ ^^^^
        ╰ help: Write "10r/s".

  110:6  warning  "10R/S" is not a valid rate  gateway/rate-syntax
    110 │ line 110
        │      ^^^
        ╰ help: Write "10r/s".

b.yaml

  1:6  error  "10R/S" is not a valid rate  gateway/rate-syntax
    1 │ line 1
      │      ^

2 errors, 1 warning in 14 files (9 documents), 0.08 s
`)
  })

  it('breaks sentences at the width of the terminal', () => {
    const long = finding({
      message: 'with "rejectCode: 444", nginx closes the connection without a response',
      help: 'Write "rejectCode: 429" (Too Many Requests) or "rejectCode: 503" (Service Unavailable).',
    })
    expect(text.render(reportOf([long]), context(FILE, { width: 60 }))).toBe(`k8s/coffee.yaml

  2:7  error  with "rejectCode: 444", nginx closes the
              connection without a response
              gateway/rate-syntax
    2 │ rate: 10R/S # fast
      │       ^^^^^
      ╰ help: Write "rejectCode: 429" (Too Many Requests) or
              "rejectCode: 503" (Service Unavailable).

1 error in 14 files (9 documents), 0.08 s
`)
  })

  it('colours severities, marks and remedies', () => {
    expect(text.render(reportOf([finding()]), context(FILE, { color: true }))).toBe(
      [
        '\x1b[1;4mk8s/coffee.yaml\x1b[22;24m',
        '',
        '  2:7  \x1b[1;31merror\x1b[22;39m  \x1b[1m"10R/S" is not a valid rate\x1b[22m  \x1b[2mgateway/rate-syntax\x1b[22m',
        '\x1b[2m    2 │\x1b[22m rate: 10R/S # fast',
        '\x1b[2m      │\x1b[22m       \x1b[1;31m^^^^^\x1b[22;39m',
        '\x1b[2m      ╰\x1b[22m \x1b[36mhelp: \x1b[39mWrite "10r/s".',
        '',
        '\x1b[1;31m1 error\x1b[22;39m in 14 files (9 documents), 0.08 s',
        '',
      ].join('\n'),
    )
  })

  it('leaves out the line where the text is not known', () => {
    expect(text.render(reportOf([finding()]), context(undefined))).toContain(
      '  2:7  error  "10R/S" is not a valid rate  gateway/rate-syntax\n      ╰ help: Write "10r/s".\n',
    )
  })

  it('escapes control characters in file names and messages', () => {
    const evil = '\x1b]0;owned\x07\x1b[2J\u202e\u0085\u2028\ud800'
    const report = reportOf([finding({ file: `a${evil}.yaml`, message: evil, help: evil, column: 1, endColumn: 3 })])
    const rendered = text.render(report, context(`x\n${evil}\n`))
    expect(rendered.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Cs}]/u)
    expect(rendered).toContain('\\x1b]0;owned\\x07\\x1b[2J\\u{202e}\\x85\\u{2028}\\u{d800}')
  })
})

describe('the summary', () => {
  const info = finding({ severity: 'info' })
  const warning = finding({ severity: 'warning' })
  const last = (...parameters: Parameters<typeof text.render>) =>
    text
      .render(...parameters)
      .split('\n')
      .at(-2)

  it.each([
    [[], {}, 'no problems in 14 files (9 documents), 0.08 s'],
    [[info], {}, 'no problems in 14 files (9 documents), 0.08 s; 1 info with --info'],
    [[info, info, warning], {}, '1 warning in 14 files (9 documents), 0.08 s; 2 infos with --info'],
    [[info, warning, warning], { info: true }, '2 warnings, 1 info in 14 files (9 documents), 0.08 s'],
    [[finding(), warning, info], { quiet: true }, '1 error in 14 files (9 documents), 0.08 s'],
  ])('%#', (findings, parts, line) => {
    expect(last(reportOf(findings), context(FILE, parts))).toBe(line)
  })

  it('counts suppressed findings', () => {
    const suppressed = [suppressedFinding(), suppressedFinding({ line: 3 })]
    expect(last(reportOf([], { suppressed }), context(FILE))).toBe(
      'no problems in 14 files (9 documents), 0.08 s; 2 suppressed',
    )
    expect(last(reportOf([warning, info], { suppressed }), context(FILE))).toBe(
      '1 warning in 14 files (9 documents), 0.08 s; 1 info with --info; 2 suppressed',
    )
  })

  it('is followed by the findings of each rule, most first, with --statistics', () => {
    const other = { rule: 'gateway/conflict' }
    const findings = Array.from({ length: 12 }, (_, line) => finding({ line: line + 1 }))
    const report = reportOf([...findings, finding(other)], { suppressed: [suppressedFinding(other)] })
    expect(text.render(report, context(undefined, { statistics: true }))).toMatch(
      /\n13 errors in .*; 1 suppressed\n\n {2}12 {2}gateway\/rate-syntax\n {3}1 {2}gateway\/conflict {2}\(1 suppressed\)\n$/,
    )
  })

  it('is the whole report where there are no findings to show', () => {
    expect(text.render(reportOf([info]), context(FILE))).toBe(
      'no problems in 14 files (9 documents), 0.08 s; 1 info with --info\n',
    )
    expect(text.render(reportOf([], { documents: 0, files: 1 }), context(FILE))).toBe(
      'nothing to judge in 1 file (0 documents), 0.08 s\n',
    )
  })

  it('is empty with --quiet where there are no errors', () => {
    expect(text.render(reportOf([warning]), context(FILE, { quiet: true }))).toBe('')
  })
})
