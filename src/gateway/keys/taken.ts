/**
 * Whether a running nginx can have the zones of a version of a policy. It has none of a version that the API server or
 * nginx itself rejects, that conflicts with a preferred policy, or whose targets lead to no Gateway. Source: specification
 * of RateLimitPolicy, "States and transitions" and "Errors".
 */
import { asObject, member } from '../../json/member.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { listAt, textAt } from '../../kubernetes/conditions.ts'
import { rateProblem } from '../../nginx/rejections.ts'
import type { VariablePlatform } from '../../nginx/variables.ts'
import { type ConflictLookups, outcomeOf } from '../conflicts/outcome.ts'
import { type ConflictMode, isAssumption } from '../conflicts/precedence.ts'
import { type GatewayLookups, lookUpTarget } from '../lookups/lookups.ts'
import { isRouteKind, type LimitView, type NamedTarget, type PolicyView } from '../objects/policy.ts'
import { fileNameSize } from '../render/files.ts'
import { namesGateway, servingOf } from '../routing/attachment.ts'
import { apiRejection } from '../schema/acceptance.ts'
import { keyPlatform } from './keys.ts'
import { unknownVariables } from './unknown-variables.ts'
import { usableSize } from './zones.ts'

/** What decides whether nginx has a policy. */
export type TakenContext = GatewayLookups & {
  readonly conflict: ConflictMode
  readonly names: Pick<ApiNames, 'controllerName'>
  /** The nginx, and its memory page in bytes. */
  readonly platform: VariablePlatform & { readonly pageSize: number }
}

/** True where nginx certainly has no zone of the version of a policy before the change. */
export const wasNotTaken = (previous: PolicyView, context: TakenContext): boolean =>
  isRefused(previous, context) ||
  wasNotAccepted(previous, context.names.controllerName) ||
  isConflicted(previous, before(context), context.conflict) ||
  leadsNowhere(previous, context)

/** True where nginx certainly gets no zone of a policy after the change, although the policy itself is valid. */
export const isNotTaken = (policy: PolicyView, context: TakenContext): boolean =>
  isConflicted(policy, context, context.conflict) || leadsNowhere(policy, context)

const everythingExisted = () => true

const before = ({ policies, gateways, routes }: ConflictLookups): ConflictLookups => ({
  policies: { ...policies, targeting: policies.targetingBefore, existedBefore: everythingExisted },
  gateways,
  routes,
})

/** True where the API server or nginx rejects a policy. */
function isRefused(policy: PolicyView, { platform, variables }: TakenContext): boolean {
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
  const [old, now] = [gatewayNames(previous, context), gatewayNames(policy, context)]
  return old !== undefined && now !== undefined && !old.some((name) => now.includes(name))
}

/** The Gateways to which the targets of a policy may lead; undefined where there may be others. */
function gatewayNames(
  { targets, namedTargets, identity: { namespace } }: PolicyView,
  { routes }: TakenContext,
): readonly string[] | undefined {
  if (namespace === undefined || targets.length === 0 || namedTargets.length < targets.length) return undefined
  const names: string[] = []
  for (const { kind, name } of namedTargets) {
    const route = isRouteKind(kind) ? routes.get(kind, namespace, name) : undefined
    if (!route) names.push(`${namespace}/${name}`)
    else if (route.state !== 'found' || !route.value.parents.every(namesGateway)) return undefined
    else names.push(...route.value.parents.map((parent) => `${parent.namespace ?? namespace}/${parent.name}`))
  }
  return names
}

/** True where every target is absent, or a route that no Gateway serves. */
const leadsNowhere = (policy: PolicyView, context: TakenContext): boolean =>
  policy.namedTargets.length > 0 && policy.namedTargets.every((target) => isUnserved(target, policy, context))

function isUnserved({ kind, name }: NamedTarget, { identity }: PolicyView, context: TakenContext): boolean {
  const { namespace } = identity
  if (lookUpTarget(context, kind, namespace, name) === 'absent') return true
  const route = isRouteKind(kind) ? context.routes.get(kind, namespace, name) : undefined
  if (route?.state !== 'found') return false
  const { state } = servingOf(route.value, context)
  return state === 'orphan' || state === 'absent' || state === 'rejected'
}
