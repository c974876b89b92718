/** What a lookup returns. Nothing may be reported as absent that is merely unknown. */
export type Lookup<Value> =
  | { readonly state: 'found'; readonly value: Value }
  /** It certainly does not exist: the world is closed there. */
  | { readonly state: 'absent' }
  /** It may exist in another repository, is defined more than once, or its watch is not synced. */
  | { readonly state: 'unknown' }

/** The result for an object that exists. */
export const found = <Value>(value: Value): Lookup<Value> => ({ state: 'found', value })

/** The result for an object that certainly does not exist. */
export const ABSENT = { state: 'absent' } as const

/** The result where it is not known whether an object exists. */
export const UNKNOWN = { state: 'unknown' } as const

/** Several objects; `complete` is false where there may be others. */
export type KnownItems<Value> = { readonly items: readonly Value[]; readonly complete: boolean }
