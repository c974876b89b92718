/** What a lookup returns. Nothing may be reported as absent that is merely unknown. */
export type Lookup<Value> =
  | { readonly state: 'found'; readonly value: Value }
  /** It certainly does not exist: the world is closed there. */
  | { readonly state: 'absent' }
  /** It may exist in another repository, or a watch is not synced. */
  | { readonly state: 'unknown' }

export const found = <Value>(value: Value): Lookup<Value> => ({ state: 'found', value })
export const ABSENT = { state: 'absent' } as const
export const UNKNOWN = { state: 'unknown' } as const

/** Several objects; `complete` is false where there may be others. */
export type KnownItems<Value> = { readonly items: readonly Value[]; readonly complete: boolean }
