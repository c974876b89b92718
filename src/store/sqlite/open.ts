/** Opens the file of a SQLite store: finds SQLite in Node, keeps other processes out, and brings the schema up to date. */
import { closeSync, existsSync, openSync, realpathSync, renameSync, rmSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import type { DatabaseSync } from 'node:sqlite'
import { MIGRATIONS } from './migrations.ts'

type Sqlite = typeof import('node:sqlite')

/** The file cannot be used. The message says why, and what to do. */
export class StateFileError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StateFileError'
  }
}

/** A database with what keeps other processes out. */
export type OpenDatabase = { readonly database: DatabaseSync; close(): void }

/** A body without the keys of clients, as JSON: their hashes with a salt are in it, or nothing of them without a salt. */
export type HideKeys = (body: string, salt: string | undefined) => string

const unknownKeys: HideKeys = () => {
  throw new Error('the file has keys of clients, and nobody said how they are hidden')
}

/** `SLUC`, in the header of every file of ours. */
const APPLICATION_ID = 0x53_4c_55_43

/** Milliseconds to wait for a program that reads the file, such as a backup. */
const PATIENCE = 5_000

/**
 * Opens a file, or creates it. The schema is made by `migrations`, in one transaction, after a copy of an older file was
 * written beside it (`FILE.v1`). Throws {@link StateFileError}; a file that is not ours, or of a newer version, is not touched.
 */
export function openDatabase(
  file: string,
  migrations: readonly string[] = MIGRATIONS,
  hideKeys: HideKeys = unknownKeys,
): OpenDatabase {
  const sqlite = loadSqlite()
  checkIsFile(file)
  const lock = lockFile(sqlite, file)
  try {
    const version = versionOf(sqlite, file)
    if (version > migrations.length)
      throw new StateFileError(
        `${file} was written by a newer version of sluice (schema ${version}, this one knows ${migrations.length}): use that version, or another file`,
      )
    if (!existsSync(file)) closeSync(openSync(file, 'a', OWNER_ONLY))
    const database = new sqlite.DatabaseSync(file, { timeout: PATIENCE })
    try {
      // FULL: a commit is on the disk when it returns, also in WAL mode.
      database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')
      database.function('hidden_keys', (body, salt) => hideKeys(String(body), salt === null ? undefined : String(salt)))
      if (version < migrations.length) migrate(database, { file, version, migrations })
      return { database, close: () => closeBoth(database, lock) }
    } catch (error) {
      database.close()
      throw error
    }
  } catch (error) {
    lock.close()
    throw inWords(file, error)
  }
}

/** It has the hashes of passwords. */
const OWNER_ONLY = 0o600

/** A Node without SQLite is told so; the warning that it is experimental, which some versions print, is of no use to users. */
function loadSqlite(): Sqlite {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    const sqlite: Sqlite | undefined = process.getBuiltinModule?.('node:sqlite')
    if (sqlite) return sqlite
  } finally {
    process.emitWarning = emitWarning
  }
  throw new StateFileError(
    `this Node (${process.versions.node}) has no SQLite built in: the management API needs Node 22.13 or newer`,
  )
}

/** Keeps other processes from a file that is not a database. Throws {@link StateFileError} where one has it already. */
export function lockStateFile(file: string): { close(): void } {
  const sqlite = loadSqlite()
  checkIsFile(file)
  return lockFile(sqlite, file)
}

/** Throws where something else than a file is there: SQLite reports errors of the disk, or waits for a writer. */
function checkIsFile(file: string): void {
  const stats = statsOf(file)
  if (!stats || stats.isFile()) return
  throw new StateFileError(
    stats.isDirectory()
      ? `${file} is a folder, and a file is needed, such as ${join(file, 'state.db')}`
      : `${file} is not a file: choose another path`,
  )
}

/** Undefined where nothing is there, or it cannot be told: opening it says why. */
function statsOf(file: string): Stats | undefined {
  try {
    return statSync(file)
  } catch {
    return undefined
  }
}

/** Holds a lock as long as it is open, and loses it with the process, however that ends. */
function lockFile({ DatabaseSync }: Sqlite, file: string): DatabaseSync {
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(`${realPath(file)}.lock`, { timeout: 0 })
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock?.close()
    if (sqliteCode(error) === SQLITE.busy) throw new StateFileError(`${file} is in use by another process`)
    throw inWords(file, error)
  }
}

/** A file has one lock, whatever links lead to it. */
const realPath = (file: string): string => (existsSync(file) ? realpathSync(file) : file)

function closeBoth(database: DatabaseSync, lock: DatabaseSync): void {
  database.close()
  lock.close()
}

/** The number of migrations that the file has had; 0 for a new one. Only reads. */
function versionOf({ DatabaseSync }: Sqlite, file: string): number {
  if (!existsSync(file)) return 0
  const database = new DatabaseSync(file, { readOnly: true, timeout: PATIENCE })
  try {
    const read = (name: string) => Number(database.prepare(`PRAGMA ${name}`).get()?.[name])
    const hasTables = database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined
    if (hasTables && read('application_id') !== APPLICATION_ID)
      throw new StateFileError(`${file} is the database of another program: choose another file`)
    return read('user_version')
  } finally {
    database.close()
  }
}

type Migration = { readonly file: string; readonly version: number; readonly migrations: readonly string[] }

function migrate(database: DatabaseSync, { file, version, migrations }: Migration): void {
  if (version > 0) copyBeside(database, `${file}.v${version}`)
  database.exec('BEGIN IMMEDIATE')
  try {
    for (const step of migrations.slice(version)) database.exec(step)
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${migrations.length}; COMMIT`)
  } catch (error) {
    rollBack(database)
    throw error
  }
  // What was replaced is not in the file any longer.
  if (version > 0) database.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)')
}

/** Ends a transaction without effect; SQLite may have ended it already. */
export function rollBack(database: DatabaseSync): void {
  try {
    database.exec('ROLLBACK')
  } catch {}
}

/** A copy that is whole or not there. */
function copyBeside(database: DatabaseSync, copy: string): void {
  const draft = `${copy}.draft`
  rmSync(draft, { force: true })
  closeSync(openSync(draft, 'a', OWNER_ONLY))
  database.prepare('VACUUM INTO ?').run(draft)
  renameSync(draft, copy)
}

/** Result codes of SQLite. */
export const SQLITE = {
  busy: 5,
  readOnly: 8,
  ioError: 10,
  full: 13,
  cannotOpen: 14,
  constraint: 19,
  notADatabase: 26,
} as const

/** The primary result code of an error of SQLite; undefined for other errors. */
export function sqliteCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & 0xff
    : undefined
}

const REASONS: Readonly<Record<number, string>> = {
  [SQLITE.busy]: 'it is in use by another process',
  [SQLITE.readOnly]: 'it cannot be written',
  [SQLITE.ioError]: 'the disk reports an error',
  [SQLITE.full]: 'no space is left on the disk',
  [SQLITE.cannotOpen]: 'it cannot be opened: is its folder there, and may this user write in it?',
  [SQLITE.notADatabase]: 'it is not a state file of sluice',
}

function inWords(file: string, error: unknown): unknown {
  const reason = REASONS[sqliteCode(error) ?? -1]
  return reason === undefined ? error : new StateFileError(`${file}: ${reason}`, { cause: error })
}
