/** Lookups of policies by their targets. A policy reaches targets of its own namespace only: so do the indexes. */
import { cachedBy } from '../../world/cache.ts'
import { type Identities, type IdentityTable, indexIdentities, tabulate } from '../../world/identities.ts'
import type { KnownItems } from '../../world/lookup.ts'
import { changeOf, type KindObjects, replaced } from '../../world/objects.ts'
import type { LookupSpec } from '../../world/system.ts'
import { type PolicyView, readPolicy } from '../objects/policy.ts'
import type { Policies } from './lookups.ts'

/** Policies as lookups read them. */
export const RATE_LIMIT_POLICY = { kind: 'RateLimitPolicy', read: readPolicy } as const

/** One list where no policy targets an object: values derived from a list are cached by it. */
const NONE: readonly never[] = []

/** The policies of one namespace, by identity and by target. */
type Index = { readonly identities: Identities<PolicyView>; readonly byTarget: IdentityTable<PolicyView> }

/** Made once for each list of a namespace's policies, which a cluster keeps while none of them changes. */
const indexOf = cachedBy((items: readonly PolicyView[]): Index => {
  const identities = indexIdentities(items, false)
  return { identities, byTarget: tabulate(identities.unique.map((policy) => [targetsOf(policy), policy])) }
})

const targetsOf = ({ namedTargets, identity: { namespace } }: PolicyView) =>
  namedTargets.map(({ kind, name }) => ({ kind, namespace, name }))

/** How the lookups of policies are made. */
export const POLICIES: LookupSpec<Policies> = {
  kinds: ['RateLimitPolicy'],
  needsClosedWorld: true,
  make(objects) {
    const policies = objects.of(RATE_LIMIT_POLICY)
    return {
      targeting: (kind, namespace, name) => ({
        items: (namespace && indexOf(policies.in(namespace)).byTarget.at(kind, namespace, name)) || NONE,
        complete: namespace !== undefined && isComplete(policies, namespace),
      }),
      existedBefore: ({ identity: { kind, namespace, name } }) => {
        const before = policies.before?.in(namespace) ?? NONE
        return name !== undefined && before.length > 0 && byIdentity(before).at(kind, namespace, name) !== undefined
      },
    }
  },
  overlay(lookup, change) {
    const { before, after } = changeOf(change, RATE_LIMIT_POLICY) ?? {}
    const changed = after ?? before
    if (!changed) return undefined
    const lists = new Map<object, KnownItems<PolicyView>>()
    return {
      ...lookup,
      targeting(kind, namespace, name) {
        const stored = lookup.targeting(kind, namespace, name)
        if (namespace !== changed.identity.namespace) return stored
        const target = after?.namedTargets.find((one) => one.kind === kind && one.name === name)
        const key = target ?? stored.items
        const list = lists.get(key) ?? { ...stored, items: replaced(stored.items, changed, target !== undefined) }
        lists.set(key, list)
        return list
      },
    }
  },
}

/** True where no other policy can target an object of the namespace: also none whose namespace is unknown. */
const isComplete = (policies: KindObjects<PolicyView>, namespace: string): boolean =>
  policies.closed && policies.in(undefined).length === 0 && indexOf(policies.in(namespace)).identities.allUnique

const byIdentity = cachedBy((items: readonly PolicyView[]) => tabulate(items.map((item) => [[item.identity], true])))
