/** Finding objects by identity. */
import type { Identity } from '../kubernetes/metadata.ts'
import { ABSENT, type Answer, found, UNKNOWN } from './lookup.ts'
import { type Table, tabulate } from './table.ts'
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

/** Calls a function once, when its value is first needed. */
export function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** True for an object that others can name. */
const isNamed = ({ identity: { namespace, name } }: Identified): boolean =>
  namespace !== undefined && name !== undefined

/** Indexes objects when the first look-up needs it. Where `closed`, what is not among them is absent. */
export function indexIdentities<Item extends Identified>(items: readonly Item[], closed: boolean): Identities<Item> {
  const named = lazily(() => tabulateIdentities(items.filter(isNamed)))
  /** Those that stand in a namespace that nobody knows: it could be any. */
  const homeless = lazily(() => tabulateIdentities(items.filter(({ identity }) => identity.namespace === undefined)))
  const groupOf = ({ identity: { kind, namespace, name } }: Item) => named().at(kind, namespace, name)
  const unique = lazily(() => items.filter((item) => groupOf(item)?.length === 1))
  /** The identities that are known to exist, each once. */
  const known = lazily(() => items.filter((item) => groupOf(item)?.[0] === item).map(({ identity }) => identity))
  const namespacesOf = lazily(() =>
    tabulate(known().map((identity) => [[{ ...identity, namespace: undefined }], identity.namespace ?? ''])),
  )
  const namesIn = lazily(() =>
    tabulate(known().map((identity) => [[{ ...identity, name: undefined }], identity.name ?? ''])),
  )
  return {
    get(kind, namespace, name) {
      if (namespace === undefined || (items.length === 0 && !closed)) return UNKNOWN
      const group = named().at(kind, namespace, name)
      if (group) return group[0] && group.length === 1 ? found(group[0]) : UNKNOWN
      return closed && !homeless().at(kind, undefined, name) ? ABSENT : UNKNOWN
    },
    namespacesOf: (kind, name) => namespacesOf().at(kind, undefined, name) ?? [],
    namesIn: (kind, namespace) => (namespace === undefined ? [] : (namesIn().at(kind, namespace, undefined) ?? [])),
    get unique() {
      return unique()
    },
    get isPlain() {
      return unique().length === items.length
    },
  }
}

const tabulateIdentities = <Item extends Identified>(items: readonly Item[]): Table<Item> =>
  tabulate(items.map((item) => [[item.identity], item]))
