/** Reads of what nearly every request asks and hardly any changes: users, workspaces, environments. */
import type { Change, Store } from '../store.ts'

/** Such reads, which keep what they have read. */
export type KeptReads = {
  readonly reads: Pick<Store, 'user' | 'workspace' | 'environment'>
  /** Must be called when changes are committed, before anybody is told so. */
  committed(changes: readonly Change[]): void
}

/** Answers that are kept. Names come from requests: there may be any number of them. */
const MOST_KEPT = 1_000

const CHANGING: readonly string[] = ['user', 'workspace', 'environment']

const isChanging = (change: Change): boolean =>
  ('put' in change && CHANGING.includes(change.put)) || ('remove' in change && CHANGING.includes(change.remove))

/** Only for a database that nobody else writes. */
export function createKeptReads(reads: KeptReads['reads']): KeptReads {
  const kept = new Map<string, Promise<unknown>>()
  const keeping =
    <Names extends readonly string[], Value>(what: string, read: (...names: Names) => Promise<Value>) =>
    (...names: Names): Promise<Value> => {
      const key = JSON.stringify([what, ...names])
      const known = kept.get(key)
      // Only `read` has put something there under this key.
      if (known) return known as Promise<Value>
      if (kept.size >= MOST_KEPT) kept.clear()
      const value = read(...names)
      kept.set(key, value)
      value.catch(() => kept.delete(key))
      return value
    }
  return {
    reads: {
      user: keeping('user', reads.user),
      workspace: keeping('workspace', reads.workspace),
      environment: keeping('environment', reads.environment),
    },
    committed(changes) {
      if (changes.some(isChanging)) kept.clear()
    },
  }
}
