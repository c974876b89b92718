/** A baseline: findings that it knows are suppressed, new ones are reported, and gone ones are listed. */

import type { ObjectName } from '../../engine/finding.ts'
import { isObject } from '../../json/member.ts'
import { compareText } from '../../text/order.ts'
import { sorted } from '../describe.ts'
import { countsOf, type LintReport, type ReportedFinding, type SuppressedFinding } from '../report.ts'
import { fieldOf } from './fingerprint.ts'

/** A known finding. It has no line, and stands for as many equal ones as `count` says. */
export type KnownFinding = {
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

/** The report with known findings suppressed, and the known findings that were not found, with how many of each. */
export type BaselineResult = { readonly report: LintReport; readonly missing: readonly KnownFinding[] }

/** Suppresses what a baseline knows. Of more equal findings than it knows, the last ones are reported. */
export function applyBaseline(report: LintReport, known: readonly KnownFinding[], nameFile: NameFile): BaselineResult {
  const left = countByKey(known)
  const findings: ReportedFinding[] = []
  const added: SuppressedFinding[] = []
  for (const finding of report.findings) {
    const key = keyOf(knownOf(finding, nameFile))
    const one = left.get(key)
    if (one && one.count > 0) {
      left.set(key, { ...one, count: one.count - 1 })
      added.push({ ...finding, suppression: { kind: 'baseline', reason: '' } })
    } else findings.push(finding)
  }
  const suppressed = added.length === 0 ? report.suppressed : sorted([...report.suppressed, ...added])
  const summary = { ...report.summary, ...countsOf(findings), suppressed: suppressed.length }
  return {
    report: { ...report, findings, suppressed, summary },
    missing: [...left.values()].filter(({ count }) => count > 0),
  }
}

/** What a baseline of these findings knows, in its order; `kept` was known before and could not have been found. */
export function knownFrom(
  findings: readonly ReportedFinding[],
  kept: readonly KnownFinding[],
  nameFile: NameFile,
): readonly KnownFinding[] {
  const found = countByKey(findings.map((finding) => knownOf(finding, nameFile)))
  for (const [key, one] of countByKey(kept)) {
    const count = Math.max(found.get(key)?.count ?? 0, one.count)
    found.set(key, { ...one, count })
  }
  return [...found.values()].sort(
    (a, b) =>
      compareText(a.file, b.file) ||
      compareText(a.rule, b.rule) ||
      compareText(a.object, b.object) ||
      compareText(a.pointer, b.pointer) ||
      compareText(a.message, b.message),
  )
}

function knownOf({ file, rule, object, pointer, message }: ReportedFinding, nameFile: NameFile): KnownFinding {
  return { file: nameFile(file), rule, object: nameOf(object), pointer: fieldOf(pointer), message, count: 1 }
}

function nameOf({ kind, namespace, name }: ObjectName): string {
  const own = namespace === '' ? name : `${namespace}/${name}`
  return [kind, own].filter((part) => part !== '').join(' ')
}

const keyOf = ({ file, rule, object, pointer, message }: KnownFinding): string =>
  JSON.stringify([file, rule, object, pointer, message])

/** Equal ones are one with all their number: so it is after two branches have added the same. */
function countByKey(known: readonly KnownFinding[]): Map<string, KnownFinding> {
  const counted = new Map<string, KnownFinding>()
  for (const one of known) {
    const key = keyOf(one)
    counted.set(key, { ...one, count: (counted.get(key)?.count ?? 0) + one.count })
  }
  return counted
}

const VERSION = 1

/** What a text holds, or why it is not a baseline: the end of a sentence that begins with the file. */
export type BaselineText = { readonly known: readonly KnownFinding[] } | { readonly problem: string }

/** Writes a baseline. */
export function writeBaseline(known: readonly KnownFinding[]): string {
  const lines = known.map(({ file, rule, object, pointer, message, count }) =>
    JSON.stringify({ file, rule, object, pointer, message, count }),
  )
  const list = lines.length === 0 ? '[]' : `[\n    ${lines.join(',\n    ')}\n  ]`
  return `{\n  "version": ${VERSION},\n  "findings": ${list}\n}\n`
}

/** Reads a baseline. Never throws. */
export function readBaseline(text: string): BaselineText {
  const value = parse(text)
  if (value === undefined) {
    const reason = /^<{7} /m.test(text) ? 'has conflict markers of Git' : 'is not valid JSON'
    return { problem: `${reason}; correct it, or remove it and write it again` }
  }
  if (!isObject(value) || !('version' in value)) return { problem: 'is not a baseline of sluice' }
  if (value.version !== VERSION)
    return {
      problem: `is a baseline of version ${JSON.stringify(value.version)}, and this sluice reads version ${VERSION}; use the sluice that wrote it, or remove it and write it again`,
    }
  const { findings } = value
  if (!Array.isArray(findings)) return { problem: 'is a baseline without "findings"; remove it and write it again' }
  const known: KnownFinding[] = []
  for (const [index, entry] of findings.entries()) {
    if (!isKnown(entry))
      return { problem: `is a baseline whose finding ${index + 1} was not written by sluice; correct it` }
    known.push(entry)
  }
  return { known }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}

const TEXTS = ['file', 'rule', 'object', 'pointer', 'message'] as const

const isKnown = (entry: unknown): entry is KnownFinding =>
  isObject(entry) &&
  TEXTS.every((member) => typeof entry[member] === 'string') &&
  typeof entry.count === 'number' &&
  Number.isSafeInteger(entry.count) &&
  entry.count > 0
