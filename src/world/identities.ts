/** Finds objects by identity. */
import { type Identity, knownNamespace } from '../kubernetes/metadata.ts'
import { lazily } from './cache.ts'
import { ABSENT, found, type Lookup, UNKNOWN } from './lookup.ts'

/** A namespace by name, or one that objects share without naming it; undefined is unknown, and so is every lookup by it. */
export type Namespace = string | undefined

type Identified = { readonly identity: Identity }

/** Lookups by identity. */
export type Identities<Item extends Identified> = {
  /** Unknown for an identity that appears twice, and in an unknown namespace. */
  get(kind: string, namespace: Namespace, name: string): Lookup<Item>
  /** Namespaces in which an object of that kind and name exists, each once. */
  namespacesOf(kind: string, name: string): readonly string[]
  /** Names of the objects of that kind in a namespace, each once. */
  namesIn(kind: string, namespace: Namespace): readonly string[]
  /** The items whose identity appears once. */
  readonly unique: readonly Item[]
  /** True where every item is one of the unique ones, and none whose namespace is not known may be in this one. */
  allKnownIn(namespace: Namespace): boolean
  /** As {@link allKnownIn}, where only the items of this namespace have to be unique. */
  ownKnownIn(namespace: string): boolean
  /** True for an identity that appears twice. */
  isAmbiguous(kind: string, namespace: Namespace, name: string): boolean
  /** True for an identity that appears once or more often; in an unknown namespace, where that of any such item is unknown. */
  has(kind: string, namespace: Namespace, name: string): boolean
}

/** True for an identity that is known elsewhere. */
export type MayExist = (kind: string, namespace: string, name: string) => boolean

/**
 * Indexes objects when the first lookup needs it. Where `closed`, what is not among them is absent, unless it may exist
 * elsewhere.
 */
export function indexIdentities<Item extends Identified>(
  items: readonly Item[],
  closed: boolean,
  mayExist: MayExist = () => false,
): Identities<Item> {
  const named = lazily(() =>
    tableOf(
      items.filter(({ identity: { namespace, name } }) => namespace !== undefined && name !== undefined),
      identityOf,
    ),
  )
  /** Objects in an unknown namespace: it may be any. */
  const unplaced = lazily(() => items.filter(({ identity }) => knownNamespace(identity.namespace) === undefined))
  const unplacedByName = lazily(() => tableByName(unplaced(), identityOf))
  const byName = lazily(() => tableByName(items, identityOf))
  /** True where the object is not among the items, whichever namespace an unknown one turns out to be. */
  const isNowhere = (kind: string, namespace: Namespace, name: string) =>
    !(knownNamespace(namespace) === undefined ? byName : unplacedByName)().at(kind, undefined, name)
  const groupOf = ({ identity: { kind, namespace, name } }: Item) => named().at(kind, namespace, name)
  const unique = lazily(() => items.filter((item) => groupOf(item)?.length === 1))
  /** The namespaces with an item that is not unique. */
  const unclear = lazily(() => {
    const clear = new Set(unique())
    return new Set(items.filter((item) => !clear.has(item)).map(({ identity }) => identity.namespace))
  })
  /** True where no item whose namespace is not known may be in this one. */
  const isPlacedApart = (namespace: string) =>
    knownNamespace(namespace) === undefined
      ? items.every(({ identity }) => identity.namespace === namespace)
      : unplaced().length === 0
  /** The identities that exist, each once. */
  const known = lazily(() => items.filter((item) => groupOf(item)?.[0] === item).map(({ identity }) => identity))
  const namespacesOf = lazily(() =>
    tabulate<string>((add) => {
      for (const { kind, namespace, name } of known()) {
        const one = knownNamespace(namespace)
        if (one !== undefined) add(kind, undefined, name, one)
      }
    }),
  )
  const namesIn = lazily(() =>
    tabulate<string>((add) => {
      for (const { kind, namespace, name = '' } of known()) add(kind, namespace, undefined, name)
    }),
  )
  return {
    get(kind, namespace, name) {
      if (namespace === undefined || (items.length === 0 && !closed)) return UNKNOWN
      const group = named().at(kind, namespace, name)
      if (group) return group[0] && group.length === 1 ? found(group[0]) : UNKNOWN
      return closed && isNowhere(kind, namespace, name) && !mayExist(kind, namespace, name) ? ABSENT : UNKNOWN
    },
    namespacesOf: (kind, name) => namespacesOf().at(kind, undefined, name) ?? [],
    namesIn: (kind, namespace) => (namespace === undefined ? [] : (namesIn().at(kind, namespace, undefined) ?? [])),
    get unique() {
      return unique()
    },
    allKnownIn(namespace) {
      return namespace !== undefined && unique().length === items.length && isPlacedApart(namespace)
    },
    ownKnownIn: (namespace) => !unclear().has(namespace) && isPlacedApart(namespace),
    isAmbiguous: (kind, namespace, name) =>
      named().hasNamesakes && (named().at(kind, namespace, name)?.length ?? 0) > 1,
    has: (kind, namespace, name) =>
      (knownNamespace(namespace) === undefined
        ? unplacedByName().at(kind, undefined, name)
        : named().at(kind, namespace, name)) !== undefined,
  }
}

const identityOf = ({ identity }: Identified): Identity => identity

/** Items by their identities. */
export const tableOf = <Item>(items: Iterable<Item>, identify: (item: Item) => Identity): IdentityTable<Item> =>
  tabulate((add) => {
    for (const item of items) {
      const { kind, namespace, name } = identify(item)
      add(kind, namespace, name, item)
    }
  })

/** Items by kind and name, whatever their namespace: look them up with the namespace `undefined`. */
export const tableByName = <Item>(items: Iterable<Item>, identify: (item: Item) => Identity): IdentityTable<Item> =>
  tabulate((add) => {
    for (const item of items) {
      const { kind, name } = identify(item)
      add(kind, undefined, name, item)
    }
  })

type ByName<Value> = Map<string | undefined, Value[]>

/** Lists of values by kind, namespace and name. Three maps: joining the three for every lookup costs more than it. */
export type IdentityTable<Value> = {
  /** The values of an identity in the order in which they came; undefined where there are none. */
  at(kind: string, namespace: Namespace, name: string | undefined): readonly Value[] | undefined
  /** True where any identity has several values. */
  readonly hasNamesakes: boolean
}

/** Adds a value to a table under an identity. */
type AddValue<Value> = (kind: string, namespace: Namespace, name: string | undefined, value: Value) => void

/** Makes a table of the values that `fill` adds. */
export function tabulate<Value>(fill: (add: AddValue<Value>) => void): IdentityTable<Value> {
  const kinds = new Map<string, Map<Namespace, ByName<Value>>>()
  let hasNamesakes = false
  fill((kind, namespace, name, value) => {
    const namespaces = kinds.get(kind) ?? new Map<Namespace, ByName<Value>>()
    if (namespaces.size === 0) kinds.set(kind, namespaces)
    const names: ByName<Value> = namespaces.get(namespace) ?? new Map()
    if (names.size === 0) namespaces.set(namespace, names)
    const list = names.get(name)
    if (list) {
      list.push(value)
      hasNamesakes = true
    } else names.set(name, [value])
  })
  return { at: (kind, namespace, name) => kinds.get(kind)?.get(namespace)?.get(name), hasNamesakes }
}
