/**
 * `sluice status`: the status that a controller would write to policies and to their targets. Source: specification of
 * RateLimitPolicy, "Status of the policy", "Status of a target", "States and transitions".
 */

import { fabricTitle } from '../fabric/releases.ts'
import { type ForceContext, forceOf, type Reason } from '../gateway/force/force.ts'
import { foreignGateway, ownedBy } from '../gateway/force/owner.ts'
import type { NamedTarget, PolicyView } from '../gateway/objects/policy.ts'
import {
  type AncestorStatus,
  describeInvalidity,
  type StatusContext,
  type StatusOptions,
} from '../gateway/status/status.ts'
import { policyWithStatus, targetWithStatus } from '../gateway/status/status-objects.ts'
import { statusesOf } from '../gateway/status/statuses.ts'
import { isObject, type JsonObject } from '../json/member.ts'
import { type ApiNames, apiNames } from '../kubernetes/api-groups.ts'
import type { Condition } from '../kubernetes/conditions.ts'
import { fullName, type Identity, knownNamespace, namespaceName } from '../kubernetes/metadata.ts'
import { canBeLookedUp } from '../project/objects.ts'
import type { NotJudged } from '../project/source.ts'
import type { Settings } from '../settings/settings.ts'
import { groupBy } from '../text/group.ts'
import { forceContext, isolatedLookups, policiesOf, type QueryWorld } from './query-world.ts'

/** A policy and the entries of its `status.ancestors`. */
export type PolicyStatus = {
  /** Empty where it is unknown. */
  readonly namespace: string
  /** A generated name ends in `*`. */
  readonly name: string
  readonly ancestors: readonly AncestorStatus[]
  /** True where all of its targets belong to other controllers, which write its entries. */
  readonly isForeign: boolean
  /** True where the release of the controller does not know what its routes name, so that it writes no entries. */
  readonly isUnseen: boolean
  /** Why there are no entries, or what rejects the policy although the controller accepts it. */
  readonly note: string | undefined
}

/** A target and its condition; undefined where it has no accepted policy. */
export type TargetStatus = Pick<Identity, 'kind' | 'namespace' | 'name'> & {
  /** The policies that are accepted on it: `shop/coffee`. */
  readonly policies: readonly string[]
  readonly condition: Condition | undefined
}

/** A policy and one of its targets, on which it limits nothing, and why; `message` is the end of a sentence. */
type PolicyNotInForce = {
  readonly policy: { readonly namespace: string; readonly name: string }
  readonly target: Pick<NamedTarget, 'kind' | 'name'>
  readonly reason: Reason
  readonly message: string
}

/** The statuses in one world, and the objects with them. */
export type StatusResult = {
  /** Empty for sources that belong to no world. */
  readonly world: string
  readonly policies: readonly PolicyStatus[]
  readonly targets: readonly TargetStatus[]
  /** The policies that certainly limit nothing on one of their targets, accepted or not. */
  readonly notInForce: readonly PolicyNotInForce[]
  /** The policies, then those of their targets whose manifests are given; each whole, with its status. */
  readonly objects: readonly JsonObject[]
  /** What of the given manifests is left out, although it may change the statuses; sorted by file and line. */
  readonly notJudged: readonly NotJudged[]
}

/** What statuses depend on beside the objects. */
export type StatusQuery = {
  readonly settings: Settings
  /** Default: the name in the specification. */
  readonly controllerName: string | undefined
  /** The transition time of new conditions, RFC 3339. */
  readonly now: string
  /** What a running nginx has said of a policy that it refused. */
  readonly refusal?: StatusContext['refusal']
}

/** Names of controllers that the API server accepts: a domain, a slash and a path. */
export const CONTROLLER_NAME =
  /^(?=.{1,253}$)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*\/[\w./~%!$&'()*+,;=:-]+$/

const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/

/** A time of RFC 3339 in UTC and whole seconds, as Kubernetes writes times; undefined for anything else. */
export function kubernetesTime(text: string): string | undefined {
  const time = new Date(RFC_3339.test(text) ? text : Number.NaN)
  if (Number.isNaN(time.getTime())) return undefined
  return `${time.toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)}Z`
}

/** The statuses of the policies and targets in one world. */
export function queryStatus(queryWorld: QueryWorld, query: StatusQuery): StatusResult {
  const { settings, controllerName, now, refusal } = query
  const names = apiNames(settings.apiGroups)
  const name = controllerName ?? names.controllerName
  const options: StatusOptions = {
    conflict: settings.conflict,
    fabricVersion: settings.fabricVersion,
    affectedRoutes: settings.affectedRoutes,
    controllerName: name,
    gatewayController: controllerName,
    ownsClassless: true,
    gatewayGroup: names.gatewayGroup,
    now,
    isLive: false,
  }
  const { objects, world: lookups } = queryWorld
  const all = policiesOf(objects)
  const contextOf = createContextOf(queryWorld, names, refusal)
  const known = new Map(all.map((policy) => [policy.view, policy]))
  const { policies: found, targets: allTargets } = statusesOf(
    {
      policies: all.map(({ view }) => view),
      targets: [...objects.gateways, ...objects.routes],
      lookups,
      contextOf: (view) => contextOf(known.get(view)),
    },
    options,
  )
  const force = forceContext(queryWorld, settings)
  const targets = allTargets.filter(({ isNamed, policies }) => isNamed || policies.length > 0)
  return {
    world: queryWorld.name,
    policies: found.map(({ view, ancestors }) => policyStatus(view, ancestors, queryWorld, options)),
    targets: targets.map(({ view: { identity }, policies, condition }) => ({
      ...identity,
      namespace: knownNamespace(identity.namespace),
      policies: policies.map(displayName),
      condition,
    })),
    notInForce: all.flatMap((policy) => notInForce(policy.view, ownedBy({ ...force, ...contextOf(policy) }, options))),
    objects: [
      ...found.map(({ view, ancestors }) => withNamespace(policyWithStatus(view, ancestors, options), view.identity)),
      ...targets.map((target) => withNamespace(targetWithStatus(target, options), target.view.identity)),
    ],
    notJudged: queryWorld.notJudged,
  }
}

function notInForce(view: PolicyView, context: ForceContext): readonly PolicyNotInForce[] {
  const policy = { namespace: namespaceName(view.identity.namespace), name: bareName(view) }
  return view.namedTargets.flatMap(({ kind, name }) => {
    const force = forceOf(view, { kind, name }, context)
    if (force.state !== 'not-in-force') return []
    return [{ policy, target: { kind, name }, reason: force.reason, message: force.words }]
  })
}

/** What the status of each policy depends on. Nothing is certain about one of an unknown version. */
function createContextOf({ objects, world, invalid }: QueryWorld, names: ApiNames, refusal: StatusContext['refusal']) {
  const isolated = isolatedLookups(objects, names)
  const byName = groupBy(policiesOf(objects), ({ view }) => keyOf(view))
  const rest = {
    invalidity: (policy: PolicyView) => invalid.get(policy),
    ...(refusal && { refusal }),
    isAmbiguous: (policy: PolicyView) =>
      policy.identity.name !== undefined && (byName.get(keyOf(policy))?.length ?? 0) > 1,
  }
  return (policy: Parameters<typeof canBeLookedUp>[0] | undefined): StatusContext => ({
    ...(policy && canBeLookedUp(policy) ? world : isolated),
    ...rest,
  })
}

const keyOf = ({ identity: { namespace = '', name } }: PolicyView): string => `${namespace}/${name}`

function policyStatus(
  view: PolicyView,
  ancestors: readonly AncestorStatus[],
  { invalid, world }: QueryWorld,
  options: StatusOptions,
): PolicyStatus {
  const namespace = namespaceName(view.identity.namespace)
  const invalidity = invalid.get(view)
  const isSaid = ancestors.length > 0 && invalidity?.rejectedBy === 'api-server'
  const errors = invalidity && !isSaid ? describeInvalidity(invalidity) : undefined
  const hasNone = ancestors.length === 0 && view.namedTargets.length > 0
  const lookups = ownedBy(world, options)
  const isForeign =
    hasNone && view.namedTargets.some((target) => foreignGateway(target, view.identity.namespace, lookups))
  const isUnseen = hasNone && !isForeign
  const unseen = `${fabricTitle(options.fabricVersion)} does not know the ListenerSets of its routes`
  const none = isForeign ? 'its targets belong to another controller' : isUnseen ? unseen : 'it names no target'
  const note = errors ?? (ancestors.length > 0 ? undefined : none)
  return { namespace, name: bareName(view), ancestors, isForeign, isUnseen, note }
}

const bareName = ({ identity, metadata }: PolicyView): string =>
  identity.name ?? (metadata.generateName.value ? `${metadata.generateName.value}*` : '')

const displayName = (policy: PolicyView): string =>
  fullName({ namespace: policy.identity.namespace, name: bareName(policy) })

/** Adds the namespace that the object will get where its manifest does not name one. */
function withNamespace(object: JsonObject, identity: Identity): JsonObject {
  const { metadata } = object
  const namespace = knownNamespace(identity.namespace)
  if (namespace === undefined || !isObject(metadata) || metadata.namespace === namespace) return object
  return { ...object, metadata: { ...metadata, namespace } }
}
