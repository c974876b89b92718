/**
 * Whether a running nginx can have the zones of a version of a policy. It has none of a version that the API server or
 * nginx itself rejects, that conflicts with a preferred policy, or whose targets lead to no Gateway. Source: specification
 * of RateLimitPolicy, "States and transitions" and "Errors".
 */
import { asObject, member } from '../../json/member.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { listAt, textAt } from '../../kubernetes/conditions.ts'
import { mayShareNamespace } from '../../kubernetes/metadata.ts'
import { rateProblem } from '../../nginx/rejections.ts'
import type { VariablePlatform } from '../../nginx/variables.ts'
import { type ConflictLookups, outcomeOf } from '../conflicts/outcome.ts'
import { type ConflictMode, isAssumption } from '../conflicts/precedence.ts'
import { isOutOfSight, stateOfTarget } from '../force/owner.ts'
import type { GatewayLookups, GatewayName, OwnLookups } from '../lookups/lookups.ts'
import type { RouteView } from '../objects/gateways-and-routes.ts'
import { isRouteKind, type LimitView, type NamedTarget, type PolicyView } from '../objects/policy.ts'
import { fileNameSize } from '../render/files.ts'
import { gatewayBehind, mayBeServed, servingOf } from '../routing/attachment.ts'
import { apiRejection } from '../schema/acceptance.ts'
import { keyPlatform } from './keys.ts'
import { unknownVariables } from './unknown-variables.ts'
import { usableSize } from './zones.ts'

/** The objects that decide whether nginx has a policy. */
type TakenLookups = OwnLookups & Pick<GatewayLookups, 'namespaces'>

/** What decides whether nginx has a policy. */
export type TakenContext = TakenLookups & {
  readonly conflict: ConflictMode
  readonly names: Pick<ApiNames, 'controllerName'>
  /** The nginx, and its memory page in bytes. */
  readonly platform: VariablePlatform & { readonly pageSize: number }
  /** The world before the change; undefined where only the policy is known to have changed. */
  readonly before?: TakenLookups | undefined
}

/** True where nginx certainly has no zone of the version of a policy before the change. */
export function wasNotTaken(previous: PolicyView, context: TakenContext): boolean {
  const earlier = beforeChange(context)
  return (
    isRefused(previous, earlier, context.platform) ||
    wasNotAccepted(previous, context.names.controllerName) ||
    isConflicted(previous, earlier, context.conflict) ||
    leadsNowhere(previous, earlier)
  )
}

/** True where nginx certainly gets no zone of a policy after the change, although the policy itself is valid. */
export const isNotTaken = (policy: PolicyView, context: TakenContext): boolean =>
  isConflicted(policy, context, context.conflict) || leadsNowhere(policy, context)

const everythingExisted = () => true

/** The lookups before the change: those of other objects are today's where it is not known how they were. */
function beforeChange({ before, gateways, routes, policies, variables, namespaces }: TakenContext) {
  const { targetingBefore: targeting } = policies
  const earlier: TakenLookups = before ?? {
    gateways,
    routes,
    policies: { ...policies, targeting },
    variables,
    namespaces,
  }
  return { ...earlier, policies: { ...earlier.policies, existedBefore: everythingExisted } }
}

/** True where the API server or nginx rejects a policy. */
function isRefused(policy: PolicyView, { variables }: TakenLookups, platform: TakenContext['platform']): boolean {
  if (apiRejection(policy) !== undefined) return true
  const { length, most } = fileNameSize(policy)
  const nginx = keyPlatform(platform, variables)
  return length > most || policy.limits.some((limit) => isRefusedLimit(limit, nginx, platform.pageSize))
}

function isRefusedLimit(limit: LimitView, nginx: VariablePlatform, pageSize: number): boolean {
  const { key, rate } = limit
  if (!key.value || key.value.problem !== undefined || usableSize(limit, pageSize) === undefined) return true
  if (unknownVariables(key.value, nginx).length > 0) return true
  const problem = rateProblem(String(rate.raw))
  return problem === 'too-long' || problem === 'zero' || problem === 'too-large'
}

/** True where the controller itself says of this very version that it applies it to no target. */
function wasNotAccepted({ object }: PolicyView, controllerName: string): boolean {
  const generation = member(object, '', 'metadata', asObject).value?.generation
  const ancestors = listAt(member(object, '', 'status', asObject).value, 'ancestors')
  const own = ancestors.filter((ancestor) => textAt(ancestor, 'controllerName') === controllerName)
  if (own.length === 0 || typeof generation !== 'number') return false
  return own.every((ancestor) =>
    listAt(ancestor, 'conditions').some(
      (condition) =>
        textAt(condition, 'type') === 'Accepted' &&
        textAt(condition, 'status') === 'False' &&
        member(condition, '', 'observedGeneration', (raw) => raw).value === generation,
    ),
  )
}

/** True where a policy certainly loses a conflict, so that it is dropped whole. An assumed order proves nothing. */
function isConflicted(policy: PolicyView, lookups: ConflictLookups, mode: ConflictMode): boolean {
  const outcome = outcomeOf(policy, lookups, mode)
  return outcome.state === 'rejected' && outcome.conflicts.some(({ decidedBy }) => !isAssumption(decidedBy))
}

/** True where none of the Gateways that a policy had before is one that it has now: each has an nginx of its own. */
export function hasMoved(previous: PolicyView, policy: PolicyView, context: TakenContext): boolean {
  const [old, now] = [gatewaysFor(previous, beforeChange(context)), gatewaysFor(policy, context)]
  return old !== undefined && now !== undefined && !old.some((one) => now.some((other) => mayBeOne(one, other)))
}

const mayBeOne = (a: GatewayName, b: GatewayName): boolean =>
  a.name === b.name && (a.namespace === b.namespace || mayShareNamespace(a.namespace, b.namespace))

/**
 * The Gateways to which the targets of a policy may lead; undefined where there may be others. A target in another namespace
 * may lead there, or into the namespace of the policy where the API server drops the member.
 */
function gatewaysFor(
  { targets, identity: { namespace } }: PolicyView,
  { routes, gateways }: TakenLookups,
): readonly GatewayName[] | undefined {
  if (namespace === undefined || targets.length === 0) return undefined
  const found = targets.flatMap(({ kind, name, namespace: other }) => {
    if (kind.value === undefined || !name.value) return [undefined]
    const target = { kind: kind.value, name: name.value }
    return [...new Set([namespace, other.value ?? namespace])].map((place) => {
      if (!isRouteKind(target.kind)) return [{ namespace: place, name: target.name }]
      const route = routes.get(target.kind, place, target.name)
      return route.state === 'found' ? gatewaysBehind(route.value, gateways) : undefined
    })
  })
  return found.every((some) => some !== undefined) ? found.flat() : undefined
}

/** The Gateways that a route names, itself or through a ListenerSet; undefined where there may be others. */
function gatewaysBehind(route: RouteView, gateways: TakenLookups['gateways']): readonly GatewayName[] | undefined {
  const named = route.parents.map((parent) => gatewayBehind(parent, route, gateways))
  if (named.some(({ state }) => state === 'unknown')) return undefined
  return named.flatMap((one) => (one.state === 'found' ? [one.value] : []))
}

/** True where every target is absent, or a route that no Gateway serves. */
const leadsNowhere = (policy: PolicyView, context: TakenLookups): boolean =>
  policy.namedTargets.length > 0 && policy.namedTargets.every((target) => isUnserved(target, policy, context))

function isUnserved({ kind, name }: NamedTarget, { identity }: PolicyView, context: TakenLookups): boolean {
  const { namespace } = identity
  if (isOutOfSight(stateOfTarget(context, kind, namespace, name))) return true
  const route = isRouteKind(kind) ? context.routes.get(kind, namespace, name) : undefined
  return route?.state === 'found' && !mayBeServed(servingOf(route.value, context))
}
