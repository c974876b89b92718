/** The one place where values are kept beside the objects and lists that they are derived from. */

/**
 * Remembers what a function makes of an object: for the very same object it returns the very same value, which is
 * forgotten with the object. The value must depend on nothing else; {@link cachedByTwo} and {@link cachedByThree} take
 * further objects that it depends on. A call that finds its value allocates nothing.
 */
export function cachedBy<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, { readonly value: Value }>()
  return (key) => {
    const known = made.get(key)
    if (known) return known.value
    const value = make(key)
    made.set(key, { value })
    return value
  }
}

/** As {@link cachedBy}, of two objects. The first should be the one of which there are fewer: each has a table. */
export function cachedByTwo<First extends object, Second extends object, Value>(
  make: (first: First, second: Second) => Value,
): (first: First, second: Second) => Value {
  const tableOf = cachedBy((first: First) => cachedBy((second: Second) => make(first, second)))
  return (first, second) => tableOf(first)(second)
}

/** As {@link cachedBy}, of three objects, those of which there are fewer first. */
export function cachedByThree<First extends object, Second extends object, Third extends object, Value>(
  make: (first: First, second: Second, third: Third) => Value,
): (first: First, second: Second, third: Third) => Value {
  const tableOf = cachedBy((first: First) => cachedByTwo((second: Second, third: Third) => make(first, second, third)))
  return (first, second, third) => tableOf(first)(second, third)
}

/** As {@link cachedByTwo}, but remembers only the latest second object for each first one: subjects are judged one by one. */
export function cachedByLatest<First extends object, Second extends object, Value>(
  make: (first: First, second: Second) => Value,
): (first: First, second: Second) => Value {
  const memoryOf = cachedBy((_first: First): { latest?: { readonly second: Second; readonly value: Value } } => ({}))
  return (first, second) => {
    const memory = memoryOf(first)
    const latest = memory.latest?.second === second ? memory.latest : { second, value: make(first, second) }
    memory.latest = latest
    return latest.value
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
