/**
 * Policies and their targets with the status that the controller would write. Source: specification of RateLimitPolicy,
 * "Status of the policy" and "Status of a target"; Gateway API, status of Gateways and routes.
 */

import { asObject, isObject, type Json, type JsonObject, member } from '../../json/member.ts'
import { type Condition, listAt, observed, textAt, transitionTime } from '../../kubernetes/conditions.ts'
import { fullName, knownNamespace } from '../../kubernetes/metadata.ts'
import { createdAt } from '../conflicts/precedence.ts'
import type { GatewayView, ParentView, RouteView } from '../objects/gateways-and-routes.ts'
import type { PolicyView } from '../objects/policy.ts'
import { listenerSetKind, namesGateway } from '../routing/attachment.ts'
import type { AncestorStatus, StatusOptions } from './status.ts'

/** The type of the condition on a target that has accepted policies. */
const AFFECTED = 'RateLimitPolicyAffected'

/** A Gateway or route. */
export type TargetObject = GatewayView | RouteView

/** The condition of a target for which these policies are accepted; undefined without policies. */
export function affectedCondition(
  target: TargetObject,
  policies: readonly PolicyView[],
  { controllerName, now }: StatusOptions,
): Condition | undefined {
  if (policies.length === 0) return undefined
  const names = policies.map(({ identity }) => fullName(identity))
  const noun = names.length === 1 ? 'RateLimitPolicy' : 'RateLimitPolicies'
  const verb = names.length === 1 ? 'is' : 'are'
  const created = policies.map(createdAt).filter((time) => time !== undefined)
  const first = created.length === policies.length ? Math.min(...created) : undefined
  const condition = { type: AFFECTED, status: 'True' as const }
  const before = isRoute(target)
    ? parentStatuses(target)
        .filter(isOf(controllerName))
        .flatMap((parent) => listAt(parent, 'conditions'))
    : listAt(statusOf(target.object), 'conditions')
  return {
    ...condition,
    reason: 'PolicyAffected',
    message: `${noun} ${names.join(', ')} ${verb} applied to the resource`,
    ...observed(target.object),
    lastTransitionTime: transitionTime(condition, before, first, now),
  }
}

const isRoute = (target: TargetObject): target is RouteView => 'parents' in target

const statusOf = (object: JsonObject): JsonObject | undefined => member(object, '', 'status', asObject).value

const isOf = (controllerName: string) => (entry: Json) => textAt(entry, 'controllerName') === controllerName

/** A policy with these entries instead of those that the same controller wrote before. */
export function policyWithStatus(
  { object }: PolicyView,
  ancestors: readonly AncestorStatus[],
  { controllerName }: StatusOptions,
): JsonObject {
  const status = statusOf(object) ?? {}
  const others = listAt(status, 'ancestors').filter((entry) => !isOf(controllerName)(entry))
  return { ...object, status: { ...status, ancestors: [...others, ...ancestors] } }
}

/** A target with the condition, or without an old one where `condition` is undefined. */
export function targetWithStatus(
  target: TargetObject,
  condition: Condition | undefined,
  options: StatusOptions,
): JsonObject {
  const { object } = target
  const status = statusOf(object) ?? {}
  if (!isRoute(target))
    return { ...object, status: { ...status, conditions: withCondition(listAt(status, 'conditions'), condition) } }
  return { ...object, status: { ...status, parents: parentsWithStatus(target, condition, options) } }
}

const withCondition = (conditions: readonly Json[], condition: Condition | undefined): readonly Json[] => [
  ...conditions.filter((one) => textAt(one, 'type') !== AFFECTED),
  ...(condition ? [condition] : []),
]

const parentStatuses = ({ object }: RouteView): readonly Json[] => listAt(statusOf(object), 'parents')

/** The entries of `status.parents`; those of other controllers are kept as they are. */
function parentsWithStatus(
  route: RouteView,
  condition: Condition | undefined,
  { controllerName, gatewayGroup }: StatusOptions,
): readonly Json[] {
  const before = parentStatuses(route)
  const own = before.filter(isOf(controllerName))
  const missing = route.parents
    .filter((parent) => (namesGateway(parent) || listenerSetKind(parent)) && parent.name !== undefined)
    .map((parent) => parentRef(parent, route, gatewayGroup))
    .filter((ref) => !own.some((entry) => isSameParent(member(entry, '', 'parentRef', asObject).value, ref)))
  return [
    ...before.map((entry) =>
      isObject(entry) && own.includes(entry)
        ? { ...entry, conditions: withCondition(listAt(entry, 'conditions'), condition) }
        : entry,
    ),
    ...(condition ? missing.map((ref) => ({ parentRef: ref, controllerName, conditions: [condition] })) : []),
  ]
}

/** A parent reference with the defaults of the API server. */
function parentRef(parent: ParentView, { identity }: RouteView, gatewayGroup: string): JsonObject {
  const { group = gatewayGroup, kind, name, namespace = knownNamespace(identity.namespace), sectionName, port } = parent
  return {
    group,
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    ...(sectionName === undefined ? {} : { sectionName }),
    ...(port === undefined ? {} : { port }),
  }
}

/** True where two references name the same parent; without a namespace they mean that of the route. */
function isSameParent(entry: JsonObject | undefined, ref: JsonObject): boolean {
  if (!entry) return false
  const namespace = entry.namespace ?? ref.namespace
  return (
    entry.name === ref.name &&
    namespace === ref.namespace &&
    entry.sectionName === ref.sectionName &&
    entry.port === ref.port
  )
}
