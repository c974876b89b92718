/** Findings to reported findings: places and messages, only for what was found. */
import { describeFinding, type Finding, markedToken } from '../engine/finding.ts'
import type { AnyRule, PatchOperation } from '../engine/rule.ts'
import type { Origin } from '../project/objects.ts'
import { fileOf, type Source, textOf } from '../project/source.ts'
import type { LocatedSubject } from '../project/subjects.ts'
import { compareText } from '../text/order.ts'
import { createLineIndex, createLocator } from '../yaml/locate.ts'
import type { ReportedFinding, SuppressedFinding, Suppression } from './report.ts'

/** How a finding can be fixed: a patch of the object that was found there. */
export type Fix = {
  readonly kind: 'safe' | 'opt-in'
  readonly patch: readonly PatchOperation[]
  readonly origin: Origin
  /** The order of members in the object, for patches that add one. */
  readonly fieldsAt: LocatedSubject['fieldsAt']
}

/** Findings with their places and messages, and the fixes of some of them. */
export type Reported = {
  readonly findings: readonly ReportedFinding[]
  readonly suppressed: readonly SuppressedFinding[]
  /** By the finding that each fixes. */
  readonly fixes: ReadonlyMap<ReportedFinding, Fix>
}

/** Why a finding is suppressed; undefined where it is not. */
export type SuppressionOf = (finding: Finding<LocatedSubject>, reported: ReportedFinding) => Suppression | undefined

/**
 * Gives findings their places and messages. Texts and documents are indexed once each, and only those that have
 * findings. A suppressed finding is not fixed.
 */
export function reportFindings(
  findings: readonly Finding<LocatedSubject>[],
  rules: ReadonlyMap<string, AnyRule>,
  suppressionOf?: SuppressionOf,
): Reported {
  const fixes = new Map<ReportedFinding, Fix>()
  const kept: ReportedFinding[] = []
  const suppressed: SuppressedFinding[] = []
  const locatorOf = forLatest(({ document }: Origin) => document, locatorFor)
  const lineIndexOf = forLatest(
    (source: Source) => source,
    (source) => createLineIndex(textOf(source)),
  )
  for (const finding of findings) {
    const { origin, fieldsAt } = finding.subject
    const rule = rules.get(finding.rule)
    if (!rule) throw new Error(`a finding has the rule "${finding.rule}", which does not exist`)
    const at = markedToken(rule, finding)
    const range = finding.range ?? locatorOf(origin)(origin.base + finding.pointer, { at })
    const place = lineIndexOf(origin.source)
    const [start, end] = [place(range.start), place(range.end)]
    const { message, help, object, ...described } = describeFinding(rule, finding)
    const reported: ReportedFinding = {
      rule: described.rule,
      severity: described.severity,
      file: fileOf(origin.source),
      line: start.line,
      column: start.column,
      endLine: end.line,
      endColumn: end.column,
      pointer: described.pointer,
      message,
      help,
      object,
    }
    const suppression = suppressionOf?.(finding, reported)
    if (suppression) {
      suppressed.push({ ...reported, suppression })
      continue
    }
    kept.push(reported)
    const { patch } = finding
    if (patch && rule.fix) fixes.set(reported, { kind: rule.fix, patch, origin, fieldsAt })
  }
  return { findings: sorted(kept), suppressed: sorted(suppressed), fixes }
}

/** An object without a text has its places in the YAML that is written of it. */
function locatorFor({ source, document }: Origin) {
  const text = textOf(source)
  return createLocator(text, 'object' in source ? { ...document, end: text.length } : document)
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

/** Findings in the order of a report, each once. */
export function sorted<Item extends ReportedFinding>(findings: readonly Item[]): readonly Item[] {
  const ordered = [...findings].sort(
    (a, b) =>
      compareText(a.file, b.file) ||
      a.line - b.line ||
      a.column - b.column ||
      compareText(a.rule, b.rule) ||
      compareText(a.message, b.message),
  )
  const same = (a: Item, b: Item | undefined) => b !== undefined && JSON.stringify(a) === JSON.stringify(b)
  return ordered.filter((finding, index) => !same(finding, ordered[index - 1]))
}
