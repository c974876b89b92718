/** What a look-up can say. Nothing may be reported as absent that is merely unknown. */
export type Answer<Value> =
  | { readonly state: 'found'; readonly value: Value }
  /** It is certain that there is none: the world is closed there. */
  | { readonly state: 'absent' }
  /** Nobody can say: it may live in another repository, or a watch is not synced. */
  | { readonly state: 'unknown' }

export const found = <Value>(value: Value): Answer<Value> => ({ state: 'found', value })
export const ABSENT = { state: 'absent' } as const
export const UNKNOWN = { state: 'unknown' } as const

/** Several objects; `complete` says whether there can be others. */
export type Known<Value> = { readonly items: readonly Value[]; readonly complete: boolean }
