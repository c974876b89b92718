/**
 * The status of policies, as the controller would write it. Source: specification of RateLimitPolicy, "Status of the
 * policy", "States and transitions"; Gateway API, PolicyStatus.
 */
import { hasLearned } from '../../fabric/releases.ts'
import { asObject, type Json, type JsonObject, member } from '../../json/member.ts'
import { type Condition, listAt, observed, textAt, transitionTime } from '../../kubernetes/conditions.ts'
import { fullName, knownNamespace } from '../../kubernetes/metadata.ts'
import { counted } from '../../text/plural.ts'
import { outcomeOf, type TargetConflict } from '../conflicts/outcome.ts'
import { type ConflictMode, createdAt, PRECEDENCE } from '../conflicts/precedence.ts'
import { type Ownership, stateOfTarget } from '../force/owner.ts'
import type { GatewayLookups } from '../lookups/lookups.ts'
import type { NamedTarget, PolicyView, TargetView } from '../objects/policy.ts'

/** An entry of a policy's `status.ancestors`: one for each target. */
export type AncestorStatus = {
  readonly ancestorRef: {
    readonly group: string
    readonly kind: string
    readonly name: string
    /** Absent where the namespace of the policy is not known. */
    readonly namespace?: string
  }
  readonly controllerName: string
  readonly conditions: readonly Condition[]
}

/** The errors of a policy, and who rejects it because of them. */
export type Invalidity = {
  /** The number of errors, and the message of the first one. */
  readonly errors: number
  readonly message: string
  /**
   * `api-server`: it never reaches the controller. `nginx`: it does, takes part in conflicts, and may be accepted; then
   * nginx rejects the configuration. `strict-client`: it has fields that the API server drops, and that kubectl rejects.
   */
  readonly rejectedBy: 'api-server' | 'nginx' | 'strict-client'
}

/** What nginx says of a policy that it refused. */
export type Refusal = {
  /** nginx's own words. */
  readonly words: string
  /** What is in force of the policy. */
  readonly keeps: 'last-accepted' | 'nothing'
  /** Where several nginx run: how many of them have the policy as it is now, and how many there are. */
  readonly replicas?: { readonly have: number; readonly all: number }
}

/** What is in force of a refused policy, as the end of a sentence. */
export const KEPT: Readonly<Record<Refusal['keeps'], string>> = {
  'last-accepted': 'what it accepted last stays in force',
  nothing: 'nothing of it is in force',
}

/** What a condition says about a policy that nginx has refused. */
function refusedVerdict({ words, keeps, replicas }: Refusal): ConditionContent {
  const some = replicas && `${replicas.have} of ${replicas.all} replicas have the RateLimitPolicy; nginx refuses it`
  const message = `${some ?? 'nginx refuses the RateLimitPolicy'}, and ${KEPT[keeps]}: ${words}`
  return { status: 'False', reason: 'Invalid', message }
}

/** What the status of a policy depends on. */
export type StatusContext = Pick<GatewayLookups, 'policies' | 'gateways' | 'routes'> & {
  /** Undefined for a policy without errors. */
  invalidity(policy: PolicyView): Invalidity | undefined
  /** True where several policies have its identity, so that it is not known which of them will exist. */
  isAmbiguous(policy: PolicyView): boolean
  /** What a running nginx has said of a policy that it refused. */
  refusal?(policy: PolicyView): Refusal | undefined
}

/** How a status is written. */
export type StatusOptions = Ownership & {
  readonly conflict: ConflictMode
  /** The controller whose entries are written; those of others are kept. */
  readonly controllerName: string
  /** The API group of targets. */
  readonly gatewayGroup: string
  /** Which routes carry the condition of targets: those that policies target, or also those on targeted Gateways. */
  readonly affectedRoutes: 'targeted' | 'attached'
  /** The transition time of conditions for which no other time is known, RFC 3339. */
  readonly now: string
  /** True where a condition that is not there yet begins now; else it is taken to hold since its policy was created. */
  readonly isLive: boolean
}

/** What a condition says about a policy on one of its targets. */
type ConditionContent = Pick<Condition, 'status' | 'reason' | 'message'>

/** The controller accepts a policy without asking nginx, so errors that only nginx finds are said beside it. */
const accepted = (invalidity: Invalidity | undefined): ConditionContent => ({
  status: 'True',
  reason: 'Accepted',
  message: `The RateLimitPolicy is accepted${invalidity ? `, but ${describeInvalidity(invalidity)}` : ''}`,
})

/** What the condition `Programmed` says beside `Accepted`: it follows from that, and does not ask nginx either. */
function programmed({ status, reason }: ConditionContent): ConditionContent {
  if (status === 'True') return { status, reason: 'Programmed', message: 'The RateLimitPolicy is in the configuration' }
  if (status === 'Unknown')
    return {
      status,
      reason: 'Reconciling',
      message: 'Whether the RateLimitPolicy is in the configuration is not known',
    }
  return reason === 'Conflicted'
    ? { status, reason: 'Overridden', message: 'A preferred policy takes the place of the RateLimitPolicy' }
    : { status, reason: 'Reconciling', message: 'The RateLimitPolicy is not in the configuration' }
}

const REJECTED_BY = {
  nginx: 'nginx rejects the configuration',
  'strict-client': 'kubectl and other strict clients reject it',
} as const

/** What is wrong with a policy that the API server accepts, as a part of a sentence; else its errors. */
export function describeInvalidity(invalidity: Invalidity): string {
  const errors = describeErrors(invalidity)
  return invalidity.rejectedBy === 'api-server' ? errors : `${REJECTED_BY[invalidity.rejectedBy]}: ${errors}`
}

function describeErrors({ errors, message }: Invalidity): string {
  return errors === 1 ? message : `${message} (and ${counted(errors - 1, 'more error')})`
}

/**
 * The entries of a policy's `status.ancestors`, one for each of its targets that has a kind and a name, but for those that
 * belong to another controller.
 */
export function ancestorStatuses(
  policy: PolicyView,
  context: StatusContext,
  options: StatusOptions,
): readonly AncestorStatus[] {
  const namespace = knownNamespace(policy.identity.namespace)
  const own = writtenTargets(policy).filter((target) => {
    const named = namedTarget(policy, target)
    return !named || stateOfTarget(context, named.kind, policy.identity.namespace, named.name) !== 'foreign'
  })
  return own.map(({ kind, name }) => {
    const ancestorRef = { group: options.gatewayGroup, kind, name, ...(namespace === undefined ? {} : { namespace }) }
    const verdict = verdictOnTarget(policy, { kind, name }, context, options.conflict)
    const before = conditionsBefore(policy.object, { kind, name }, options.controllerName)
    const created = options.isLive ? undefined : createdAt(policy)
    const conditions = [
      { type: 'Accepted', ...verdict },
      ...(hasLearned(options.fabricVersion, 'programmed') ? [{ type: 'Programmed', ...programmed(verdict) }] : []),
    ].map((content) => {
      const condition = { ...content, ...observed(policy.object) }
      return { ...condition, lastTransitionTime: transitionTime(condition, before, created, options.now) }
    })
    return { ancestorRef, controllerName: options.controllerName, conditions }
  })
}

/** A target as written, also of a kind that a policy cannot target. */
type WrittenTarget = { readonly kind: string; readonly name: string }

/** A target of a kind and in a namespace that a policy can target; undefined for another one. */
const namedTarget = (policy: PolicyView, { kind, name }: WrittenTarget): NamedTarget | undefined =>
  policy.namedTargets.find((one) => one.kind === kind && one.name === name)

/** The kind and name of each target, each once. */
function writtenTargets({ targets }: PolicyView): readonly WrittenTarget[] {
  const written = targets.flatMap(({ kind, name }: TargetView) =>
    typeof kind.raw === 'string' && name.value ? [{ kind: kind.raw, name: name.value }] : [],
  )
  return [...new Map(written.map((target) => [`${target.kind}/${target.name}`, target])).values()]
}

/** The conditions that one controller has written for a target of a policy so far. */
function conditionsBefore(object: JsonObject, { kind, name }: WrittenTarget, controllerName: string): readonly Json[] {
  const ancestors = listAt(member(object, '', 'status', asObject).value, 'ancestors')
  const own = ancestors.find((ancestor) => {
    const ref = member(ancestor, '', 'ancestorRef', asObject).value
    const isSame = textAt(ref, 'kind') === kind && textAt(ref, 'name') === name
    return isSame && textAt(ancestor, 'controllerName') === controllerName
  })
  return listAt(own, 'conditions')
}

/** The verdict on a policy that holds for all of its targets, whether they exist or not; undefined where there is none. */
function invalidVerdict(policy: PolicyView, context: StatusContext): ConditionContent | undefined {
  const invalidity = context.invalidity(policy)
  if (invalidity?.rejectedBy !== 'api-server') return undefined
  const message = `The RateLimitPolicy is invalid: ${describeErrors(invalidity)}`
  return { status: 'False', reason: 'Invalid', message }
}

const AMBIGUOUS: ConditionContent = {
  status: 'Unknown',
  reason: 'Ambiguous',
  message: 'Several of the given RateLimitPolicies have this name',
}

/** A policy that is rejected on one target is rejected on all; where it has a conflict on this one, that is named. */
function conflictVerdict(
  policy: PolicyView,
  here: WrittenTarget,
  context: StatusContext,
  mode: ConflictMode,
): ConditionContent | undefined {
  const outcome = outcomeOf(policy, context, mode)
  const isHere = ({ kind, name }: TargetConflict) => kind === here.kind && name === here.name
  if (outcome.state === 'rejected') {
    const conflict = outcome.conflicts.find(isHere) ?? outcome.conflicts[0]
    return (
      conflict && { status: 'False', reason: 'Conflicted', message: `Conflicts with ${describeConflict(conflict)}` }
    )
  }
  if (outcome.state === 'accepted') return undefined
  const chain = outcome.chains.find(({ conflict }) => isHere(conflict)) ?? outcome.chains[0]
  if (!chain) return undefined
  const next = `which itself conflicts with ${fullName(chain.next.preferred.identity)}: the order of targets decides`
  const message = `Conflicts with ${describeConflict(chain.conflict)}, ${next}`
  return { status: 'Unknown', reason: 'Conflicted', message }
}

/** The preferred policy of a conflict, and why it is preferred. */
export function describeConflict({ preferred, decidedBy, fields, kind, name }: TargetConflict): string {
  const set = fields.length < 2 ? fields.join('') : `${fields.slice(0, -1).join(', ')} and ${fields.at(-1)}`
  return `RateLimitPolicy ${fullName(preferred.identity)}, which ${PRECEDENCE[decidedBy]} and sets ${set} on ${kind} ${name}`
}

function verdictOnTarget(
  policy: PolicyView,
  target: WrittenTarget,
  context: StatusContext,
  mode: ConflictMode,
): ConditionContent {
  const invalid = invalidVerdict(policy, context)
  if (invalid) return invalid
  const { namespace } = policy.identity
  const { kind, name } = target
  const named = namedTarget(policy, target)
  const state = named ? stateOfTarget(context, named.kind, namespace, name) : 'unknown'
  const title = `${kind} ${fullName({ namespace, name })}`
  if (state === 'absent') return { status: 'False', reason: 'TargetNotFound', message: `${title} does not exist` }
  if (context.isAmbiguous(policy)) return AMBIGUOUS
  const conflicted = conflictVerdict(policy, target, context, mode)
  if (conflicted) return conflicted
  const refusal = context.refusal?.(policy)
  if (refusal) return refusedVerdict(refusal)
  if (state === 'found') return accepted(context.invalidity(policy))
  const why = named
    ? 'is not among the given manifests; it may not exist'
    : 'is named with another namespace, a field that the API server drops and that kubectl rejects'
  return { status: 'Unknown', reason: 'TargetUnknown', message: `${title} ${why}` }
}
