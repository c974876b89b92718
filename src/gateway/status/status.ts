/**
 * The status of policies, as the controller would write it. Source: specification of RateLimitPolicy, "Status of the
 * policy", "States and transitions"; Gateway API, PolicyStatus.
 */
import { asObject, type Json, type JsonObject, member } from '../../json/member.ts'
import { type Condition, listAt, observed, textAt, transitionTime } from '../../kubernetes/conditions.ts'
import { fullName, knownNamespace } from '../../kubernetes/metadata.ts'
import { plural } from '../../text/plural.ts'
import type { Lookup } from '../../world/lookup.ts'
import {
  type ConflictMode,
  createdAt,
  outcomeOf,
  type PrecedenceReason,
  type TargetConflict,
} from '../conflicts/precedence.ts'
import type { PolicyLookup } from '../lookups/lookups.ts'
import { isRouteKind, type PolicyView, type RouteKind, type TargetKind, type TargetView } from '../objects/policy.ts'

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

/** Why a policy is invalid: the number of its errors, and the message of the first one. */
export type Invalidity = { readonly errors: number; readonly message: string }

/** What the status of a policy depends on. */
export type StatusContext = {
  readonly policies: PolicyLookup
  readonly gateways: { get(namespace: string | undefined, name: string): Lookup<unknown> }
  readonly routes: { get(kind: RouteKind, namespace: string | undefined, name: string): Lookup<unknown> }
  /** Undefined for a valid policy. */
  invalidity(policy: PolicyView): Invalidity | undefined
  /** True where several policies have its identity, so that it is not known which of them will exist. */
  isAmbiguous(policy: PolicyView): boolean
}

/** How a status is written. */
export type StatusOptions = {
  readonly conflict: ConflictMode
  /** The controller whose entries are written; those of others are kept. */
  readonly controllerName: string
  /** The API group of targets. */
  readonly gatewayGroup: string
  /** The transition time of conditions for which no other time is known, RFC 3339. */
  readonly now: string
}

/** What a condition says about a policy on one of its targets. */
type ConditionContent = Pick<Condition, 'status' | 'reason' | 'message'>

const ACCEPTED: ConditionContent = { status: 'True', reason: 'Accepted', message: 'The RateLimitPolicy is accepted' }

/** The entries of a policy's `status.ancestors`, one for each of its targets that has a kind and a name. */
export function ancestorStatuses(
  policy: PolicyView,
  context: StatusContext,
  options: StatusOptions,
): readonly AncestorStatus[] {
  const namespace = knownNamespace(policy.identity.namespace)
  const whole = verdictOnPolicy(policy, context, options.conflict)
  return writtenTargets(policy).map(({ kind, name }) => {
    const ancestorRef = { group: options.gatewayGroup, kind, name, ...(namespace === undefined ? {} : { namespace }) }
    const verdict = verdictOnTarget(policy, { kind, name }, whole, context)
    const condition = { type: 'Accepted', ...verdict, ...observed(policy.object) }
    const before = conditionsBefore(policy.object, { kind, name }, options.controllerName)
    const lastTransitionTime = transitionTime(condition, before, createdAt(policy), options.now)
    return {
      ancestorRef,
      controllerName: options.controllerName,
      conditions: [{ ...condition, lastTransitionTime }],
    }
  })
}

/** The kind and name of each target as written, also of kinds that a policy cannot target, each once. */
function writtenTargets({ targets }: PolicyView): readonly { readonly kind: string; readonly name: string }[] {
  const written = targets.flatMap(({ kind, name }: TargetView) =>
    typeof kind.raw === 'string' && name.value ? [{ kind: kind.raw, name: name.value }] : [],
  )
  return [...new Map(written.map((target) => [`${target.kind}/${target.name}`, target])).values()]
}

/** The conditions that one controller has written for a target of a policy so far. */
function conditionsBefore(
  object: JsonObject,
  { kind, name }: { readonly kind: string; readonly name: string },
  controllerName: string,
): readonly Json[] {
  const ancestors = listAt(member(object, '', 'status', asObject).value, 'ancestors')
  const own = ancestors.find((ancestor) => {
    const ref = member(ancestor, '', 'ancestorRef', asObject).value
    const isSame = textAt(ref, 'kind') === kind && textAt(ref, 'name') === name
    return isSame && textAt(ancestor, 'controllerName') === controllerName
  })
  return listAt(own, 'conditions')
}

/** The verdict on a policy that holds for all of its targets; undefined where no such verdict is needed. */
function verdictOnPolicy(
  policy: PolicyView,
  context: StatusContext,
  conflict: ConflictMode,
): ConditionContent | undefined {
  const invalid = context.invalidity(policy)
  if (invalid) {
    const more = invalid.errors === 1 ? '' : ` (and ${plural(invalid.errors - 1, 'more error')})`
    return { status: 'False', reason: 'Invalid', message: `The RateLimitPolicy is invalid: ${invalid.message}${more}` }
  }
  if (context.isAmbiguous(policy))
    return { status: 'Unknown', reason: 'Ambiguous', message: 'Several of the given RateLimitPolicies have this name' }
  return conflictVerdict(policy, context, conflict)
}

function conflictVerdict(policy: PolicyView, context: StatusContext, mode: ConflictMode): ConditionContent | undefined {
  const outcome = outcomeOf(policy, context.policies, mode)
  const { namespace } = policy.identity
  const mayExist = ({ kind, name }: TargetConflict) => lookUp(context, kind, namespace, name) !== 'absent'
  if (outcome.state === 'rejected') {
    const conflict = outcome.conflicts.find(mayExist)
    return (
      conflict && { status: 'False', reason: 'Conflicted', message: `Conflicts with ${describeConflict(conflict)}` }
    )
  }
  if (outcome.state === 'accepted') return undefined
  const chain = outcome.chains.find(({ conflict, next }) => mayExist(conflict) && mayExist(next))
  if (!chain) return undefined
  const next = `which itself conflicts with ${fullName(chain.next.preferred.identity)}: the order of targets decides`
  const message = `Conflicts with ${describeConflict(chain.conflict)}, ${next}`
  return { status: 'Unknown', reason: 'Conflicted', message }
}

const REASONS: Readonly<Record<PrecedenceReason, string>> = {
  age: 'is older',
  name: 'was created in the same second and comes first by name',
  assumed: 'comes first by name (creation times are not known)',
}

function describeConflict({ preferred, decidedBy, fields, kind, name }: TargetConflict): string {
  const set = fields.length < 2 ? fields.join('') : `${fields.slice(0, -1).join(', ')} and ${fields.at(-1)}`
  return `RateLimitPolicy ${fullName(preferred.identity)}, which ${REASONS[decidedBy]} and sets ${set} on ${kind} ${name}`
}

function verdictOnTarget(
  policy: PolicyView,
  { kind, name }: { readonly kind: string; readonly name: string },
  whole: ConditionContent | undefined,
  context: StatusContext,
): ConditionContent {
  if (whole?.reason === 'Invalid') return whole
  const { namespace } = policy.identity
  const named = policy.namedTargets.find((target) => target.kind === kind && target.name === name)
  const state = named ? lookUp(context, named.kind, namespace, name) : 'unknown'
  const target = `${kind} ${fullName({ namespace, name })}`
  if (state === 'absent') return { status: 'False', reason: 'TargetNotFound', message: `${target} does not exist` }
  if (whole) return whole
  if (state === 'found') return ACCEPTED
  return {
    status: 'Unknown',
    reason: 'TargetUnknown',
    message: `${target} is not among the given manifests; it may not exist`,
  }
}

const lookUp = (
  { gateways, routes }: StatusContext,
  kind: TargetKind,
  namespace: string | undefined,
  name: string,
): Lookup<unknown>['state'] =>
  (isRouteKind(kind) ? routes.get(kind, namespace, name) : gateways.get(namespace, name)).state
