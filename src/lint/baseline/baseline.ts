/** Known findings: those of a baseline stay quiet, others speak, and what is gone is told. */

import { byText, sorted } from '../describe.ts'
import {
  countsOf,
  type LintReport,
  type ReportedFinding,
  type ReportedObject,
  type SuppressedFinding,
} from '../report.ts'
import { fieldOf } from './fingerprint.ts'

/** A known finding. It has no line, and stands for as many equal ones as `count` says. */
export type Known = {
  /** As seen from the folder of the baseline. */
  readonly file: string
  readonly rule: string
  /** `RateLimitPolicy shop/coffee`; empty for a finding about the text. */
  readonly object: string
  /** JSON Pointer with `*` for the places in lists, which move. */
  readonly pointer: string
  readonly message: string
  readonly count: number
}

/** How a baseline names a file of a report. */
export type NameFile = (file: string) => string

/** The report with what is known set apart, and what is known and was not found, with how many of each. */
export type Settled = { readonly report: LintReport; readonly missing: readonly Known[] }

/** Sets apart what a baseline knows. Of more equal findings than it knows the last ones speak. */
export function settle(report: LintReport, known: readonly Known[], nameFile: NameFile): Settled {
  const left = countByKey(known)
  const findings: ReportedFinding[] = []
  const quiet: SuppressedFinding[] = []
  for (const finding of report.findings) {
    const key = keyOf(knownOf(finding, nameFile))
    const one = left.get(key)
    if (one && one.count > 0) {
      left.set(key, { ...one, count: one.count - 1 })
      quiet.push({ ...finding, suppression: { kind: 'baseline', reason: '' } })
    } else findings.push(finding)
  }
  const suppressed = quiet.length === 0 ? report.suppressed : sorted([...report.suppressed, ...quiet])
  const summary = { ...report.summary, ...countsOf(findings), suppressed: suppressed.length }
  return {
    report: { ...report, findings, suppressed, summary },
    missing: [...left.values()].filter(({ count }) => count > 0),
  }
}

/** What a baseline of these findings knows, in its order; `kept` is known already and was not looked for. */
export function knownFrom(
  findings: readonly ReportedFinding[],
  kept: readonly Known[],
  nameFile: NameFile,
): readonly Known[] {
  const found = countByKey(findings.map((finding) => knownOf(finding, nameFile)))
  for (const [key, one] of countByKey(kept)) {
    const count = Math.max(found.get(key)?.count ?? 0, one.count)
    found.set(key, { ...one, count })
  }
  return [...found.values()].sort(
    (a, b) =>
      byText(a.file, b.file) ||
      byText(a.rule, b.rule) ||
      byText(a.object, b.object) ||
      byText(a.pointer, b.pointer) ||
      byText(a.message, b.message),
  )
}

function knownOf({ file, rule, object, pointer, message }: ReportedFinding, nameFile: NameFile): Known {
  return { file: nameFile(file), rule, object: nameOf(object), pointer: fieldOf(pointer), message, count: 1 }
}

function nameOf({ kind, namespace, name }: ReportedObject): string {
  const own = namespace === '' ? name : `${namespace}/${name}`
  return [kind, own].filter((part) => part !== '').join(' ')
}

const keyOf = ({ file, rule, object, pointer, message }: Known): string =>
  JSON.stringify([file, rule, object, pointer, message])

/** Equal ones are one with all their number: so it is after two branches have added the same. */
function countByKey(known: readonly Known[]): Map<string, Known> {
  const counted = new Map<string, Known>()
  for (const one of known) {
    const key = keyOf(one)
    counted.set(key, { ...one, count: (counted.get(key)?.count ?? 0) + one.count })
  }
  return counted
}
