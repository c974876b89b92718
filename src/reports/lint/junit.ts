/** JUnit XML, as Jenkins and GitLab read it: a suite per file, a case per finding. */
import type { LintReport, ReportedFinding } from '../../lint/report.ts'
import { escapeXml } from '../escapes.ts'
import { pathInRepository } from './places.ts'
import type { ReportContext, Reporter } from './reporter.ts'
import { groupByFile, isIncluded, withUnjudged } from './selection.ts'

/**
 * The reporter of the format `junit`. What makes the run fail is a failure: errors, what was not judged where that fails
 * the run, and warnings where there are more than allowed. Others are skipped cases, so that a pipeline that passes shows
 * no failed case. A file without findings is one passed case.
 */
export const junit: Reporter = {
  syntax: 'xml',
  render: (report: LintReport, context: ReportContext): string => {
    const byFile = groupByFile(withUnjudged(report).findings.filter((finding) => isIncluded(finding, context)))
    const files = [...new Set([...context.files, ...byFile.keys()])].sort()
    const suites = files.map((file) => createSuite(file, byFile.get(file) ?? [], context))
    const sum = (key: 'tests' | 'failures' | 'skipped') => suites.reduce((total, suite) => total + suite[key], 0)
    const totals = {
      name: 'sluice',
      tests: sum('tests'),
      failures: sum('failures'),
      errors: 0,
      skipped: sum('skipped'),
    }
    return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites${attributes(totals)}>
${suites.map(({ xml }) => xml).join('')}</testsuites>
`
  },
}

type Suite = {
  readonly tests: number
  readonly failures: number
  readonly skipped: number
  readonly xml: string
}

function createSuite(file: string, findings: readonly ReportedFinding[], context: ReportContext): Suite {
  const path = pathInRepository(file, context.base)
  const isFailure = ({ severity }: ReportedFinding) =>
    severity === 'error' || (severity === 'warning' && context.warningsFail)
  const failures = findings.filter(isFailure).length
  const tests = Math.max(1, findings.length)
  const skipped = findings.length - failures
  const nameOf = createNames()
  const cases = findings.map((finding) => {
    const place = { name: nameOf(finding), classname: path, file: path, line: finding.line }
    return `<testcase${attributes(place)}>\n${outcome(finding, path, isFailure(finding))}</testcase>\n`
  })
  const clean = `<testcase${attributes({ name: 'no problems', classname: path, file: path })}/>\n`
  const head = attributes({ name: path, tests, failures, errors: 0, skipped })
  const xml = `<testsuite${head}>\n${cases.length === 0 ? clean : cases.join('')}</testsuite>\n`
  return { tests, failures, skipped, xml }
}

/** Names that do not change when lines move; repeated names get a number. */
function createNames(): (finding: ReportedFinding) => string {
  const seen = new Map<string, number>()
  return ({ rule, object, pointer }) => {
    const called = [object.namespace, object.name].filter((part) => part !== '').join('/')
    const name = [rule, object.kind, called, pointer].filter((part) => part !== '').join(' ')
    const times = (seen.get(name) ?? 0) + 1
    seen.set(name, times)
    return times === 1 ? name : `${name} (${times})`
  }
}

function outcome({ line, column, severity, message, help }: ReportedFinding, path: string, isFailure: boolean): string {
  const [text, remedy] = [message, help === '' ? '' : `\n${help}`]
  if (!isFailure) return `<skipped${attributes({ message: `${severity}: ${text}${remedy}` })}/>\n`
  const whole = `${path}:${line}:${column}: ${text}${remedy}`
  return `<failure${attributes({ message, type: severity })}>${escapeXml(whole)}</failure>\n`
}

const attributes = (values: Readonly<Record<string, string | number>>): string =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${typeof value === 'number' ? value : escapeXml(value)}"`)
    .join('')
