/**
 * The conditions that policies and their targets carry. Source: specification of RateLimitPolicy, "Status of the
 * policy", "Status of a target", "States and transitions".
 */
import { type Condition, conditionsBefore, observed, transitionTime } from '../../kubernetes/conditions.ts'
import type { Identity } from '../../kubernetes/metadata.ts'
import {
  type ConflictMode,
  createdAt,
  fateOf,
  type PrecedenceReason,
  type TargetLoss,
} from '../conflicts/precedence.ts'
import type { Lookup, PoliciesAround } from '../lookups.ts'
import { isRouteKind, type PolicyView, type RouteKind, type TargetKind, type TargetView } from '../objects/policy.ts'

/** An entry of a policy's `status.ancestors`: one for each target. */
export type AncestorStatus = {
  readonly ancestorRef: {
    readonly group: string
    readonly kind: string
    readonly name: string
    /** Absent where nobody knows the policy's own. */
    readonly namespace?: string
  }
  readonly controllerName: string
  readonly conditions: readonly Condition[]
}

/** Why a policy is invalid whatever stands around it. */
export type Invalidity = { readonly errors: number; readonly message: string }

/** What a policy's status depends on. */
export type StatusAround = {
  readonly policies: PoliciesAround
  readonly gateways: { get(namespace: string | undefined, name: string): Lookup<unknown> }
  readonly routes: { get(kind: RouteKind, namespace: string | undefined, name: string): Lookup<unknown> }
  /** Undefined for a valid policy. */
  invalidity(policy: PolicyView): Invalidity | undefined
  /** True where its identity stands several times: nobody can say which of them there will be. */
  isAmbiguous(policy: PolicyView): boolean
}

export type StatusOptions = {
  readonly conflict: ConflictMode
  readonly controllerName: string
  /** The API group of targets. */
  readonly gatewayGroup: string
  /** The time of what has no other, RFC 3339. */
  readonly now: string
}

/** What becomes of a policy on one of its targets, in the words of a condition. */
type Verdict = Pick<Condition, 'status' | 'reason' | 'message'>

const ACCEPTED: Verdict = { status: 'True', reason: 'Accepted', message: 'The RateLimitPolicy is accepted' }

/** The entries of a policy's `status.ancestors`, one for each of its targets that has a kind and a name. */
export function ancestorStatuses(
  policy: PolicyView,
  around: StatusAround,
  options: StatusOptions,
): readonly AncestorStatus[] {
  const { namespace } = policy.identity
  const whole = verdictOnPolicy(policy, around, options.conflict)
  return writtenTargets(policy).map(({ kind, name }) => {
    const ancestorRef = { group: options.gatewayGroup, kind, name, ...(namespace === undefined ? {} : { namespace }) }
    const verdict = verdictOnTarget(policy, { kind, name }, whole, around)
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

/** The kind and name of each target as written, of a wrong kind too, each once. */
function writtenTargets({ targets }: PolicyView): readonly { readonly kind: string; readonly name: string }[] {
  const written = targets.flatMap(({ kind, name }: TargetView) =>
    typeof kind.raw === 'string' && name.value ? [{ kind: kind.raw, name: name.value }] : [],
  )
  return [...new Map(written.map((target) => [`${target.kind}/${target.name}`, target])).values()]
}

/** What holds for a policy on all of its targets; undefined where nothing is in its way. */
function verdictOnPolicy(policy: PolicyView, around: StatusAround, conflict: ConflictMode): Verdict | undefined {
  const invalid = around.invalidity(policy)
  if (invalid) {
    const others = invalid.errors - 1
    const more = others === 0 ? '' : ` (and ${others} more error${others === 1 ? '' : 's'})`
    return { status: 'False', reason: 'Invalid', message: `The RateLimitPolicy is invalid: ${invalid.message}${more}` }
  }
  if (around.isAmbiguous(policy))
    return { status: 'Unknown', reason: 'Ambiguous', message: 'Several RateLimitPolicies of this name are in sight' }
  return conflictVerdict(policy, around, conflict)
}

function conflictVerdict(policy: PolicyView, around: StatusAround, mode: ConflictMode): Verdict | undefined {
  const fate = fateOf(policy, around.policies, mode)
  const { namespace } = policy.identity
  const isThere = ({ kind, name }: TargetLoss) => lookUp(around, kind, namespace, name) !== 'absent'
  if (fate.state === 'dropped') {
    const loss = fate.losses.find(isThere)
    return loss && { status: 'False', reason: 'Conflicted', message: `Conflicts with ${lossWords(loss)}` }
  }
  if (fate.state === 'kept') return undefined
  const link = fate.links.find(({ loss, beyond }) => isThere(loss) && isThere(beyond))
  if (!link) return undefined
  const beyond = `which itself conflicts with ${nameOf(link.beyond.winner.identity)}: the order of targets decides`
  return { status: 'Unknown', reason: 'Conflicted', message: `Conflicts with ${lossWords(link.loss)}, ${beyond}` }
}

const REASONS: Readonly<Record<PrecedenceReason, string>> = {
  age: 'is older',
  name: 'is as old, comes first by name',
  assumed: 'comes first by name (creation times are not known)',
}

function lossWords({ winner, by, fields, kind, name }: TargetLoss): string {
  const set = fields.length < 2 ? fields.join('') : `${fields.slice(0, -1).join(', ')} and ${fields.at(-1)}`
  return `RateLimitPolicy ${nameOf(winner.identity)}, which ${REASONS[by]} and sets ${set} on ${kind} ${name}`
}

const nameOf = ({ namespace, name = '' }: Identity): string => (namespace === undefined ? name : `${namespace}/${name}`)

function verdictOnTarget(
  policy: PolicyView,
  { kind, name }: { readonly kind: string; readonly name: string },
  whole: Verdict | undefined,
  around: StatusAround,
): Verdict {
  if (whole?.reason === 'Invalid') return whole
  const { namespace } = policy.identity
  const named = policy.namedTargets.find((target) => target.kind === kind && target.name === name)
  const state = named ? lookUp(around, named.kind, namespace, name) : 'unknown'
  const target = `${kind} ${nameOf({ kind, namespace, name })}`
  if (state === 'absent') return { status: 'False', reason: 'TargetNotFound', message: `${target} does not exist` }
  if (whole) return whole
  if (state === 'found') return ACCEPTED
  return {
    status: 'Unknown',
    reason: 'TargetUnknown',
    message: `${target} is not in sight: nobody here can say whether it exists`,
  }
}

const lookUp = (
  { gateways, routes }: StatusAround,
  kind: TargetKind,
  namespace: string | undefined,
  name: string,
): Lookup<unknown>['state'] =>
  (isRouteKind(kind) ? routes.get(kind, namespace, name) : gateways.get(namespace, name)).state
