/** The store in one SQLite file. What arrives while the disk is busy is committed together: one wait for the disk for all. */
import type { DatabaseSync } from 'node:sqlite'
import type { Change, Store } from '../store.ts'
import { type Changes, createCommitter } from './committer.ts'
import { type HideKeys, openDatabase } from './open.ts'
import { createReads, createStatements } from './reads.ts'
import { createThreadWriter, type Writer } from './writer.ts'

/** A store with its database, for what keeps tables of its own in the same file (its SQL stands among the migrations). */
export type SqliteStore = { readonly store: Store; readonly database: DatabaseSync }

/** A commit that waits for the next turn of the event loop. */
type Waiting = {
  readonly changes: Changes
  resolve(): void
  reject(reason: unknown): void
}

/** How a file is opened. */
export type StoreOptions = {
  readonly migrations?: readonly string[] | undefined
  readonly hideKeys?: HideKeys | undefined
  /** True: commits are made on a thread of their own. */
  readonly onThread?: boolean
}

/** Opens a file, or creates it. Throws `StateFileError`. */
export function openSqliteStore(
  file: string,
  { migrations, hideKeys, onThread = false }: StoreOptions = {},
): SqliteStore {
  const { database, close } = openDatabase(file, migrations, hideKeys)
  const reads = createReads(createStatements(database))
  const kept = createKeptReads(reads)
  const writer = onThread ? createThreadWriter(file) : writerHere(database)
  let waiting: Waiting[] = []
  let next: Promise<void> | undefined
  const run = async () => {
    next = undefined
    const commits = waiting
    waiting = []
    const outcomes = await writer
      .commit(commits.map(({ changes }) => changes))
      .catch((reason: unknown) => commits.map(() => ({ reason })))
    for (const [index, { changes, resolve, reject }] of commits.entries()) {
      const outcome = outcomes[index]
      if (outcome === 'committed') {
        kept.committed(changes)
        resolve()
      } else reject(outcome?.reason)
    }
  }
  const store: Store = {
    ...reads,
    ...kept.reads,
    commit(changes) {
      // Those of one turn of the event loop are together, as requests that arrived together.
      next ??= new Promise((done) => setImmediate(() => done(run())))
      return new Promise((resolve, reject) => waiting.push({ changes, resolve, reject }))
    },
    async close() {
      await next
      await writer.end()
      close()
    },
  }
  return { store, database }
}

/** A writer on this thread. */
function writerHere(database: DatabaseSync): Writer {
  const commit = createCommitter(database)
  return { commit: async (commits) => commit(commits), end: async () => {} }
}

/** Such reads, which keep what they have read. */
type KeptReads = {
  readonly reads: Pick<Store, 'user' | 'workspace' | 'environment' | 'allowedBackends' | 'claimsOn' | 'hasForeignProxy'>
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
  const kept = createKept()
  /** By workspace: whether others have proxies on some hostnames. */
  const foreign = new Map<string, Kept>()
  const changed = (change: Change) => {
    if (isChanging(change)) kept.clear()
    if ('remove' in change && change.remove === 'proxy') foreign.clear()
    if ('put' in change && change.put === 'proxy')
      for (const workspace of foreign.keys()) if (workspace !== change.value.workspace) foreign.delete(workspace)
  }
  return {
    reads: {
      user: (name) => kept.read('user', () => reads.user(name), name),
      workspace: (name) => kept.read('workspace', () => reads.workspace(name), name),
      environment: (workspace, name) =>
        kept.read('environment', () => reads.environment(workspace, name), workspace, name),
      allowedBackends: (workspace) => kept.read('backends', () => reads.allowedBackends(workspace), workspace),
      claimsOn: (hostnames) => kept.read('claims', () => reads.claimsOn(hostnames), ...hostnames),
      hasForeignProxy(hostnames, workspace) {
        if (foreign.size >= MOST_KEPT) foreign.clear()
        const own = foreign.get(workspace) ?? createKept()
        foreign.set(workspace, own)
        return own.read('foreign', () => reads.hasForeignProxy(hostnames, workspace), ...hostnames)
      },
    },
    committed: (changes) => changes.forEach(changed),
  }
}

type Kept = {
  /** What was read under this name before, or is read now. */
  read<Value>(what: string, read: () => Promise<Value>, ...names: readonly string[]): Promise<Value>
  clear(): void
}

function createKept(): Kept {
  const kept = new Map<string, Promise<unknown>>()
  return {
    clear: () => kept.clear(),
    read<Value>(what: string, read: () => Promise<Value>, ...names: readonly string[]) {
      const key = JSON.stringify([what, ...names])
      const known = kept.get(key)
      // Only `read` has put something there under this key.
      if (known) return known as Promise<Value>
      if (kept.size >= MOST_KEPT) kept.clear()
      const value = read()
      kept.set(key, value)
      value.catch(() => kept.delete(key))
      return value
    },
  }
}
