/** The store in one SQLite file. What arrives while the disk is busy is committed together: one wait for the disk for all. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type Change, type Store, StoreUnavailable } from '../store.ts'
import { applyAudited } from './audit.ts'
import { type HideKeys, openDatabase, rollBack, SQLITE, sqliteCode } from './open.ts'
import { createReads, createStatements } from './reads.ts'

/** A store with its database, for what keeps tables of its own in the same file (its SQL stands among the migrations). */
export type SqliteStore = { readonly store: Store; readonly database: DatabaseSync }

/** A commit that waits for the next transaction. */
type Waiting = {
  readonly changes: readonly Change[]
  resolve(): void
  reject(reason: unknown): void
}

/** Opens a file, or creates it. Throws `StateFileError`. */
export function openSqliteStore(file: string, migrations?: readonly string[], hideKeys?: HideKeys): SqliteStore {
  const { database, close } = openDatabase(file, migrations, hideKeys)
  const statement = createStatements(database)
  const reads = createReads(statement)
  const kept = createKeptReads(reads)
  let waiting: Waiting[] = []
  let next: Promise<void> | undefined
  const run = () => {
    next = undefined
    const commits = waiting
    waiting = []
    commitTogether({ database, statement }, commits, (changes) => {
      applyAudited(statement, changes)
      kept.committed(changes)
    })
  }
  const store: Store = {
    ...reads,
    ...kept.reads,
    commit(changes) {
      // Those of one turn of the event loop are together, as requests that arrived together.
      next ??= new Promise((done) => {
        setImmediate(() => {
          run()
          done()
        })
      })
      return new Promise((resolve, reject) => waiting.push({ changes, resolve, reject }))
    },
    async close() {
      await next
      close()
    },
  }
  return { store, database }
}

/**
 * One transaction for all: each commit is applied whole or not at all, and is settled when the transaction is on the disk.
 * Nothing else runs meanwhile, as all of it is synchronous.
 */
function commitTogether(
  { database, statement }: { readonly database: DatabaseSync; readonly statement: (sql: string) => StatementSync },
  commits: readonly Waiting[],
  apply: (changes: readonly Change[]) => void,
): void {
  const applied: Waiting[] = []
  const refused: { readonly commit: Waiting; readonly reason: unknown }[] = []
  try {
    statement('BEGIN IMMEDIATE').run()
    for (const commit of commits) {
      statement('SAVEPOINT one').run()
      try {
        apply(commit.changes)
        applied.push(commit)
      } catch (error) {
        if (isUnavailable(error)) throw error
        statement('ROLLBACK TO one').run()
        refused.push({ commit, reason: error })
      }
      statement('RELEASE one').run()
    }
    statement('COMMIT').run()
  } catch (error) {
    rollBack(database)
    const reason = asUnavailable(error)
    for (const { reject } of commits) reject(reason)
    return
  }
  for (const { resolve } of applied) resolve()
  for (const { commit, reason } of refused) commit.reject(reason)
}

const UNAVAILABLE: readonly number[] = [SQLITE.busy, SQLITE.readOnly, SQLITE.ioError, SQLITE.full, SQLITE.cannotOpen]

const isUnavailable = (error: unknown): boolean => UNAVAILABLE.includes(sqliteCode(error) ?? -1)

const asUnavailable = (error: unknown): unknown =>
  isUnavailable(error) ? new StoreUnavailable(sqliteCode(error) === SQLITE.full, { cause: error }) : error

/** Such reads, which keep what they have read. */
type KeptReads = {
  readonly reads: Pick<Store, 'user' | 'workspace' | 'environment' | 'allowedBackends' | 'claimsOn'>
  /** Must be called when changes are committed, before anybody is told so. */
  committed(changes: readonly Change[]): void
}

/** Answers that are kept. Names come from requests: there may be any number of them. */
const MOST_KEPT = 1_000

const CHANGING: readonly string[] = ['user', 'workspace', 'environment']

const isChanging = (change: Change): boolean =>
  ('put' in change && CHANGING.includes(change.put)) ||
  ('remove' in change && CHANGING.includes(change.remove)) ||
  ['allow', 'claim', 'unclaim'].some((what) => what in change)

/** Only for a database that nobody else writes. */
function createKeptReads(reads: KeptReads['reads']): KeptReads {
  const kept = new Map<string, Promise<unknown>>()
  const keeping =
    <Names extends readonly (string | readonly string[])[], Value>(
      what: string,
      read: (...names: Names) => Promise<Value>,
    ) =>
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
      allowedBackends: keeping('backends', reads.allowedBackends),
      claimsOn: keeping('claims', reads.claimsOn),
    },
    committed(changes) {
      if (changes.some(isChanging)) kept.clear()
    },
  }
}
