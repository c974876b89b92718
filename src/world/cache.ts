/** The one place where values are kept beside the objects and lists that they are derived from. */

type Node<Value> = { value?: { readonly made: Value }; next?: WeakMap<object, Node<Value>> }

/**
 * Remembers what a function makes of some objects: for the very same objects it returns the very same value. Name
 * every object that the value depends on. A value is forgotten with any of its objects.
 */
export function cachedBy<Keys extends readonly object[], Value>(
  make: (...keys: Keys) => Value,
): (...keys: Keys) => Value {
  const root: Node<Value> = {}
  return (...keys) => {
    let node = root
    for (const key of keys) {
      node.next ??= new WeakMap()
      const next: Node<Value> = node.next.get(key) ?? {}
      node.next.set(key, next)
      node = next
    }
    node.value ??= { made: make(...keys) }
    return node.value.made
  }
}

/** Calls a function once, when its value is first needed. */
export function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
