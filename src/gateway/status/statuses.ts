/** The status of all policies and targets, as one computation: `sluice status` shows it, the controller writes it. */
import type { Identity } from '../../kubernetes/metadata.ts'
import { ownedBy } from '../force/owner.ts'
import type { AttachmentLookups } from '../lookups/lookups.ts'
import type { PolicyView } from '../objects/policy.ts'
import { type AncestorStatus, ancestorStatuses, type StatusContext, type StatusOptions } from './status.ts'
import { type AffectedTarget, affectedTarget, type TargetObject } from './status-objects.ts'

/** The objects whose status is computed, and what decides about it. */
export type StatusInput = {
  readonly policies: readonly PolicyView[]
  /** Gateways and routes. */
  readonly targets: readonly TargetObject[]
  readonly lookups: AttachmentLookups
  contextOf(policy: PolicyView): StatusContext
}

/** A policy and the entries of its `status.ancestors`. */
export type PolicyAncestors = { readonly view: PolicyView; readonly ancestors: readonly AncestorStatus[] }

/** A target, and whether a policy names it, accepted or not. */
type TargetStatusResult = AffectedTarget & { readonly isNamed: boolean }

/** The status of every policy and of every target, in the order of the input. */
export type Statuses = {
  readonly policies: readonly PolicyAncestors[]
  readonly targets: readonly TargetStatusResult[]
}

const keyOf = ({ kind, namespace, name }: Identity): string => [kind, namespace, name].join('/')

/** Computes the statuses. */
export function statusesOf({ policies, targets, ...input }: StatusInput, options: StatusOptions): Statuses {
  const lookups = ownedBy(input.lookups, options)
  const contextOf = (policy: PolicyView) => ownedBy(input.contextOf(policy), options)
  const found = policies.map((view) => ({ view, ancestors: ancestorStatuses(view, contextOf(view), options) }))
  const named = new Map<string, PolicyView[]>()
  for (const { view, ancestors } of found)
    for (const { kind, name } of view.namedTargets) {
      const key = keyOf({ kind, namespace: view.identity.namespace, name })
      const accepted = named.get(key) ?? []
      named.set(key, accepted)
      const refusal = contextOf(view).refusal?.(view)
      const isInForce = refusal?.keeps === 'last-accepted' || (refusal?.replicas?.have ?? 0) > 0
      if (isAffecting(ancestors, { kind, name, isInForce })) accepted.push(view)
    }
  const acceptedOn = (identity: Identity) => named.get(keyOf(identity)) ?? []
  const context = { ...lookups, acceptedOn }
  return {
    policies: found,
    targets: targets.map((view) => ({
      ...affectedTarget(view, context, options),
      isNamed: named.has(keyOf(view.identity)),
    })),
  }
}

type AffectedBy = { readonly kind: string; readonly name: string; readonly isInForce: boolean }

/** True where a policy is accepted on a target, or limits it although an nginx has refused it as it is now. */
const isAffecting = (ancestors: readonly AncestorStatus[], { kind, name, isInForce }: AffectedBy): boolean =>
  ancestors.some(
    ({ ancestorRef, conditions }) =>
      ancestorRef.kind === kind &&
      ancestorRef.name === name &&
      conditions.some(
        ({ type, status, reason }) => type === 'Accepted' && (status === 'True' || (isInForce && reason === 'Invalid')),
      ),
  )
