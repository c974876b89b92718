/** Answers that are kept for some seconds, and asked for once where many ask at the same time. */

/** Looks an answer up by a key, or asks for it. What rejects is not kept. */
export type ExpiringCache<Value> = (key: string, ask: () => Promise<Value>) => Promise<Value>

/** Creates one. `now` is in milliseconds; of more than `most` answers the oldest is dropped. */
export function createExpiringCache<Value>(options: {
  readonly lifetime: number
  readonly most: number
  now(): number
}): ExpiringCache<Value> {
  const { lifetime, most, now } = options
  const kept = new Map<string, { readonly value: Promise<Value>; until: number }>()
  return (key, ask) => {
    const known = kept.get(key)
    if (known && now() < known.until) return known.value
    const value = ask()
    // For as long as nobody knows the answer, all who ask wait for it.
    const entry = { value, until: Number.POSITIVE_INFINITY }
    kept.delete(key)
    kept.set(key, entry)
    value.then(
      () => {
        entry.until = now() + lifetime
      },
      () => {
        if (kept.get(key) === entry) kept.delete(key)
      },
    )
    const [oldest = key] = kept.keys()
    if (kept.size > most) kept.delete(oldest)
    return value
  }
}
