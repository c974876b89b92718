/** Lookups of policies by their targets. A policy reaches targets of its own namespace only: so do the indexes. */
import { groupBy } from '../../text/group.ts'
import { cachedBy, lazily } from '../../world/cache.ts'
import type { KnownItems } from '../../world/lookup.ts'
import { changeOf, type Definitions, type Grouping, type KindObjects, replaced } from '../../world/objects.ts'
import type { LookupSpec } from '../../world/system.ts'
import { type NamedTarget, type PolicyView, readPolicy } from '../objects/policy.ts'
import type { Policies } from './lookups.ts'

/** Policies as lookups read them. */
export const RATE_LIMIT_POLICY = { kind: 'RateLimitPolicy', read: readPolicy } as const

/** One list where no policy targets an object: values derived from a list are cached by it. */
const NONE: readonly never[] = []

/** Which policies target an object that may be another one for each policy: its manifests, or theirs, are of several clusters. */
const NOT_KNOWN: KnownItems<PolicyView> = { items: NONE, complete: false }

/** Policies by their targets. */
const BY_TARGET: Grouping<PolicyView> = {
  isOwn: true,
  keysOf: ({ namedTargets, identity: { namespace } }) =>
    namedTargets.map(({ kind, name }) => ({ kind, namespace, name })),
}

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
      existedBefore: ({ identity: { kind, namespace, name } }) =>
        name !== undefined && (policies.before?.index().has(kind, namespace, name) ?? false),
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
    const unclear = definitions?.mayBeApart() && unclearAmong(policies.in(namespace))
    if (unclear?.has(targetKey({ kind, name }))) return NOT_KNOWN
    const items = policies.by(BY_TARGET).at(kind, namespace, name) ?? NONE
    const complete = completeIn.get(namespace) ?? (policies.closed && policies.index().ownKnownIn(namespace))
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
  const targets = lazily(() => new Map(changed.namedTargets.map((target) => [targetKey(target), target])))
  return (kind, namespace, name) => {
    const stored = targeting(kind, namespace, name)
    if (namespace !== changed.identity.namespace) return stored
    const target = exists ? targets().get(targetKey({ kind, name })) : undefined
    const key = target ?? stored.items
    const list = lists.get(key) ?? { ...stored, items: replaced(stored.items, changed, target !== undefined) }
    lists.set(key, list)
    return list
  }
}
