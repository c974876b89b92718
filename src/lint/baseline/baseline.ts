/** A baseline: findings that it knows are suppressed, new ones are reported, and gone ones are listed. */

import type { ObjectName } from '../../engine/finding.ts'
import { isExpired, termsOf } from '../../engine/suppression.ts'
import { isObject } from '../../json/member.ts'
import { isDate } from '../../text/date.ts'
import { compareText } from '../../text/order.ts'
import { readDocuments } from '../../yaml/documents.ts'
import { createLocator, type TextRange } from '../../yaml/locate.ts'
import { sorted } from '../describe.ts'
import { countsOf, type LintReport, type ReportedFinding, type SuppressedFinding } from '../report.ts'
import { fieldOf, withoutPlaces } from './fingerprint.ts'

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
  /** Its last day in UTC, `2027-01-31`; it never ends without one. */
  readonly until?: string
  /** Who answers for it. */
  readonly owner?: string
}

/** How a baseline names a file of a report. */
export type NameFile = (file: string) => string

/** What a baseline does to a report. */
export type BaselineResult = {
  /** With known findings suppressed. */
  readonly report: LintReport
  /** Known findings that were not found, with how many of each. */
  readonly missing: readonly KnownFinding[]
  /** Known findings that were found, and whose last day is over. */
  readonly expired: readonly KnownFinding[]
}

/** Suppresses what a baseline knows; without a date of today nothing ends. Of more equal findings than it knows, the last ones are reported. */
export function applyBaseline(
  report: LintReport,
  known: readonly KnownFinding[],
  nameFile: NameFile,
  today?: string,
): BaselineResult {
  const left = countByKey(known)
  const expired = new Set<string>()
  const findings: ReportedFinding[] = []
  const added: SuppressedFinding[] = []
  for (const finding of report.findings) {
    const key = keyOf(knownOf(finding, nameFile))
    const one = left.get(key)
    if (one && one.count > 0) {
      left.set(key, { ...one, count: one.count - 1 })
      if (isExpired(one, today)) {
        expired.add(key)
        findings.push(finding)
      } else added.push({ ...finding, suppression: { kind: 'baseline', reason: '', ...termsOf(one) } })
    } else findings.push(finding)
  }
  const suppressed = added.length === 0 ? report.suppressed : sorted([...report.suppressed, ...added])
  const summary = { ...report.summary, ...countsOf(findings), suppressed: suppressed.length }
  return {
    report: { ...report, findings, suppressed, summary },
    missing: [...left.values()].filter(({ count }) => count > 0),
    expired: known.filter((one) => expired.has(keyOf(one))),
  }
}

/** What is known before a baseline is written. */
type KnownBefore = {
  readonly known: readonly KnownFinding[]
  /** How long what is new, or has expired, is known, and who answers for it. */
  readonly terms?: Pick<KnownFinding, 'until' | 'owner'>
  readonly today?: string
}

/** What a baseline of these findings knows, in its order; `kept` was known before and could not have been found. */
export function knownFrom(
  findings: readonly ReportedFinding[],
  kept: readonly KnownFinding[],
  nameFile: NameFile,
  { known, terms = {}, today }: KnownBefore = { known: [] },
): readonly KnownFinding[] {
  const before = new Map(known.map((one) => [keyOf(one), one]))
  const withTerms = (one: KnownFinding): KnownFinding => {
    const old = before.get(keyOf(one))
    return old && !isExpired(old, today) ? { ...one, ...termsOf(old) } : { ...one, ...termsOf({ ...old, ...terms }) }
  }
  const found = countByKey(findings.map((finding) => withTerms(knownOf(finding, nameFile))))
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
  const place = { file: nameFile(file), rule, object: nameOf(object), pointer: fieldOf(pointer) }
  return { ...place, message: withoutPlaces(message), count: 1 }
}

function nameOf({ kind, namespace, name }: ObjectName): string {
  const own = namespace === '' ? name : `${namespace}/${name}`
  return [kind, own].filter((part) => part !== '').join(' ')
}

const keyOf = ({ file, rule, object, pointer, message }: KnownFinding): string =>
  JSON.stringify([file, rule, object, pointer, withoutPlaces(message)])

/** Equal ones are one with all their number: so it is after two branches have added the same. */
function countByKey(known: readonly KnownFinding[]): Map<string, KnownFinding> {
  const counted = new Map<string, KnownFinding>()
  for (const one of known) {
    const key = keyOf(one)
    const before = counted.get(key)
    counted.set(key, { ...one, ...before, count: (before?.count ?? 0) + one.count })
  }
  return counted
}

const VERSION = 1

/** What a text holds, or why it is not a baseline: the end of a sentence that begins with the file. */
export type BaselineText = { readonly known: readonly KnownFinding[] } | { readonly problem: string }

/** Writes a baseline. */
export function writeBaseline(known: readonly KnownFinding[]): string {
  const lines = known.map(({ file, rule, object, pointer, message, count, ...terms }) =>
    JSON.stringify({ file, rule, object, pointer, message, count, ...termsOf(terms) }),
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

/** Where the entries of a baseline stand in its text, in their order. */
export function placesOf(text: string): readonly TextRange[] {
  const [document] = readDocuments(text, { mentions: /(?:)/ })
  if (!document || !isObject(document.value) || !Array.isArray(document.value.findings)) return []
  const locate = createLocator(text, document)
  return document.value.findings.map((_, index) => locate(`/findings/${index}`))
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
  (entry.until === undefined || (typeof entry.until === 'string' && isDate(entry.until))) &&
  (entry.owner === undefined || typeof entry.owner === 'string') &&
  TEXTS.every((member) => typeof entry[member] === 'string') &&
  typeof entry.count === 'number' &&
  Number.isSafeInteger(entry.count) &&
  entry.count > 0
