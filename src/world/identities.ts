/** Finding objects by identity. */
import type { Identity } from '../gateway/metadata.ts'
import { ABSENT, type Answer, found, UNKNOWN } from './answer.ts'
import type { Namespace } from './world.ts'

/** Something that others can name. */
export type Identified = { readonly identity: Identity }

/** Finds by identity. */
export type Identities<Item extends Identified> = {
  /** An identity that appears twice is not answered for, nor is one in a namespace that nobody knows. */
  get(kind: string, namespace: Namespace, name: string): Answer<Item>
  /** Namespaces in which an object of that kind and name is known to exist, each once. */
  namespacesOf(kind: string, name: string): readonly string[]
  /** Names of the objects of that kind that are known to exist in a namespace, each once. */
  namesIn(kind: string, namespace: Namespace): readonly string[]
  /** The items that have an identity of their own. */
  readonly unique: readonly Item[]
  /** True when every item is one of the unique ones. */
  readonly isPlain: boolean
}

/** One text for kind, namespace and name; the separator stands in no name that the API server accepts. */
export const identityKey = (kind: string, namespace: Namespace, name: string | undefined): string =>
  `${kind}\n${namespace ?? ''}\n${name ?? ''}`

/** Calls a function once, when its value is first needed. */
export function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Lists of what belongs to the same key, in the order in which it came. */
export function groupBy<Item, Value>(
  items: Iterable<Item>,
  entriesOf: (item: Item) => Iterable<readonly [key: string, value: Value]>,
): ReadonlyMap<string, readonly Value[]> {
  const groups = new Map<string, Value[]>()
  for (const item of items)
    for (const [key, value] of entriesOf(item)) {
      const group = groups.get(key)
      if (group) group.push(value)
      else groups.set(key, [value])
    }
  return groups
}

type Named = Identified & { readonly identity: { readonly namespace: string; readonly name: string } }

const isNamed = <Item extends Identified>(item: Item): item is Item & Named =>
  item.identity.namespace !== undefined && item.identity.name !== undefined

/** Indexes objects when the first look-up needs it. Where `closed`, what is not among them is absent. */
export function indexIdentities<Item extends Identified>(items: readonly Item[], closed: boolean): Identities<Item> {
  const index = lazily(() => createIndex(items))
  const namespacesOf = lazily(() =>
    groupBy(index().firsts, ({ identity: { kind, namespace, name } }) => [[identityKey(kind, '', name), namespace]]),
  )
  const namesIn = lazily(() =>
    groupBy(index().firsts, ({ identity: { kind, namespace, name } }) => [[identityKey(kind, namespace, ''), name]]),
  )
  return {
    get(kind, namespace, name) {
      if (namespace === undefined) return UNKNOWN
      const [item, ...others] = index().byKey.get(identityKey(kind, namespace, name)) ?? []
      if (item) return others.length === 0 ? found(item) : UNKNOWN
      return closed && !index().homeless.has(identityKey(kind, '', name)) ? ABSENT : UNKNOWN
    },
    namespacesOf: (kind, name) => namespacesOf().get(identityKey(kind, '', name)) ?? [],
    namesIn: (kind, namespace) =>
      namespace === undefined ? [] : (namesIn().get(identityKey(kind, namespace, '')) ?? []),
    get unique() {
      return index().unique
    },
    get isPlain() {
      return index().unique.length === items.length
    },
  }
}

function createIndex<Item extends Identified>(items: readonly Item[]) {
  const keyOf = ({ identity: { kind, namespace, name } }: Identified) => identityKey(kind, namespace, name)
  const named = items.filter(isNamed)
  const byKey = groupBy(named, (item) => [[keyOf(item), item]])
  const groups = [...byKey.values()]
  return {
    byKey,
    firsts: groups.flatMap(([first]) => first ?? []),
    unique: groups.flatMap((group) => (group.length === 1 ? group : [])),
    /** Kinds and names that stand in a namespace that nobody knows: it could be any. */
    homeless: new Set(
      items
        .filter(({ identity }) => identity.namespace === undefined)
        .map(({ identity }) => identityKey(identity.kind, '', identity.name)),
    ),
  }
}
