/** Values that follow from a text alone: manifests repeat the same few keys, rates and sizes. */

/** Texts that are remembered at once; beyond it the memory starts anew. */
const MOST_TEXTS = 4096

/** A pure function that remembers its answers, so that the same text gives the same (frozen in meaning) value. */
export function memoise<Value>(read: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, { readonly value: Value }>()
  return (text) => {
    const remembered = known.get(text)
    if (remembered) return remembered.value
    if (known.size >= MOST_TEXTS) known.clear()
    const value = read(text)
    known.set(text, { value })
    return value
  }
}
