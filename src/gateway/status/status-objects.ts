/**
 * Policies and their targets with the status that the controller would write. Source: specification of RateLimitPolicy,
 * "Status of the policy" and "Status of a target"; Gateway API, status of Gateways and routes.
 */

import { asObject, type Json, type JsonObject, member } from '../../json/member.ts'
import { isSameValue } from '../../json/patch.ts'
import { type Condition, listAt, observed, textAt, transitionTime } from '../../kubernetes/conditions.ts'
import { fullName, type Identity, knownNamespace } from '../../kubernetes/metadata.ts'
import { compareText } from '../../text/order.ts'
import { createdAt } from '../conflicts/precedence.ts'
import { ownerOfParent, parentGateway } from '../force/owner.ts'
import type { AttachmentLookups } from '../lookups/lookups.ts'
import type { GatewayView, ParentView, RouteView } from '../objects/gateways-and-routes.ts'
import type { PolicyView } from '../objects/policy.ts'
import { attachmentOf } from '../routing/attachment.ts'
import type { AncestorStatus, StatusOptions } from './status.ts'

/** The type of the condition on a target that has accepted policies. */
export const AFFECTED = 'RateLimitPolicyAffected'

/** A Gateway or route. */
export type TargetObject = GatewayView | RouteView

/** True for a route: its conditions are in `status.parents`, one list for each parent. */
export const isRoute = (target: TargetObject): target is RouteView => 'parents' in target

/** The condition of a route for one of its parents; undefined where no policy affects it there. */
type ParentCondition = { readonly parentRef: JsonObject; readonly condition: Condition | undefined }

/** A target, the accepted policies that affect it, and what it says of them. */
export type AffectedTarget = {
  readonly view: TargetObject
  readonly policies: readonly PolicyView[]
  /** The condition of a Gateway, or the first one of a route; undefined where there is none. */
  readonly condition: Condition | undefined
  /** For a route, each parent that may hold a condition of this controller. */
  readonly parents: readonly ParentCondition[]
}

/** What decides about the conditions of a target. */
export type TargetContext = AttachmentLookups & {
  /** The policies that are accepted on a target of that identity. */
  acceptedOn(identity: Identity): readonly PolicyView[]
}

/** What affects a target. Parents of other controllers hold no condition of this one, nor do those that do not exist. */
export function affectedTarget(view: TargetObject, context: TargetContext, options: StatusOptions): AffectedTarget {
  const own = context.acceptedOn(view.identity)
  if (!isRoute(view)) {
    const condition = affectedCondition(view.object, own, listAt(statusOf(view.object), 'conditions'), options)
    return { view, policies: own, condition, parents: [] }
  }
  const before = parentStatuses(view.object).filter(isOf(options.controllerName))
  const parents = holdingParents(view, context).map((parent) => {
    const ref = parentRefOf(parent, view, options.gatewayGroup)
    const conditions = before
      .filter((entry) => isSameParent(entry, ref))
      .flatMap((entry) => listAt(entry, 'conditions'))
    const policies = [...own, ...policiesOfGateway(parent, view, context, options)]
    return { parentRef: ref, policies, condition: affectedCondition(view.object, policies, conditions, options) }
  })
  return {
    view,
    policies: [...new Set([...own, ...parents.flatMap(({ policies }) => policies)])],
    condition: parents.find(({ condition }) => condition)?.condition,
    parents: parents.map(({ parentRef, condition }) => ({ parentRef, condition })),
  }
}

/** The parent references of a route whose entries this controller may write, each once. */
function holdingParents(route: RouteView, context: TargetContext): readonly ParentView[] {
  const holding = route.parents.filter((parent) => {
    const owner = ownerOfParent(parent, route, context)
    return owner === 'own' || owner === 'unknown'
  })
  return holding.filter((parent, index) => holding.findIndex((other) => isSameValue(other, parent)) === index)
}

/** The policies of the Gateway behind a parent reference, where routes on targeted Gateways carry the condition too. */
function policiesOfGateway(
  parent: ParentView,
  route: RouteView,
  { gateways, namespaces, acceptedOn }: TargetContext,
  { affectedRoutes }: StatusOptions,
): readonly PolicyView[] {
  if (affectedRoutes === 'targeted') return []
  const name = parentGateway(parent, route, { gateways })
  const gateway = name?.state === 'found' ? gateways.get(name.value.namespace, name.value.name) : undefined
  const policies = gateway?.state === 'found' ? acceptedOn(gateway.value.identity) : []
  if (gateway?.state !== 'found' || policies.length === 0) return []
  const byThisParent = { ...route, parents: [parent] }
  return attachmentOf(byThisParent, gateway.value, namespaces).state === 'attached' ? policies : []
}

/** The condition of an object that these policies affect; undefined without policies. */
function affectedCondition(
  object: JsonObject,
  policies: readonly PolicyView[],
  before: readonly Json[],
  { now, isLive }: StatusOptions,
): Condition | undefined {
  if (policies.length === 0) return undefined
  const names = policies.map(({ identity }) => fullName(identity)).sort(compareText)
  const noun = names.length === 1 ? 'RateLimitPolicy' : 'RateLimitPolicies'
  const verb = names.length === 1 ? 'is' : 'are'
  const created = policies.map(createdAt).filter((time) => time !== undefined)
  const isKnown = !isLive && created.length === policies.length
  const first = isKnown ? created.reduce((least, time) => Math.min(least, time), Infinity) : undefined
  const condition = { type: AFFECTED, status: 'True' as const }
  return {
    ...condition,
    reason: 'PolicyAffected',
    message: `${noun} ${names.join(', ')} ${verb} applied to the resource`,
    ...observed(object),
    lastTransitionTime: transitionTime(condition, before, first, now),
  }
}

const statusOf = (object: JsonObject): JsonObject | undefined => member(object, '', 'status', asObject).value

const isOf = (controllerName: string) => (entry: Json) => textAt(entry, 'controllerName') === controllerName

/** The most entries that the API server takes. */
const MOST_ANCESTORS = 16
const MOST_PARENTS = 32

/**
 * The `status.ancestors` of a policy with these entries instead of those that the same controller wrote before. Where
 * others have filled the list, the last of these are left out.
 */
export function ancestorsWith(
  object: JsonObject,
  ancestors: readonly AncestorStatus[],
  { controllerName }: Pick<StatusOptions, 'controllerName'>,
): readonly Json[] {
  const before = listAt(statusOf(object), 'ancestors')
  const isOwn = isOf(controllerName)
  const others = before.filter((entry) => !isOwn(entry))
  const own = ancestors.slice(0, Math.max(0, MOST_ANCESTORS - others.length))
  return isSameValue(before.filter(isOwn), own) ? before : [...others, ...own]
}

/** A policy with these entries instead of those that the same controller wrote before. */
export const policyWithStatus = (
  { object }: PolicyView,
  ancestors: readonly AncestorStatus[],
  options: StatusOptions,
): JsonObject => ({
  ...object,
  status: { ...statusOf(object), ancestors: ancestorsWith(object, ancestors, options) },
})

/** A target with its conditions, and without an old one where it has none. */
export function targetWithStatus(target: AffectedTarget, options: StatusOptions): JsonObject {
  const { object } = target.view
  const status = statusOf(object)
  const changed = isRoute(target.view)
    ? { parents: parentsWith(target, options) }
    : { conditions: withCondition(listAt(status, 'conditions'), target.condition) }
  return { ...object, status: { ...status, ...changed } }
}

const withCondition = (conditions: readonly Json[], condition: Condition | undefined): readonly Json[] => [
  ...conditions.filter((one) => textAt(one, 'type') !== AFFECTED),
  ...(condition ? [condition] : []),
]

const parentStatuses = (object: JsonObject): readonly Json[] => listAt(statusOf(object), 'parents')

/**
 * The `status.parents` of a route with its conditions. Entries of other controllers stay as they are; one of this
 * controller that has no condition left goes, as the API server takes none without conditions.
 */
export function parentsWith(
  { view: { object }, parents }: AffectedTarget,
  { controllerName }: Pick<StatusOptions, 'controllerName'>,
): readonly Json[] {
  const before = parentStatuses(object)
  const isOwn = isOf(controllerName)
  const kept = before.flatMap((entry) => {
    if (!isOwn(entry)) return [entry]
    const { condition } = parents.find(({ parentRef }) => isSameParent(entry, parentRef)) ?? {}
    const conditions = withCondition(listAt(entry, 'conditions'), condition)
    return conditions.length === 0 ? [] : [{ ...asObject(entry), conditions }]
  })
  const added = parents.flatMap(({ parentRef, condition }) =>
    condition && !before.some((entry) => isOwn(entry) && isSameParent(entry, parentRef))
      ? [{ parentRef, controllerName, conditions: [condition] }]
      : [],
  )
  return [...kept, ...added.slice(0, Math.max(0, MOST_PARENTS - kept.length))]
}

/** A parent reference with the defaults of the API server. */
function parentRefOf(parent: ParentView, { identity }: RouteView, gatewayGroup: string): JsonObject {
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

/** What tells two parent references apart. */
const PARENT_MEMBERS = ['group', 'kind', 'namespace', 'name', 'sectionName', 'port'] as const

/** True where an entry of `status.parents` is about a parent. Group, kind and namespace that it leaves out are the usual ones. */
function isSameParent(entry: Json, ref: JsonObject): boolean {
  const named = member(entry, '', 'parentRef', asObject).value
  if (!named) return false
  const { group = ref.group, kind = ref.kind, namespace = ref.namespace } = named
  const whole: JsonObject = { ...named, group, kind, namespace }
  return PARENT_MEMBERS.every((name) => whole[name] === ref[name])
}
