/** Findings to reported findings: places and messages, only for what was found. */
import { type DescribedFinding, describeFinding, type Finding, markedToken } from '../engine/finding.ts'
import type { AnyRule } from '../engine/rule.ts'
import { fileOf, type Source } from '../project/source.ts'
import type { LocatedSubject } from '../project/subjects.ts'
import { compareText } from '../text/order.ts'
import { createPlaces, type FoundPlace, type PlacedPatch, placedPatch } from './places.ts'
import type { ReportedFinding, SuppressedFinding, Suppression } from './report.ts'

/** How a finding can be fixed: a patch of what is written there. */
export type Fix = PlacedPatch & {
  readonly kind: 'safe' | 'opt-in'
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

/** Why a finding is suppressed; undefined where it is not. `source` is where it stands. */
export type SuppressionOf = (
  finding: Finding<LocatedSubject>,
  place: { readonly source: Source; readonly line: number },
) => Suppression | undefined

/**
 * Gives findings their places and messages. Texts and documents are indexed once each, and only those that have
 * findings. A suppressed finding is not fixed. What several kustomizations build with the same outcome is one finding.
 */
export function reportFindings(
  findings: readonly Finding<LocatedSubject>[],
  rules: ReadonlyMap<string, AnyRule>,
  suppressionOf?: SuppressionOf,
): Reported {
  const fixes = new Map<ReportedFinding, Fix>()
  const kept: ReportedFinding[] = []
  const suppressed: SuppressedFinding[] = []
  const placeOf = createPlaces()
  const buildsOf = createMerger()
  for (const finding of findings) {
    const rule = rules.get(finding.rule)
    if (!rule) throw new Error(`a finding has the rule "${finding.rule}", which does not exist`)
    const place = placeOf(finding, markedToken(rule, finding))
    if ('isIgnored' in place.source && place.source.isIgnored) continue
    const described = reportedAt(place, describeFinding(rule, finding))
    const suppression = suppressionOf?.(finding, { source: place.source, line: place.start.line })
    const builds = buildsOf(described, finding.subject)
    if (builds === 'merged') continue
    const reported = builds ? { ...described, builds } : described
    if (suppression) {
      suppressed.push({ ...reported, suppression })
      continue
    }
    kept.push(reported)
    const fix = fixOf(finding, rule)
    if (fix) fixes.set(reported, fix)
  }
  return { findings: sorted(kept), suppressed: sorted(suppressed), fixes }
}

/** A finding at its place, with its members in the order of the report. */
const reportedAt = (
  { source, start, end }: FoundPlace,
  { rule, severity, pointer, message, help, object }: DescribedFinding,
): ReportedFinding => ({
  rule,
  severity,
  file: fileOf(source),
  line: start.line,
  column: start.column,
  endLine: end.line,
  endColumn: end.column,
  pointer,
  message,
  help,
  object,
})

function fixOf({ subject, patch }: Finding<LocatedSubject>, { fix: kind }: AnyRule): Fix | undefined {
  const placed = kind && patch ? placedPatch(patch, subject.origin) : undefined
  return placed && kind && { ...placed, kind, fieldsAt: subject.fieldsAt }
}

/**
 * Merges what several kustomizations build with the same outcome. Returns the list of their folders for the first such
 * finding, to which later ones add theirs; undefined for a finding in a file of one build, or of none.
 */
function createMerger() {
  const known = new Map<string, string[]>()
  return ({ pointer: _, object: __, ...reported }: ReportedFinding, { origin: { source } }: LocatedSubject) => {
    const built = 'object' in source ? source.built : undefined
    if (!built) return undefined
    const key = JSON.stringify(reported)
    const folders = known.get(key)
    if (folders) {
      if (!folders.includes(built.folder)) folders.push(built.folder)
      return 'merged'
    }
    const first = [built.folder]
    known.set(key, first)
    return built.isShared(reported.file) ? first : undefined
  }
}

const inOrder = (a: ReportedFinding, b: ReportedFinding): number =>
  compareText(a.file, b.file) ||
  a.line - b.line ||
  a.column - b.column ||
  compareText(a.rule, b.rule) ||
  compareText(a.message, b.message)

/** Findings in the order of a report, each once: aliases of YAML put several at one place, in any order. */
export function sorted<Item extends ReportedFinding>(findings: readonly Item[]): readonly Item[] {
  const ordered = [...findings].sort(inOrder)
  let known = new Set<string>()
  return ordered.filter((finding, index) => {
    const before = ordered[index - 1]
    if (before === undefined || inOrder(finding, before) !== 0) {
      known = new Set()
      return true
    }
    if (known.size === 0) known.add(JSON.stringify(before))
    const text = JSON.stringify(finding)
    const isNew = !known.has(text)
    known.add(text)
    return isNew
  })
}
