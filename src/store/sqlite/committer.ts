/** Commits to a SQLite store: those that come together are one transaction, with one wait for the disk. */
import type { DatabaseSync } from 'node:sqlite'
import { type Change, StoreUnavailable } from '../store.ts'
import { applyAudited } from './audit.ts'
import { rollBack, SQLITE, sqliteCode } from './open.ts'
import { createStatements } from './reads.ts'

/** The changes of one commit. */
export type Changes = readonly Change[]

/** What became of a commit: it is on the disk, or why nothing of it is. */
export type Outcome = 'committed' | { readonly reason: unknown }

/**
 * Applies each commit whole or not at all; the outcomes are in their order. Nothing else runs meanwhile, as all of it is
 * synchronous.
 */
export type Committer = (commits: readonly Changes[]) => readonly Outcome[]

/** Writes to a database. */
export function createCommitter(database: DatabaseSync): Committer {
  const statement = createStatements(database)
  const apart = (changes: Changes): Outcome => {
    statement('SAVEPOINT one').run()
    let outcome: Outcome = 'committed'
    try {
      applyAudited(statement, changes)
    } catch (reason) {
      if (isUnavailable(reason)) throw reason
      statement('ROLLBACK TO one').run()
      outcome = { reason }
    }
    statement('RELEASE one').run()
    return outcome
  }
  const together = (changes: Changes): Outcome => {
    applyAudited(statement, changes)
    return 'committed'
  }
  const inTransaction = (commits: readonly Changes[], apply: (changes: Changes) => Outcome): readonly Outcome[] => {
    try {
      statement('BEGIN IMMEDIATE').run()
      const outcomes = commits.map(apply)
      statement('COMMIT').run()
      return outcomes
    } catch (error) {
      rollBack(database)
      throw error
    }
  }
  return (commits) => {
    try {
      return inTransaction(commits, together)
    } catch (error) {
      if (commits.length === 1 || isUnavailable(error)) return refusedAll(commits, error)
    }
    // One of them is refused, which is rare: savepoints copy each page that is changed.
    try {
      return inTransaction(commits, apart)
    } catch (error) {
      return refusedAll(commits, error)
    }
  }
}

function refusedAll(commits: readonly Changes[], error: unknown): readonly Outcome[] {
  const reason = asUnavailable(error)
  return commits.map(() => ({ reason }))
}

const UNAVAILABLE: readonly number[] = [SQLITE.busy, SQLITE.readOnly, SQLITE.ioError, SQLITE.full, SQLITE.cannotOpen]

const isUnavailable = (error: unknown): boolean => UNAVAILABLE.includes(sqliteCode(error) ?? -1)

const asUnavailable = (error: unknown): unknown =>
  isUnavailable(error) ? new StoreUnavailable(sqliteCode(error) === SQLITE.full, { cause: error }) : error
