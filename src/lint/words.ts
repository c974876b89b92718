/** Findings to reported findings: places and words, for what was found and for nothing else. */
import { createLineIndex, createLocator } from '../documents/locate.ts'
import { type Finding, markedToken, prose } from '../engine/finding.ts'
import type { AnyRule, PatchOperation } from '../engine/rule.ts'
import type { Origin } from './objects.ts'
import type { ReportedFinding } from './report.ts'
import type { Source } from './source.ts'
import type { Located } from './subjects.ts'

/** How a finding can be mended: a patch of the object that was found there. */
export type Mend = {
  readonly kind: 'safe' | 'opt-in'
  readonly patch: readonly PatchOperation[]
  readonly origin: Origin
}

export type Reported = {
  readonly findings: readonly ReportedFinding[]
  /** By the finding that each mends. */
  readonly mends: ReadonlyMap<ReportedFinding, Mend>
}

/** Gives findings their places and words; texts and documents are indexed once each, and only those that have findings. */
export function reportFindings(findings: readonly Finding<Located>[], rules: ReadonlyMap<string, AnyRule>): Reported {
  const mends = new Map<ReportedFinding, Mend>()
  const locatorOf = forLatest(
    ({ document }: Origin) => document,
    ({ source, document }) => createLocator(source.text, document),
  )
  const lineIndexOf = forLatest(
    (source: Source) => source,
    ({ text }) => createLineIndex(text),
  )
  const reported = findings.map((finding) => {
    const { origin } = finding.subject
    const place = lineIndexOf(origin.source)
    const rule = rules.get(finding.rule)
    if (!rule) throw new Error(`a finding of ${finding.rule}, which is no rule`)
    const at = markedToken(rule, finding)
    const range = finding.range ?? locatorOf(origin)(origin.base + finding.pointer, { at })
    const [start, end] = [place(range.start), place(range.end)]
    const reported = reportedFinding(finding, prose(rule, finding), {
      line: start.line,
      column: start.column,
      endLine: end.line,
      endColumn: end.column,
    })
    const { patch } = finding
    if (patch && rule.fix) mends.set(reported, { kind: rule.fix, patch, origin })
    return reported
  })
  return { findings: sortAndDeduplicate(reported), mends }
}

function reportedFinding(
  { subject, rule, severity, pointer }: Finding<Located>,
  { message, help }: ReturnType<typeof prose>,
  place: Pick<ReportedFinding, 'line' | 'column' | 'endLine' | 'endColumn'>,
): ReportedFinding {
  const { kind, namespace = '', name = '' } = subject.identity
  return {
    rule,
    severity,
    file: subject.origin.source.file,
    ...place,
    pointer,
    message,
    help,
    object: { kind, namespace, name },
  }
}

/** Remembers the value made for the last identity: findings come in the order of their documents. */
function forLatest<From, Value>(identify: (from: From) => object, make: (from: From) => Value): (from: From) => Value {
  let latest: { readonly identity: object; readonly value: Value } | undefined
  return (from) => {
    const identity = identify(from)
    if (latest?.identity !== identity) latest = { identity, value: make(from) }
    return latest.value
  }
}

function sortAndDeduplicate(findings: readonly ReportedFinding[]): readonly ReportedFinding[] {
  const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
  const sorted = [...findings].sort(
    (a, b) =>
      byText(a.file, b.file) ||
      a.line - b.line ||
      a.column - b.column ||
      byText(a.rule, b.rule) ||
      byText(a.message, b.message),
  )
  const same = (a: ReportedFinding, b: ReportedFinding | undefined) =>
    b !== undefined && JSON.stringify(a) === JSON.stringify(b)
  return sorted.filter((finding, index) => !same(finding, sorted[index - 1]))
}
