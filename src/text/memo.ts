/** Memoised functions of one string: manifests repeat the same few keys, rates and sizes. */

/** Results that are kept; with one more all are forgotten. */
const MAX_RESULTS = 4096

/** Memoises a pure function. Callers share the results and must not change them. */
export function memoise<Value, Text extends string = string>(read: (text: Text) => Value): (text: Text) => Value {
  const known = new Map<Text, { readonly value: Value }>()
  return (text) => {
    const result = known.get(text)
    if (result) return result.value
    if (known.size >= MAX_RESULTS) known.clear()
    const value = read(text)
    known.set(text, { value })
    return value
  }
}
