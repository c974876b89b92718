/** Findings to reported findings: places and words, for what was found and for nothing else. */

import { type Finding, markedToken, prose } from '../engine/finding.ts'
import type { AnyRule, PatchOperation } from '../engine/rule.ts'
import type { Origin } from '../project/objects.ts'
import type { Source } from '../project/source.ts'
import type { Located } from '../project/subjects.ts'
import { createLineIndex, createLocator } from '../yaml/locate.ts'
import type { ReportedFinding, SuppressedFinding, Suppression } from './report.ts'

/** How a finding can be mended: a patch of the object that was found there. */
export type Mend = {
  readonly kind: 'safe' | 'opt-in'
  readonly patch: readonly PatchOperation[]
  readonly origin: Origin
}

export type Reported = {
  readonly findings: readonly ReportedFinding[]
  readonly suppressed: readonly SuppressedFinding[]
  /** By the finding that each mends. */
  readonly mends: ReadonlyMap<ReportedFinding, Mend>
}

/** Why a finding stays quiet; undefined where it does not. */
export type Quiet = (finding: Finding<Located>, reported: ReportedFinding) => Suppression | undefined

/**
 * Gives findings their places and words; texts and documents are indexed once each, and only those that have findings.
 * What stays quiet is not mended either.
 */
export function reportFindings(
  findings: readonly Finding<Located>[],
  rules: ReadonlyMap<string, AnyRule>,
  quiet?: Quiet,
): Reported {
  const mends = new Map<ReportedFinding, Mend>()
  const spoken: ReportedFinding[] = []
  const suppressed: SuppressedFinding[] = []
  const locatorOf = forLatest(
    ({ document }: Origin) => document,
    ({ source, document }) => createLocator(source.text, document),
  )
  const lineIndexOf = forLatest(
    (source: Source) => source,
    ({ text }) => createLineIndex(text),
  )
  for (const finding of findings) {
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
    const suppression = quiet?.(finding, reported)
    if (suppression) {
      suppressed.push({ ...reported, suppression })
      continue
    }
    spoken.push(reported)
    const { patch } = finding
    if (patch && rule.fix) mends.set(reported, { kind: rule.fix, patch, origin })
  }
  return { findings: sorted(spoken), suppressed: sorted(suppressed), mends }
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

/** Orders texts by their UTF-16 units: the same on every machine. */
export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Findings in the order of a report, each once. */
export function sorted<Told extends ReportedFinding>(findings: readonly Told[]): readonly Told[] {
  const ordered = [...findings].sort(
    (a, b) =>
      byText(a.file, b.file) ||
      a.line - b.line ||
      a.column - b.column ||
      byText(a.rule, b.rule) ||
      byText(a.message, b.message),
  )
  const same = (a: Told, b: Told | undefined) => b !== undefined && JSON.stringify(a) === JSON.stringify(b)
  return ordered.filter((finding, index) => !same(finding, ordered[index - 1]))
}
