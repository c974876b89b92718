/** In which builds a finding is found, in words. */
import type { LintReport, ReportedFinding } from '../../lint/report.ts'
import type { Reporter } from './reporter.ts'

/** Most builds that are named. */
const MOST = 3

/** A reporter whose messages name the builds, where a finding stands in a file of several. */
export const namingBuilds = (reporter: Reporter): Reporter => ({
  ...reporter,
  render(report, context) {
    const { editsOf } = context
    if (![...report.findings, ...report.suppressed].some(({ builds }) => builds))
      return reporter.render(report, context)
    const originals = new Map<ReportedFinding, ReportedFinding>()
    const named = <Found extends ReportedFinding>(finding: Found): Found => {
      const copy = { ...finding, message: messageWithBuilds(finding) }
      originals.set(copy, finding)
      return copy
    }
    const renamed: LintReport = {
      ...report,
      findings: report.findings.map(named),
      suppressed: report.suppressed.map(named),
    }
    return reporter.render(renamed, {
      ...context,
      ...(editsOf ? { editsOf: (finding) => editsOf(originals.get(finding) ?? finding) } : {}),
    })
  },
})

/** The message with `(in overlays/eu and overlays/us)` behind it. */
function messageWithBuilds({ message, builds = [] }: ReportedFinding): string {
  if (builds.length === 0) return message
  const named = builds.slice(0, builds.length > MOST ? MOST - 1 : MOST)
  const rest = builds.length - named.length
  const all = [...named, ...(rest > 0 ? [`${rest} more`] : [])]
  const last = all.pop()
  return `${message} (in ${all.length > 0 ? `${all.join(', ')} and ` : ''}${last})`
}
