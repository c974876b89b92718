/**
 * `sluice status`: the status that policies and their targets would carry. Source: specification of RateLimitPolicy,
 * "Status of the policy", "Status of a target", "States and transitions".
 */

import type { PolicyView } from '../gateway/objects/policy.ts'
import {
  type AncestorStatus,
  ancestorStatuses,
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
import { apiNames } from '../kubernetes/api-groups.ts'
import type { Condition } from '../kubernetes/conditions.ts'
import type { Identity } from '../kubernetes/metadata.ts'
import { isKnown, lonelyWorld } from '../project/worlds.ts'
import type { Settings } from '../settings/settings.ts'
import { policiesOf, type Sight } from './query-world.ts'

/** A policy and the entries of its `status.ancestors`. */
export type PolicyStatus = {
  /** Empty where nobody knows it. */
  readonly namespace: string
  /** A generated name ends in `*`. */
  readonly name: string
  readonly ancestors: readonly AncestorStatus[]
  /** Why it has no entries, where it names no target. */
  readonly note: string | undefined
}

/** A target and its condition; undefined where no accepted policy is on it. */
export type TargetStatus = Pick<Identity, 'kind' | 'namespace' | 'name'> & {
  readonly policies: readonly string[]
  readonly condition: Condition | undefined
}

/** One world's statuses, and its objects with them. */
export type StatusAnswer = {
  /** Empty for the world of texts that name none. */
  readonly world: string
  readonly policies: readonly PolicyStatus[]
  readonly targets: readonly TargetStatus[]
  /** Policies, then their targets in sight, with their status merged in. */
  readonly objects: readonly JsonObject[]
}

export type StatusQuestion = {
  readonly settings: Settings
  /** Default: the one that the specification names. */
  readonly controllerName: string | undefined
  /** RFC 3339. */
  readonly now: string
}

/** What everything in one world carries. */
export function answerStatus(sight: Sight, { settings, controllerName, now }: StatusQuestion): StatusAnswer {
  const names = apiNames(settings.apiGroups)
  const options: StatusOptions = {
    conflict: settings.conflict,
    controllerName: controllerName ?? names.controllerName,
    gatewayGroup: names.gatewayGroup,
    now,
  }
  const around = createAround(sight)
  const found = policiesOf(sight.harvest).map((policy) => ({
    view: policy.view,
    ancestors: ancestorStatuses(policy.view, around(policy), options),
  }))
  const targets = targetsIn(sight, found, options)
  return {
    world: sight.name,
    policies: found.map(({ view, ancestors }) => toPolicyStatus(view, ancestors, sight)),
    targets: targets.map(({ view: { identity }, policies, condition }) => ({
      ...identity,
      policies: policies.map(shownName),
      condition,
    })),
    objects: [
      ...found.map(({ view, ancestors }) => withNamespace(policyWithStatus(view, ancestors, options), view.identity)),
      ...targets.map(({ view, condition }) => withNamespace(targetWithStatus(view, condition, options), view.identity)),
    ],
  }
}

type Found = { readonly view: PolicyView; readonly ancestors: readonly AncestorStatus[] }

/** What stands around each policy: nothing certain where its name changes on the way to the cluster. */
function createAround({ harvest, world, invalid }: Sight) {
  const lonely = lonelyWorld(harvest)
  const times = new Map<string, number>()
  for (const { view } of policiesOf(harvest)) times.set(keyOf(view), (times.get(keyOf(view)) ?? 0) + 1)
  const rest = {
    invalidity: (policy: PolicyView) => invalid.get(policy),
    isAmbiguous: (policy: PolicyView) => policy.identity.name !== undefined && (times.get(keyOf(policy)) ?? 0) > 1,
  }
  return (policy: Parameters<typeof isKnown>[0]): StatusContext => ({
    ...(isKnown(policy) ? world : lonely),
    ...rest,
  })
}

const keyOf = ({ identity: { namespace = '', name } }: PolicyView): string => `${namespace}/${name}`

function toPolicyStatus(view: PolicyView, ancestors: readonly AncestorStatus[], { invalid }: Sight): PolicyStatus {
  const { namespace = '' } = view.identity
  const note = ancestors.length > 0 ? undefined : (invalid.get(view)?.message ?? 'it names no target')
  return { namespace, name: bareName(view), ancestors, note }
}

const bareName = ({ identity, metadata }: PolicyView): string =>
  identity.name ?? (metadata.generateName.value ? `${metadata.generateName.value}*` : '')

const shownName = (policy: PolicyView): string => {
  const { namespace } = policy.identity
  return namespace === undefined ? bareName(policy) : `${namespace}/${bareName(policy)}`
}

type FoundTarget = {
  readonly view: TargetObject
  readonly policies: readonly PolicyView[]
  readonly condition: Condition | undefined
}

/** The Gateways and routes in sight that policies name, with the policies that are accepted there. */
function targetsIn({ harvest }: Sight, found: readonly Found[], options: StatusOptions): readonly FoundTarget[] {
  const named = new Map<string, PolicyView[]>()
  for (const { view, ancestors } of found)
    for (const { kind, name } of view.namedTargets) {
      const key = [kind, view.identity.namespace, name].join('/')
      const policies = named.get(key) ?? []
      named.set(key, policies)
      if (isAccepted(ancestors, kind, name)) policies.push(view)
    }
  const objects: readonly TargetObject[] = [...harvest.gateways, ...harvest.routes]
  return objects.flatMap((view) => {
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

/** The object with the namespace in which it will live, where its manifest is silent about it. */
function withNamespace(object: JsonObject, { namespace }: Identity): JsonObject {
  const { metadata } = object
  if (namespace === undefined || !isObject(metadata) || metadata.namespace === namespace) return object
  return { ...object, metadata: { ...metadata, namespace } }
}
