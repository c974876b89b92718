/** Lists of values by kind, namespace and name. */

/** Where a value belongs; an unknown namespace is one of its own. */
export type Place = {
  readonly kind: string
  readonly namespace: string | undefined
  readonly name: string | undefined
}

type Names<Value> = Map<string | undefined, Value[]>

/** In three steps, as joining the three into one text for every look-up would cost more than the look-up. */
export type Table<Value> = {
  /** The values at a place, in the order in which they came; undefined where there are none. */
  at(kind: string, namespace: string | undefined, name: string | undefined): readonly Value[] | undefined
}

/** Makes a table of values, each with the places to which it belongs. */
export function tabulate<Value>(entries: Iterable<readonly [places: readonly Place[], value: Value]>): Table<Value> {
  const kinds = new Map<string, Map<string | undefined, Names<Value>>>()
  for (const [places, value] of entries)
    for (const { kind, namespace, name } of places) {
      const namespaces = kinds.get(kind) ?? new Map<string | undefined, Names<Value>>()
      kinds.set(kind, namespaces)
      const names: Names<Value> = namespaces.get(namespace) ?? new Map()
      namespaces.set(namespace, names)
      const list = names.get(name)
      if (list) list.push(value)
      else names.set(name, [value])
    }
  return { at: (kind, namespace, name) => kinds.get(kind)?.get(namespace)?.get(name) }
}
