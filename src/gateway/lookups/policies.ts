/** Lookups of policies by their targets. A policy reaches targets of its own namespace only: so do the indexes. */
import { knownNamespace } from '../../kubernetes/metadata.ts'
import { groupBy } from '../../text/group.ts'
import { cachedBy } from '../../world/cache.ts'
import { type IdentityTable, tabulate } from '../../world/identities.ts'
import type { KnownItems } from '../../world/lookup.ts'
import { changeOf, type Definitions, type KindObjects, replaced } from '../../world/objects.ts'
import type { LookupSpec } from '../../world/system.ts'
import { type NamedTarget, type PolicyView, readPolicy } from '../objects/policy.ts'
import type { Policies } from './lookups.ts'

/** Policies as lookups read them. */
export const RATE_LIMIT_POLICY = { kind: 'RateLimitPolicy', read: readPolicy } as const

/** One list where no policy targets an object: values derived from a list are cached by it. */
const NONE: readonly never[] = []

/** Which policies target an object that may be another one for each policy: its manifests, or theirs, are of several clusters. */
const NOT_KNOWN: KnownItems<PolicyView> = { items: NONE, complete: false }

/** The policies of one namespace by target, and whether each has a name of its own: others are left out. */
type Index = { readonly byTarget: IdentityTable<PolicyView>; readonly areUnique: boolean }

/** Made once for each list of a namespace's policies, which a cluster keeps while none of them changes. */
const indexOf = cachedBy((items: readonly PolicyView[]): Index => {
  const byName = new Map<string | undefined, PolicyView | 'several'>()
  for (const item of items) byName.set(item.identity.name, byName.has(item.identity.name) ? 'several' : item)
  const unique = items.filter((item) => item.identity.name !== undefined && byName.get(item.identity.name) === item)
  const byTarget = tabulate<PolicyView>((add) => {
    for (const policy of unique)
      for (const { kind, name } of policy.namedTargets) add(kind, policy.identity.namespace, name, policy)
  })
  return { byTarget, areUnique: unique.length === items.length }
})

/** How the lookups of policies are made. */
export const POLICIES: LookupSpec<Policies> = {
  kinds: ['RateLimitPolicy'],
  needsClosedWorld: true,
  make(objects) {
    const policies = objects.of(RATE_LIMIT_POLICY)
    const { definitions } = objects
    return {
      targeting: targetingAmong(policies, definitions),
      targetingBefore: policies.before ? targetingAmong(policies.before, undefined) : () => NOT_KNOWN,
      existedBefore({ identity }) {
        const namespace = knownNamespace(identity.namespace)
        const before = policies.before?.in(namespace) ?? NONE
        return identity.name !== undefined && before.length > 0 && namesIn(before).has(identity.name)
      },
    }
  },
  overlay(lookup, change) {
    const { before, after } = changeOf(change, RATE_LIMIT_POLICY) ?? {}
    const changed = after ?? before
    if (!changed) return undefined
    return {
      ...lookup,
      targeting: targetingWith(lookup.targeting, changed, after !== undefined),
      targetingBefore: before ? targetingWith(lookup.targetingBefore, before, true) : lookup.targetingBefore,
    }
  },
}

type Targeting = Policies['targeting']

function targetingAmong(policies: KindObjects<PolicyView>, definitions: Definitions | undefined): Targeting {
  const completeIn = new Map<string, boolean>()
  const unclearAmong = cachedBy((items: readonly PolicyView[]) => unclearTargets(items, definitions))
  return (kind, namespace, name) => {
    if (namespace === undefined || definitions?.isAmbiguous(kind, namespace, name)) return NOT_KNOWN
    const inIt = policies.in(namespace)
    const unclear = unclearAmong(inIt)
    if (unclear.size > 0 && unclear.has(targetKey({ kind, name }))) return NOT_KNOWN
    const items = indexOf(inIt).byTarget.at(kind, namespace, name) ?? NONE
    const complete = completeIn.get(namespace) ?? isComplete(policies, namespace)
    completeIn.set(namespace, complete)
    return { items, complete }
  }
}

const targetKey = ({ kind, name }: Pick<NamedTarget, 'kind' | 'name'>): string => `${kind}/${name}`

/** The targets of a namespace's policies that may be several objects, as the policies on them may be of several clusters. */
function unclearTargets(items: readonly PolicyView[], definitions: Definitions | undefined): ReadonlySet<string> {
  const mayBeApart = definitions?.mayBeApart()
  if (!mayBeApart) return new Set()
  const named = items.flatMap((policy) => policy.namedTargets.map((target) => ({ key: targetKey(target), policy })))
  const groups = [...groupBy(named, ({ key }) => key)]
  return new Set(groups.flatMap(([key, group]) => (mayBeApart(group.map(({ policy }) => policy)) ? [key] : [])))
}

/** The lookup in which one policy is as given, or does not exist. */
function targetingWith(targeting: Targeting, changed: PolicyView, exists: boolean): Targeting {
  const lists = new Map<object, KnownItems<PolicyView>>()
  return (kind, namespace, name) => {
    const stored = targeting(kind, namespace, name)
    if (namespace !== changed.identity.namespace) return stored
    const target = exists ? changed.namedTargets.find((one) => one.kind === kind && one.name === name) : undefined
    const key = target ?? stored.items
    const list = lists.get(key) ?? { ...stored, items: replaced(stored.items, changed, target !== undefined) }
    lists.set(key, list)
    return list
  }
}

/** True where no other policy can target an object of the namespace: also none whose namespace is not known. */
function isComplete(policies: KindObjects<PolicyView>, namespace: string): boolean {
  const inIt = policies.in(namespace)
  const others =
    knownNamespace(namespace) === undefined ? policies.all().length - inIt.length : policies.in(undefined).length
  return policies.closed && others === 0 && indexOf(inIt).areUnique
}

const namesIn = cachedBy((items: readonly PolicyView[]) => new Set(items.map(({ identity }) => identity.name)))
