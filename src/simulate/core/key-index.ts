/** Where a zone keeps the entry of a key: a map from numbers of keys to entries, in flat memory. */
import { createNumberMap } from '../../traffic/number-map.ts'
import { FIRST_TEXT } from './dictionary.ts'

export type KeyIndex = {
  /** The entry of a key; 0 where there is none. */
  get(key: number): number
  /** Notes the entry, above 0, of a key that has none. */
  add(key: number, entry: number): void
  /** Forgets a key that is there. */
  remove(key: number): void
}

export function createKeyIndex(): KeyIndex {
  const addresses = createNumberMap()
  /** By number, counted from the first text. */
  let texts = new Int32Array(64)
  return {
    get: (key) => (key < FIRST_TEXT ? addresses.get(key | 0) : (texts[key - FIRST_TEXT] ?? 0)),
    add(key, entry) {
      if (key < FIRST_TEXT) {
        addresses.add(key | 0, entry)
        return
      }
      const index = key - FIRST_TEXT
      if (index >= texts.length) {
        const larger = new Int32Array(Math.max(index + 1, texts.length * 2))
        larger.set(texts)
        texts = larger
      }
      texts[index] = entry
    },
    remove(key) {
      if (key < FIRST_TEXT) addresses.remove(key | 0)
      else texts[key - FIRST_TEXT] = 0
    },
  }
}
