/** The policies of a cluster, namespace by namespace: one that changes has only its own namespace indexed again. */

import { type PolicyView, readPolicy } from '../../gateway/objects/policy.ts'
import { isObject, type JsonObject } from '../../json/member.ts'
import { lazily } from '../../world/identities.ts'
import type { Policies } from '../../world/world.ts'
import { oncePerObject, type Stock, shown, worldOf } from './snapshot.ts'

const policyView = oncePerObject((object): PolicyView => readPolicy(object))

/** A namespace's policies, and what answers for them. */
type Part = { readonly objects: readonly JsonObject[]; readonly policies: Policies }

/** Makes what answers for the policies of successive stocks. */
export function createPolicies(): (stock: Stock) => Policies {
  let parts: ReadonlyMap<string, Part> = new Map()
  return (stock) => {
    parts = new Map(
      [...groupByNamespace(shown(stock))].map(([namespace, objects]) => {
        const last = parts.get(namespace)
        return [namespace, last && isSame(last.objects, objects) ? last : partOf(objects)]
      }),
    )
    return joined(parts, worldOf({}, stock.known).policies)
  }
}

function joined(parts: ReadonlyMap<string, Part>, elsewhere: Policies): Policies {
  const policiesOf = (namespace: string | undefined): Policies =>
    (namespace === undefined ? undefined : parts.get(namespace)?.policies) ?? elsewhere
  return {
    targeting: (kind, namespace, name) => policiesOf(namespace).targeting(kind, namespace, name),
    existedBefore: (policy) => policiesOf(policy.identity.namespace).existedBefore(policy),
  }
}

/**
 * Every policy that a cluster stores was there before the change that is asked about. A namespace about which nobody
 * asks has none of its policies read.
 */
function partOf(objects: readonly JsonObject[]): Part {
  const policies = lazily(() => {
    const views = objects.map(policyView)
    return worldOf({ policies: views }, true, views).policies
  })
  return {
    objects,
    policies: {
      targeting: (kind, namespace, name) => policies().targeting(kind, namespace, name),
      existedBefore: (policy) => policies().existedBefore(policy),
    },
  }
}

function groupByNamespace(objects: readonly JsonObject[]): ReadonlyMap<string, readonly JsonObject[]> {
  const groups = new Map<string, JsonObject[]>()
  for (const object of objects) {
    const namespace = namespaceOf(object)
    const group = groups.get(namespace)
    if (group) group.push(object)
    else groups.set(namespace, [object])
  }
  return groups
}

function namespaceOf({ metadata }: JsonObject): string {
  const namespace = isObject(metadata) ? metadata.namespace : undefined
  return typeof namespace === 'string' ? namespace : ''
}

const isSame = (some: readonly JsonObject[], others: readonly JsonObject[]): boolean =>
  some.length === others.length && some.every((object, index) => object === others[index])
