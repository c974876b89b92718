/** Answers to an AdmissionReview. Source: Kubernetes, "Dynamic Admission Control", response. */
import type { ClusterView } from '../../world/cluster-view.ts'
import type { Mending } from './mutate.ts'
import type { Effect, Observation } from './observe.ts'
import type { Review } from './review.ts'
import type { Fault, Told } from './reviewer.ts'
import { causesOf, fitted, refusalMessage, shortened, warningOf } from './texts.ts'
import type { Verdict } from './verdict.ts'

/** The `response` of an AdmissionReview. */
export type Answer = {
  readonly uid: string
  readonly allowed: boolean
  readonly status?: Readonly<Record<string, unknown>>
  readonly warnings?: readonly string[]
  readonly auditAnnotations?: Readonly<Record<string, string>>
  readonly patchType?: 'JSONPatch'
  /** Base64. */
  readonly patch?: string
}

/** Puts a response into its review. */
export const reviewOf = (response: Answer) => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  response,
})

/** The answer to a review that the rules have judged. */
export function answerVerdict(
  review: Review,
  { allowed, refusals, warnings, faults }: Verdict,
  view: ClusterView,
): Answer {
  const refused = allowed ? [] : refusals
  const softened = allowed ? refusals.map((finding) => shortened(`would be refused: ${warningOf(finding)}`)) : []
  const lines = [...softened, ...faultWarnings(faults), ...missing(view), ...warnings.map(warningOf)]
  return {
    uid: review.uid,
    allowed,
    ...(allowed ? {} : { status: statusOf(review, refused, faults) }),
    ...warningsMember(lines),
    ...annotations({ errors: idsOf(refusals), warnings: idsOf(warnings), faults: idsOf(faults) }),
  }
}

/** The answer that mends. */
export function answerMending({ uid }: Review, { patch, rules }: Mending): Answer {
  if (patch.length === 0) return { uid, allowed: true }
  return {
    uid,
    allowed: true,
    patchType: 'JSONPatch',
    patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
    ...annotations({ mended: rules }),
  }
}

/** The answer that only says what happens to policies. */
export function answerObservation({ uid }: Review, { orphans, effects, faults }: Observation): Answer {
  const lost = orphans.map((name) =>
    shortened(`RateLimitPolicy "${name}" loses its last target: it limits nothing any more`),
  )
  const lines = [...lost, ...effects.map(effectLine), ...faultWarnings(faults)]
  const rules = idsOf(effects.map(({ finding }) => finding))
  return { uid, allowed: true, ...warningsMember(lines), ...annotations({ warnings: rules, faults: idsOf(faults) }) }
}

const effectLine = ({ policy, finding }: Effect): string =>
  shortened(`RateLimitPolicy "${policy}": ${finding.message}`, ` [${finding.rule}]`)

function statusOf({ object, name, namespace }: Review, refusals: readonly Told[], faults: readonly Fault[]) {
  const shownName = name || 'without a name'
  const apiVersion = typeof object?.apiVersion === 'string' ? object.apiVersion : ''
  if (refusals.length === 0)
    return {
      status: 'Failure',
      code: 500,
      reason: 'InternalError',
      message: `RateLimitPolicy "${shownName}" could not be judged: a fault of sluice in ${idsOf(faults).join(', ')}, and the settings say "onFault: deny"`,
    }
  return {
    status: 'Failure',
    code: 422,
    reason: 'Invalid',
    message: refusalMessage(namespace ? `${namespace}/${shownName}` : shownName, refusals),
    details: {
      name: shownName,
      group: apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/'))),
      kind: 'RateLimitPolicy',
      causes: causesOf(refusals),
    },
  }
}

const faultWarnings = (faults: readonly Fault[]): readonly string[] =>
  idsOf(faults).map((rule) => shortened(`rule ${rule} failed, a fault of sluice; the other rules have spoken`))

function missing({ synced, notSynced }: ClusterView): readonly string[] {
  if (synced) return []
  const kinds = notSynced.join(', ') || 'some kinds'
  return [shortened(`sluice does not see all objects now (${kinds})`, '; checks across objects may be missing')]
}

const idsOf = (things: readonly { readonly rule: string }[]): readonly string[] => [
  ...new Set(things.map(({ rule }) => rule)),
]

const warningsMember = (lines: readonly string[]): Pick<Answer, 'warnings'> =>
  lines.length === 0 ? {} : { warnings: fitted([...new Set(lines)]) }

/** Rule ids by what they did; what is empty is left out. */
function annotations(lists: Readonly<Record<string, readonly string[]>>): Pick<Answer, 'auditAnnotations'> {
  const written = Object.entries(lists).filter(([, ids]) => ids.length > 0)
  if (written.length === 0) return {}
  return { auditAnnotations: Object.fromEntries(written.map(([key, ids]) => [key, ids.join(',')])) }
}
