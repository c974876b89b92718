/** Opens the file of a SQLite store: finds SQLite in Node, keeps other processes out, and brings the schema up to date. */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import type { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { describeSystemError, systemErrorCode } from '../../text/system-error.ts'
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
 * written beside it (`FILE.v1`), unless `keepsCopy` is false. Throws {@link StateFileError}; a file that is not ours, empty,
 * or of a newer version, is not touched.
 */
export function openDatabase(
  file: string,
  migrations: readonly string[] = MIGRATIONS,
  hideKeys: HideKeys = unknownKeys,
  keepsCopy = true,
): OpenDatabase {
  const sqlite = loadSqlite()
  checkIsKnown(file, migrations.length)
  checkIsWritable(file)
  const lock = lockFile(sqlite, file)
  try {
    // Another process may have had it until now.
    const version = checkIsKnown(file, migrations.length)
    if (!existsSync(file)) closeSync(openSync(file, 'a', OWNER_ONLY))
    const database = new sqlite.DatabaseSync(file, { timeout: PATIENCE })
    try {
      database.exec(`PRAGMA journal_mode = WAL; ${DURABLE}`)
      database.function('hidden_keys', (body, salt) => hideKeys(String(body), salt === null ? undefined : String(salt)))
      if (version < migrations.length) migrate(database, { file, version, migrations, keepsCopy })
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

/** FULL: a commit is on the disk when it returns, also in WAL mode. */
const DURABLE = 'PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON'

/** A further connection to a file that {@link openDatabase} keeps open. */
export function openToWrite(file: string): DatabaseSync {
  const { DatabaseSync } = loadSqlite()
  const database = new DatabaseSync(file, { timeout: PATIENCE })
  database.exec(DURABLE)
  return database
}

/** It has the hashes of passwords. */
export const OWNER_ONLY = 0o600

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

/** What every SQLite file begins with, and where the numbers of its program are. Source: SQLite, "Database File Format", 1.3. */
const HEAD = { bytes: 100, magic: 'SQLite format 3\0', application: 68 } as const

/** What a path leads to, as far as it may be ours. Throws {@link StateFileError} for what is not. Touches nothing. */
export function checkIsOurs(file: string): 'absent' | 'empty' | 'ours' {
  checkIsFile(file)
  if (!existsSync(file)) return 'absent'
  const head = readHead(file)
  if (head.length === 0) return 'empty'
  if (!head.toString('latin1').startsWith(HEAD.magic) || head.length < HEAD.bytes)
    throw new StateFileError(`${file}: ${NOT_OURS}`)
  const application = head.readUInt32BE(HEAD.application)
  // 0: of a program that has no number, or of ours before its first write has come from the log into the file.
  if (application !== APPLICATION_ID && (application !== 0 || isOfAnother(file)))
    throw new StateFileError(`${file} is the database of another program: choose another file`)
  return 'ours'
}

const NOT_OURS = 'it is not a state file of sluice: choose another file'

function readHead(file: string): Buffer {
  let descriptor: number | undefined
  try {
    descriptor = openSync(file, 'r')
    const head = Buffer.alloc(HEAD.bytes)
    return head.subarray(0, readSync(descriptor, head, 0, HEAD.bytes, 0))
  } catch (error) {
    throw inWords(file, error)
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

const isOfAnother = (file: string): boolean =>
  reading(file, (database) => {
    const has = database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined
    return (has || pragma(database, 'user_version') > 0) && pragma(database, 'application_id') !== APPLICATION_ID
  })

/** The number of migrations that the file has had; 0 for a new one. Throws {@link StateFileError}. Touches nothing. */
export function checkIsKnown(file: string, known: number): number {
  const what = checkIsOurs(file)
  if (what === 'absent') return 0
  // A new one in its place would publish that there are no proxies.
  if (what === 'empty')
    throw new StateFileError(`${file} is empty: restore a backup, or delete it to begin with an empty store`)
  const version = reading(file, (database) => pragma(database, 'user_version'))
  if (version > known)
    throw new StateFileError(
      `${file} was written by a newer version of sluice (schema ${version}, this one knows ${known}): use that version, or another file`,
    )
  return version
}

/** SQLite opens a file that it may only read, and says so at the first change. */
function checkIsWritable(file: string): void {
  if (existsSync(file) && !isWritable(file)) throw new StateFileError(`${file}: ${REASONS[SQLITE.readOnly]}`)
}

function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.W_OK)
    return true
  } catch {
    return false
  }
}

const pragma = (database: DatabaseSync, name: string): number =>
  Number(database.prepare(`PRAGMA ${name}`).get()?.[name])

function reading<Value>(file: string, read: (database: DatabaseSync) => Value): Value {
  try {
    const database = openReadOnly(file)
    try {
      return read(database)
    } finally {
      database.close()
    }
  } catch (error) {
    throw inWords(file, error)
  }
}

/** Reads a database, in use too. Without a log it makes no file beside it, and nobody may write meanwhile. */
export function openReadOnly(file: string): DatabaseSync {
  const { DatabaseSync } = loadSqlite()
  const url = pathToFileURL(file)
  if (existsSync(`${file}-wal`)) return new DatabaseSync(file, { readOnly: true, timeout: PATIENCE })
  url.searchParams.set('immutable', '1')
  return new DatabaseSync(url, { readOnly: true })
}

/** Reads what is committed at one moment, though a server may begin to write it meanwhile. */
export function openToCopy(file: string): DatabaseSync {
  const { DatabaseSync } = loadSqlite()
  return isWritable(file) ? new DatabaseSync(file, { timeout: PATIENCE }) : openReadOnly(file)
}

/** Moves what the log of a database has into its file. Without effect where it cannot be read. */
export function emptyLog(file: string): void {
  if (!existsSync(`${file}-wal`)) return
  try {
    const { DatabaseSync } = loadSqlite()
    const database = new DatabaseSync(file, { timeout: PATIENCE })
    try {
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    } finally {
      database.close()
    }
  } catch {}
}

type Migration = {
  readonly file: string
  readonly version: number
  readonly migrations: readonly string[]
  readonly keepsCopy: boolean
}

function migrate(database: DatabaseSync, { file, version, migrations, keepsCopy }: Migration): void {
  if (version > 0 && keepsCopy) copyBeside(database, `${file}.v${version}`)
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
  try {
    copyInto(database, draft)
    renameSync(draft, copy)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Writes all that is committed into a file, in the place of what is there. */
export function copyInto(database: DatabaseSync, copy: string): void {
  rmSync(copy, { force: true })
  closeSync(openSync(copy, 'a', OWNER_ONLY))
  database.prepare('VACUUM INTO ?').run(copy)
}

/** Result codes of SQLite. */
export const SQLITE = {
  permission: 3,
  busy: 5,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
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
  [SQLITE.permission]: 'it cannot be opened: may this user read and write it?',
  [SQLITE.busy]: 'it is in use by another process',
  [SQLITE.readOnly]: 'it cannot be written: may this user write it, and in its folder?',
  [SQLITE.ioError]: 'the disk reports an error',
  [SQLITE.corrupt]: 'it is damaged: restore a backup with "sluice api-management restore"',
  [SQLITE.full]: 'no space is left on the disk',
  [SQLITE.cannotOpen]: 'it cannot be opened: is its folder there, and may this user write in it?',
  [SQLITE.notADatabase]: NOT_OURS,
}

/** Errors of SQLite and of the system as {@link StateFileError} about a file; others as they are. */
export function inWords(file: string, error: unknown): unknown {
  if (error instanceof StateFileError) return error
  const reason = systemErrorCode(error) === undefined ? REASONS[sqliteCode(error) ?? -1] : describeSystemError(error)
  return reason === undefined ? error : new StateFileError(`${file}: ${reason}`, { cause: error })
}
