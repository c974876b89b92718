/**
 * Backups of a store: one file, of two lines and the database. The first line has a checksum of all that follows it, the
 * second one says what it is: a file that is cut off, changed, of another program or of a newer version is not restored.
 */
import { createHash } from 'node:crypto'
import {
  closeSync,
  copyFileSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { isObject } from '../../json/member.ts'
import { systemErrorCode } from '../../text/system-error.ts'
import { MIGRATIONS } from './migrations.ts'
import {
  checkIsKnown,
  checkIsOurs,
  copyInto,
  emptyLog,
  type HideKeys,
  inWords,
  lockStateFile,
  OWNER_ONLY,
  openDatabase,
  openReadOnly,
  openToCopy,
  StateFileError,
} from './open.ts'

/** What a backup says of itself. */
export type BackupHeader = {
  /** The version of sluice that made it. */
  readonly sluice: string
  /** Steps of its schema. */
  readonly schema: number
  /** Milliseconds since 1970. */
  readonly at: number
  /** How much it has: nothing of what is in it. */
  readonly counts: Readonly<Record<string, number>>
}

const MAGIC = 'sluice-backup'

/** The form of the file; another one is another number. */
const FORM = 1

const FIRST_LINE = new RegExp(`^${MAGIC} (\\d+) sha256:([0-9a-f]{64})$`)

/** Bytes of a line at most. */
const LONGEST_LINE = 4_096

const CHUNK = 1024 * 1024

/** What a listing counts. */
const COUNTED = ['workspaces', 'environments', 'proxies', 'users', 'history'] as const

export type BackupOptions = {
  /** The store, of a running server too. */
  readonly state: string
  /** Where the backup goes; it is whole or not there. */
  readonly file: string
  /** False: never in the place of another file. */
  readonly replaces: boolean
  readonly sluice: string
  readonly now: number
}

/** Writes all that is committed at one moment, without keeping anybody from writing. Throws {@link StateFileError}. */
export function writeBackup({ state, file, replaces, sluice, now }: BackupOptions): BackupHeader {
  if (!existsSync(state)) throw new StateFileError(`${state}: there is no such file; --state names the store`)
  const isThere = () => new StateFileError(`${file} is there already: write another name, or --force to replace it`)
  if (existsSync(file)) {
    if (realpathSync(file) === realpathSync(state)) throw new StateFileError(`${file} is the store itself`)
    if (!replaces) throw isThere()
  }
  checkIsKnown(state, MIGRATIONS.length)
  const draft = `${file}.${process.pid}.draft`
  const content = `${draft}.db`
  try {
    const database = openToCopy(state)
    try {
      copyInto(database, content)
    } finally {
      database.close()
    }
    const schema = checkIsKnown(content, MIGRATIONS.length)
    const header = { sluice, schema, at: now, counts: countsOf(content) }
    writeWhole(draft, header, content)
    if (replaces) renameSync(draft, file)
    else linkNew(draft, file, isThere)
    syncFolder(file)
    return header
  } catch (error) {
    throw inWords(file, error)
  } finally {
    for (const path of [draft, content]) rmSync(path, { force: true })
  }
}

/** Not in the place of a file that has come meanwhile. */
function linkNew(draft: string, file: string, isThere: () => Error): void {
  try {
    linkSync(draft, file)
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST' || existsSync(file)) throw isThere()
    renameSync(draft, file)
  }
}

function countsOf(file: string): Record<string, number> {
  const database = openReadOnly(file)
  try {
    const tables = new Set(
      database
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
        .all()
        .map(({ name }) => name),
    )
    const count = (table: string) => Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n)
    return Object.fromEntries(COUNTED.flatMap((table) => (tables.has(table) ? [[table, count(table)]] : [])))
  } finally {
    database.close()
  }
}

/** The content is read twice, as its checksum stands before it. */
function writeWhole(draft: string, header: BackupHeader, content: string): void {
  const line = `${JSON.stringify(header)}\n`
  const hash = createHash('sha256').update(line)
  readAll(content, 0, (bytes) => hash.update(bytes))
  const file = openSync(draft, 'wx', OWNER_ONLY)
  try {
    // Whatever the mask of the process adds or takes.
    fchmodSync(file, OWNER_ONLY)
    writeFully(file, Buffer.from(`${MAGIC} ${FORM} sha256:${hash.digest('hex')}\n${line}`))
    readAll(content, 0, (bytes) => writeFully(file, bytes))
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function writeFully(file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done)
}

/** Reads a file in chunks, from an offset on. */
function readAll(path: string, from: number, onBytes: (bytes: Uint8Array) => void): void {
  const file = openSync(path, 'r')
  try {
    const buffer = Buffer.allocUnsafe(CHUNK)
    for (let offset = from; ; ) {
      const length = readSync(file, buffer, 0, CHUNK, offset)
      if (length === 0) return
      onBytes(buffer.subarray(0, length))
      offset += length
    }
  } finally {
    closeSync(file)
  }
}

/** Reads what a backup says of itself, and checks all of it. Throws {@link StateFileError}. */
export function readBackup(path: string): { readonly header: BackupHeader; readonly offset: number } {
  try {
    const start: Buffer[] = []
    let size = 0
    readAll(path, 0, (bytes) => {
      if (size < 2 * LONGEST_LINE) start.push(Buffer.from(bytes.subarray(0, 2 * LONGEST_LINE)))
      size += bytes.length
    })
    const [first = '', second = ''] = Buffer.concat(start).toString('latin1').split('\n', 2)
    const [, form, checksum] = FIRST_LINE.exec(first) ?? []
    if (form === undefined || Number(form) < FORM)
      throw new StateFileError(`${path} is not a backup of sluice, or its beginning is damaged: ${OTHER}`)
    if (Number(form) > FORM) throw newer(path, `form ${form}`, FORM)
    const hash = createHash('sha256')
    readAll(path, first.length + 1, (bytes) => hash.update(bytes))
    if (hash.digest('hex') !== checksum)
      throw new StateFileError(`${path} is damaged: it is cut off, or was changed since it was written: ${OTHER}`)
    const header = headerOf(Buffer.from(second, 'latin1').toString('utf8'))
    if (!header) throw new StateFileError(`${path} is not a backup of sluice: ${OTHER}`)
    if (header.schema > MIGRATIONS.length) throw newer(path, `schema ${header.schema}`, MIGRATIONS.length)
    return { header, offset: first.length + second.length + 2 }
  } catch (error) {
    throw inWords(path, error)
  }
}

const OTHER = 'use another backup'

const newer = (path: string, what: string, known: number): StateFileError =>
  new StateFileError(
    `${path} was written by a newer version of sluice (${what}, this one knows ${known}): use that version`,
  )

function headerOf(line: string): BackupHeader | undefined {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return undefined
  }
  if (!isObject(value)) return undefined
  const { sluice, schema, at, counts } = value
  if (typeof sluice !== 'string' || typeof schema !== 'number' || typeof at !== 'number' || !isObject(counts))
    return undefined
  const numbers = Object.entries(counts).flatMap(([name, count]) =>
    typeof count === 'number' ? [[name, count] as const] : [],
  )
  return { sluice, schema, at, counts: Object.fromEntries(numbers) }
}

export type RestoreOptions = { readonly state: string; readonly file: string; readonly hideKeys: HideKeys }

export type Restored = {
  readonly header: BackupHeader
  /** Where the store from before is now; undefined: there was none. */
  readonly replaced: string | undefined
}

/**
 * Puts a backup in the place of a store that no server uses, and keeps that one beside it. A backup of an older version is
 * migrated first: until all is ready, nothing changes. Throws {@link StateFileError}.
 */
export function restoreBackup({ state, file, hideKeys }: RestoreOptions): Restored {
  const { header, offset } = readBackup(file)
  // One that is empty, damaged or of a newer version is what a backup is for.
  checkIsOurs(state)
  const target = existsSync(state) ? realpathSync(state) : state
  const lock = lockStateFile(target)
  const draft = `${target}.${process.pid}.draft`
  try {
    const copy = openSync(draft, 'wx', OWNER_ONLY)
    try {
      readAll(file, offset, (bytes) => writeFully(copy, bytes))
      fsyncSync(copy)
    } finally {
      closeSync(copy)
    }
    migrateDraft(draft, { header, file, hideKeys })
    const replaced = setAside(target)
    renameSync(draft, target)
    syncFolder(target)
    return { header, replaced }
  } catch (error) {
    throw inWords(target, error)
  } finally {
    for (const end of ['', '-wal', '-shm', '.lock']) rmSync(`${draft}${end}`, { force: true })
    lock.close()
  }
}

type Draft = { readonly header: BackupHeader; readonly file: string; readonly hideKeys: HideKeys }

function migrateDraft(draft: string, { header, file, hideKeys }: Draft): void {
  const odd = (cause?: unknown) => new StateFileError(`${file} is not a backup of sluice: ${OTHER}`, { cause })
  try {
    if (checkIsKnown(draft, MIGRATIONS.length) !== header.schema) throw odd()
  } catch (error) {
    throw odd(error)
  }
  const { database, close } = openDatabase(draft, MIGRATIONS, hideKeys, false)
  try {
    if (!isWhole(database)) throw odd()
  } finally {
    close()
  }
}

const isWhole = (database: DatabaseSync): boolean =>
  database.prepare('PRAGMA quick_check(1)').get()?.quick_check === 'ok'

/** Keeps a store under another name, whole, without a moment at which none is there. */
function setAside(target: string): string | undefined {
  if (!existsSync(target)) return undefined
  const names = [`${target}.replaced`, ...Array.from({ length: 999 }, (_, index) => `${target}.replaced.${index + 2}`)]
  const aside = names.find((name) => !existsSync(name) && !existsSync(`${name}-wal`))
  if (aside === undefined) throw new StateFileError(`${target}.replaced is there, with 999 others: move them away`)
  emptyLog(target)
  // Beside another database the log of a damaged one would be applied to it.
  for (const end of ['-wal', '-shm']) if (existsSync(`${target}${end}`)) renameSync(`${target}${end}`, `${aside}${end}`)
  try {
    linkSync(target, aside)
  } catch {
    copyFileSync(target, aside)
  }
  return aside
}

function syncFolder(path: string): void {
  const folder = openSync(dirname(path), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
