/** The formats of a report. A new one is a file, and a line here. */

import type { LintReport, ReportedFinding } from '../../lint/report.ts'
import type { Reporter } from './reporter.ts'

/** Most builds that are named. */
const MOST = 3

/** A reporter whose messages name the builds, where a finding stands in a file of several. */
const namingBuilds = (reporter: Reporter): Reporter => ({
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

/** One format; its reporter is loaded on first use. */
export type Format = {
  readonly name: string
  /** Its use, in a few words. */
  readonly summary: string
  /** True where it contains the edits that fix findings. */
  readonly showsEdits?: boolean
  load(): Promise<Reporter>
}

/** Annotations, which the text has beside it where GitHub Actions runs it. */
export const GITHUB: Format = {
  name: 'github',
  summary: 'annotations in GitHub Actions',
  load: async () => namingBuilds((await import('./github.ts')).github),
}

/** All formats, in the order of the help; the first is the default. */
export const FORMATS: readonly [Format, ...Format[]] = [
  { name: 'text', summary: 'for people', load: async () => namingBuilds((await import('./text.ts')).text) },
  {
    name: 'json',
    summary: 'for programs; its shape is a contract',
    load: async () => (await import('./json.ts')).json,
  },
  {
    name: 'sarif',
    summary: 'SARIF 2.1.0, for code scanning',
    showsEdits: true,
    load: async () => namingBuilds((await import('./sarif.ts')).sarif),
  },
  {
    name: 'junit',
    summary: 'JUnit XML, for Jenkins and GitLab',
    load: async () => namingBuilds((await import('./junit.ts')).junit),
  },
  GITHUB,
  {
    name: 'gitlab',
    summary: 'Code Quality of GitLab',
    load: async () => namingBuilds((await import('./gitlab.ts')).gitlab),
  },
  {
    name: 'markdown',
    summary: 'for a job summary or a comment',
    load: async () => namingBuilds((await import('./markdown.ts')).markdown),
  },
]
