/** The one place where values are kept beside the objects and lists that they are derived from. */

/** An object that has a table for what is derived from it. */
type Holder = { readonly [TABLE]?: Map<unknown, { readonly value: unknown }> }

const TABLE = Symbol('values derived from this object')

/**
 * Gives an object that one review needs a table of its own. In a weak table its values would be young objects that an
 * old one refers to: V8 moves them to the old generation although their key is dead, which costs a third of a review's
 * time and lets the memory grow.
 */
export function shortLived<Value>(object: Value): Value {
  if (typeof object === 'object' && object !== null && !Object.hasOwn(object, TABLE))
    Object.defineProperty(object, TABLE, { value: new Map() })
  return object
}

/**
 * Remembers what a function makes of an object: for the very same object it returns the very same value, which is
 * forgotten with the object. The value must depend on nothing else; {@link cachedByTwo} and {@link cachedByThree} take
 * further objects that it depends on. A call that finds its value allocates nothing.
 */
export function cachedBy<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, { readonly value: Value }>()
  return (key) => {
    const own = (key as Holder)[TABLE]
    // What is in the table under this function, this function has made.
    const known = own ? (own.get(made) as { readonly value: Value } | undefined) : made.get(key)
    if (known) return known.value
    const value = make(key)
    if (own) own.set(made, { value })
    else made.set(key, { value })
    return value
  }
}

/** As {@link cachedBy}, of two objects. The first should be the one of which there are fewer: each has a table. */
export function cachedByTwo<First extends object, Second extends object, Value>(
  make: (first: First, second: Second) => Value,
): (first: First, second: Second) => Value {
  const tableOf = cachedByLatest(cachedBy((first: First) => cachedBy((second: Second) => make(first, second))))
  return (first, second) => tableOf(first)(second)
}

/** As {@link cachedBy}, of three objects, those of which there are fewer first. */
export function cachedByThree<First extends object, Second extends object, Third extends object, Value>(
  make: (first: First, second: Second, third: Third) => Value,
): (first: First, second: Second, third: Third) => Value {
  const tableOf = cachedBy((first: First) => cachedByTwo((second: Second, third: Third) => make(first, second, third)))
  return (first, second, third) => tableOf(first)(second, third)
}

/** As {@link cachedBy}, of an object and parts of any number: the latest value of the object stays for as long as the parts are the same. */
export function cachedByParts<Key extends object, Part, Value>(
  make: (parts: readonly Part[]) => Value,
): (key: Key, parts: readonly Part[]) => Value {
  const made = new WeakMap<Key, { readonly parts: readonly Part[]; readonly value: Value }>()
  return (key, parts) => {
    const known = made.get(key)
    if (known?.parts.length === parts.length && parts.every((part, index) => part === known.parts[index]))
      return known.value
    const value = make(parts)
    made.set(key, { parts, value })
    return value
  }
}

/**
 * As {@link cachedBy}, but remembers only the latest object: enough where subjects are judged one by one, and cheaper, as
 * a weak table grows with every object.
 */
export function cachedByLatest<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  let latest: { readonly key: Key; readonly value: Value } | undefined
  return (key) => {
    if (latest?.key !== key) latest = { key, value: make(key) }
    return latest.value
  }
}

/** As {@link cachedByLatest}, of two objects. */
export function cachedByLatestTwo<First extends object, Second extends object, Value>(
  make: (first: First, second: Second) => Value,
): (first: First, second: Second) => Value {
  let latest: { readonly first: First; readonly second: Second; readonly value: Value } | undefined
  return (first, second) => {
    if (latest?.first !== first || latest.second !== second) latest = { first, second, value: make(first, second) }
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
