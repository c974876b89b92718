/** Responses to an AdmissionReview. Source: Kubernetes, "Dynamic Admission Control", response. */
import { fieldPath } from '../json/pointer.ts'
import type { ClusterView } from '../world/world.ts'
import type { Effect, Observation } from './observe.ts'
import type { Review } from './review.ts'
import type { AdmissionFinding, RuleFault } from './reviewer.ts'
import type { Verdict } from './verdict.ts'

/** A finding that denies an object, as the API server reports it. */
export type AdmissionCause = {
  /** The id of the rule. */
  readonly reason: string
  /** What is wrong, and what to do. */
  readonly message: string
  /** `spec.rateLimit.local.rules[0].rate` */
  readonly field: string
}

/** Why an object is denied: a Kubernetes `Status`. */
type AdmissionStatus = {
  readonly status: 'Failure'
  /** As of HTTP. */
  readonly code: number
  readonly reason: string
  readonly message: string
  readonly details?: {
    readonly name: string
    readonly group: string
    readonly kind: string
    readonly causes: readonly AdmissionCause[]
  }
}

/** The `response` of an AdmissionReview. */
export type AdmissionResponse = {
  readonly uid: string
  readonly allowed: boolean
  readonly status?: AdmissionStatus
  readonly warnings?: readonly string[]
  /** Rule ids, joined by commas, under `errors`, `warnings`, `patched` and `faults`. */
  readonly auditAnnotations?: Readonly<Record<string, string>>
  readonly patchType?: 'JSONPatch'
  /** Base64. */
  readonly patch?: string
}

/** The response to a review that the rules have judged. */
export function verdictResponse(
  review: Review,
  { allowed, denials, earlier, warnings, faults }: Verdict,
  view: ClusterView,
): AdmissionResponse {
  if (denials.length + warnings.length + faults.length === 0 && view.synced) return { uid: review.uid, allowed: true }
  const softened = allowed ? denials.map((finding) => shortened(`would be denied: ${warningOf(finding)}`)) : []
  const lines = [...softened, ...faultWarnings(faults), ...syncWarnings(view), ...warnings.map(warningOf)]
  return {
    uid: review.uid,
    allowed,
    ...(allowed ? {} : { status: statusOf(review, { denials, earlier, faults }) }),
    ...warningsMember(lines),
    ...annotations({ errors: idsOf(denials), warnings: idsOf(warnings), faults: idsOf(faults) }),
  }
}

/** The response that only warns about what happens to other objects. */
export function observationResponse({ uid }: Review, { orphans, effects, faults }: Observation): AdmissionResponse {
  const lost = orphans.map(({ kind, name }) =>
    shortened(`${kind} "${name}" loses its last target: it limits nothing any more`),
  )
  const lines = [...lost, ...effects.map(effectLine), ...faultWarnings(faults)]
  const rules = idsOf(effects.map(({ finding }) => finding))
  return { uid, allowed: true, ...warningsMember(lines), ...annotations({ warnings: rules, faults: idsOf(faults) }) }
}

const effectLine = ({ kind, name, finding }: Effect): string =>
  shortened(`${kind} "${name}": ${finding.message}`, ` [${finding.rule}]`)

function statusOf(
  { object, name, namespace }: Review,
  { denials, earlier, faults }: Pick<Verdict, 'denials' | 'earlier' | 'faults'>,
): AdmissionStatus {
  const shownName = name || '(unnamed)'
  const kind = typeof object?.kind === 'string' ? object.kind : ''
  const apiVersion = typeof object?.apiVersion === 'string' ? object.apiVersion : ''
  if (denials.length === 0)
    return {
      status: 'Failure',
      code: 500,
      reason: 'InternalError',
      message: `${kind} "${shownName}" could not be judged: a fault in sluice in ${idsOf(faults).join(', ')}, and the settings say "onFault: deny"`,
    }
  return {
    status: 'Failure',
    code: 422,
    reason: 'Invalid',
    message: denialMessage(`${kind} "${namespace ? `${namespace}/${shownName}` : shownName}"`, denials, earlier),
    details: {
      name: shownName,
      group: apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/'))),
      kind,
      causes: causesOf(denials),
    },
  }
}

/** More causes are not useful, and the size of a response is limited. */
const MOST_CAUSES = 100
const MOST_IN_MESSAGE = 3

const sentences = ({ message, help }: AdmissionFinding): string => `${message}. ${help}`

/** The entries of `status.details.causes`: one for each finding, with what is wrong and what to do. */
const causesOf = (findings: readonly AdmissionFinding[]): readonly AdmissionCause[] =>
  findings
    .slice(0, MOST_CAUSES)
    .map((finding) => ({ reason: finding.rule, message: sentences(finding), field: fieldPath(finding.pointer) }))

/** `status.message`: some clients show nothing else. Of errors that were there before, it says where they are. */
function denialMessage(
  object: string,
  findings: readonly AdmissionFinding[],
  earlier: readonly AdmissionFinding[],
): string {
  const described = firstOf(findings, (finding) => `: ${sentences(finding)}`).join('; ')
  const known = firstOf(earlier, () => '').join(', ')
  return `${object} is denied: ${described}${known === '' ? '' : `. Not a reason, as it was there already: ${known}`}`
}

const firstOf = (findings: readonly AdmissionFinding[], say: (finding: AdmissionFinding) => string) => [
  ...findings
    .slice(0, MOST_IN_MESSAGE)
    .map((finding) => `${fieldPath(finding.pointer)}${say(finding)} [${finding.rule}]`),
  ...(findings.length > MOST_IN_MESSAGE ? [`and ${findings.length - MOST_IN_MESSAGE} more`] : []),
]

const UTF_8 = new TextEncoder()

/** Kubernetes asks for warnings of less than 120 characters, and cuts off all beyond 4096. */
const LONGEST_WARNING = 119
const ALL_WARNINGS = 4096
/** The most bytes of the line that counts the warnings left out. */
const REST = 64

const warningOf = ({ pointer, message, rule }: AdmissionFinding): string =>
  shortened(`${fieldPath(pointer)}: ${message}`, ` [${rule}]`)

/** A line of a warning's length: where it is too long, the middle is cut and the end stays. */
export function shortened(text: string, end = ''): string {
  const line = text.replace(/\p{Cc}/gu, ' ')
  if (line.length + end.length <= LONGEST_WARNING) return line + end
  const cut = line.slice(0, LONGEST_WARNING - end.length - 1)
  return `${cut.replace(/[\uD800-\uDBFF]$/, '')}…${end}`
}

/** As many warnings as the API server passes on, and how many more there were. */
export function fitted(warnings: readonly string[]): readonly string[] {
  const lengths = warnings.map((warning) => UTF_8.encode(warning).length)
  if (lengths.reduce((sum, length) => sum + length, 0) <= ALL_WARNINGS) return warnings
  let room = ALL_WARNINGS - REST
  const shown = warnings.filter((_, index) => {
    room -= lengths[index] ?? 0
    return room >= 0
  })
  return [...shown, `and ${warnings.length - shown.length} more findings; "sluice lint" lists them all`]
}

const faultWarnings = (faults: readonly RuleFault[]): readonly string[] =>
  idsOf(faults).map((rule) => shortened(`rule ${rule} failed, a fault in sluice; the other rules were checked`))

function syncWarnings({ synced, notSynced }: ClusterView): readonly string[] {
  if (synced) return []
  const kinds = notSynced.join(', ') || 'some kinds'
  return [shortened(`sluice does not know all objects now (${kinds})`, '; checks across objects may be missing')]
}

const idsOf = (things: readonly { readonly rule: string }[]): readonly string[] => [
  ...new Set(things.map(({ rule }) => rule)),
]

/** The lines as the API server passes them on; no member where there are none. */
export const warningsMember = (lines: readonly string[]): Pick<AdmissionResponse, 'warnings'> =>
  lines.length === 0 ? {} : { warnings: fitted([...new Set(lines)]) }

/** Rule ids by what they did; empty lists are left out. */
export function annotations(
  lists: Readonly<Record<string, readonly string[]>>,
): Pick<AdmissionResponse, 'auditAnnotations'> {
  const written = Object.entries(lists).filter(([, ids]) => ids.length > 0)
  if (written.length === 0) return {}
  return { auditAnnotations: Object.fromEntries(written.map(([key, ids]) => [key, ids.join(',')])) }
}
