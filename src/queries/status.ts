/**
 * `sluice status`: the status that a controller would write to policies and to their targets. Source: specification of
 * RateLimitPolicy, "Status of the policy", "Status of a target", "States and transitions".
 */

import type { PolicyView } from '../gateway/objects/policy.ts'
import {
  type AncestorStatus,
  ancestorStatuses,
  describeInvalidity,
  type StatusContext,
  type StatusOptions,
} from '../gateway/status/status.ts'
import {
  affectedCondition,
  policyWithStatus,
  type TargetObject,
  targetWithStatus,
} from '../gateway/status/status-objects.ts'
import { isObject, type JsonObject } from '../json/member.ts'
import { type ApiNames, apiNames } from '../kubernetes/api-groups.ts'
import type { Condition } from '../kubernetes/conditions.ts'
import { fullName, type Identity, knownNamespace, namespaceName } from '../kubernetes/metadata.ts'
import { canBeLookedUp } from '../project/objects.ts'
import type { Settings } from '../settings/settings.ts'
import { groupBy } from '../text/group.ts'
import { isolatedLookups, policiesOf, type QueryWorld } from './query-world.ts'

/** A policy and the entries of its `status.ancestors`. */
export type PolicyStatus = {
  /** Empty where it is unknown. */
  readonly namespace: string
  /** A generated name ends in `*`. */
  readonly name: string
  readonly ancestors: readonly AncestorStatus[]
  /** Why there are no entries, or what rejects the policy although the controller accepts it. */
  readonly note: string | undefined
}

/** A target and its condition; undefined where it has no accepted policy. */
export type TargetStatus = Pick<Identity, 'kind' | 'namespace' | 'name'> & {
  /** The policies that are accepted on it: `shop/coffee`. */
  readonly policies: readonly string[]
  readonly condition: Condition | undefined
}

/** The statuses in one world, and the objects with them. */
export type StatusResult = {
  /** Empty for sources that belong to no world. */
  readonly world: string
  readonly policies: readonly PolicyStatus[]
  readonly targets: readonly TargetStatus[]
  /** The policies, then those of their targets whose manifests are given; each whole, with its status. */
  readonly objects: readonly JsonObject[]
}

/** What statuses depend on beside the objects. */
export type StatusQuery = {
  readonly settings: Settings
  /** Default: the name in the specification. */
  readonly controllerName: string | undefined
  /** The transition time of new conditions, RFC 3339. */
  readonly now: string
}

/** Names of controllers that the API server accepts: a domain, a slash and a path. */
export const CONTROLLER_NAME = /^(?=.{1,253}$)[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?\/[\w./~%!$&'()*+,;=:-]+$/

const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/

/** A time of RFC 3339 in UTC and whole seconds, as Kubernetes writes times; undefined for anything else. */
export function kubernetesTime(text: string): string | undefined {
  const time = new Date(RFC_3339.test(text) ? text : Number.NaN)
  if (Number.isNaN(time.getTime())) return undefined
  return `${time.toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)}Z`
}

/** The statuses of the policies and targets in one world. */
export function queryStatus(queryWorld: QueryWorld, { settings, controllerName, now }: StatusQuery): StatusResult {
  const names = apiNames(settings.apiGroups)
  const options: StatusOptions = {
    conflict: settings.conflict,
    controllerName: controllerName ?? names.controllerName,
    gatewayGroup: names.gatewayGroup,
    now,
  }
  const contextOf = createContextOf(queryWorld, names)
  const found = policiesOf(queryWorld.objects).map((policy) => ({
    view: policy.view,
    ancestors: ancestorStatuses(policy.view, contextOf(policy), options),
  }))
  const targets = targetsIn(queryWorld, found, options)
  return {
    world: queryWorld.name,
    policies: found.map(({ view, ancestors }) => policyStatus(view, ancestors, queryWorld)),
    targets: targets.map(({ view: { identity }, policies, condition }) => ({
      ...identity,
      namespace: knownNamespace(identity.namespace),
      policies: policies.map(displayName),
      condition,
    })),
    objects: [
      ...found.map(({ view, ancestors }) => withNamespace(policyWithStatus(view, ancestors, options), view.identity)),
      ...targets.map(({ view, condition }) => withNamespace(targetWithStatus(view, condition, options), view.identity)),
    ],
  }
}

type FoundPolicyStatus = { readonly view: PolicyView; readonly ancestors: readonly AncestorStatus[] }

/** What the status of each policy depends on. Nothing is certain about one of an unknown version. */
function createContextOf({ objects, world, invalid }: QueryWorld, names: ApiNames) {
  const isolated = isolatedLookups(objects, names)
  const byName = groupBy(policiesOf(objects), ({ view }) => keyOf(view))
  const rest = {
    invalidity: (policy: PolicyView) => invalid.get(policy),
    isAmbiguous: (policy: PolicyView) =>
      policy.identity.name !== undefined && (byName.get(keyOf(policy))?.length ?? 0) > 1,
  }
  return (policy: Parameters<typeof canBeLookedUp>[0]): StatusContext => ({
    ...(canBeLookedUp(policy) ? world : isolated),
    ...rest,
  })
}

const keyOf = ({ identity: { namespace = '', name } }: PolicyView): string => `${namespace}/${name}`

function policyStatus(view: PolicyView, ancestors: readonly AncestorStatus[], { invalid }: QueryWorld): PolicyStatus {
  const namespace = namespaceName(view.identity.namespace)
  const invalidity = invalid.get(view)
  const isSaid = ancestors.length > 0 && invalidity?.rejectedBy === 'api-server'
  const errors = invalidity && !isSaid ? describeInvalidity(invalidity) : undefined
  const note = errors ?? (ancestors.length > 0 ? undefined : 'it names no target')
  return { namespace, name: bareName(view), ancestors, note }
}

const bareName = ({ identity, metadata }: PolicyView): string =>
  identity.name ?? (metadata.generateName.value ? `${metadata.generateName.value}*` : '')

const displayName = (policy: PolicyView): string =>
  fullName({ namespace: policy.identity.namespace, name: bareName(policy) })

type AffectedTarget = {
  readonly view: TargetObject
  readonly policies: readonly PolicyView[]
  readonly condition: Condition | undefined
}

/** The Gateways and routes that policies target and whose manifests are given, with the policies accepted on them. */
function targetsIn(
  { objects }: QueryWorld,
  found: readonly FoundPolicyStatus[],
  options: StatusOptions,
): readonly AffectedTarget[] {
  const named = new Map<string, PolicyView[]>()
  for (const { view, ancestors } of found)
    for (const { kind, name } of view.namedTargets) {
      const key = [kind, view.identity.namespace, name].join('/')
      const policies = named.get(key) ?? []
      named.set(key, policies)
      if (isAccepted(ancestors, kind, name)) policies.push(view)
    }
  const targets: readonly TargetObject[] = [...objects.gateways, ...objects.routes]
  return targets.flatMap((view) => {
    const { kind, namespace, name } = view.identity
    const policies = named.get([kind, namespace, name].join('/'))
    return policies ? [{ view, policies, condition: affectedCondition(view, policies, options) }] : []
  })
}

const isAccepted = (ancestors: readonly AncestorStatus[], kind: string, name: string): boolean =>
  ancestors.some(
    ({ ancestorRef, conditions }) =>
      ancestorRef.kind === kind &&
      ancestorRef.name === name &&
      conditions.some(({ type, status }) => type === 'Accepted' && status === 'True'),
  )

/** Adds the namespace that the object will get where its manifest does not name one. */
function withNamespace(object: JsonObject, identity: Identity): JsonObject {
  const { metadata } = object
  const namespace = knownNamespace(identity.namespace)
  if (namespace === undefined || !isObject(metadata) || metadata.namespace === namespace) return object
  return { ...object, metadata: { ...metadata, namespace } }
}
