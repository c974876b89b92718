/** How each change is written into a SQLite store. */
import type { StatementSync } from 'node:sqlite'
import {
  ADMINISTRATOR,
  type Change,
  type Conflict,
  type HostnameClaim,
  type HostnameOwner,
  StoreConflict,
  type StoredProxy,
  type User,
} from '../store.ts'
import { SQLITE, sqliteCode } from './open.ts'

type Statement = (sql: string) => StatementSync

/** Events that are kept: whoever was away for longer reads everything again. */
export const KEPT_EVENTS = 10_000

/** Writes one change within a transaction. Throws {@link StoreConflict}. */
export function applyChange(statement: Statement, change: Change): void {
  const run = (sql: string, ...values: (string | number | null)[]) => Number(statement(sql).run(...values).changes)
  /** One row must be written, for the expectation to hold. */
  const one = (count: number) => {
    if (count !== 1) throw new StoreConflict('revision')
  }
  if (isOfUser(change)) one(changeUser(statement, run, change))
  else if (isOfToken(change)) one(changeToken(run, change))
  else if ('used' in change)
    run('UPDATE tokens SET last_used = ?1 WHERE hash = ?2 AND ifnull(last_used, 0) < ?1', change.at, change.used)
  else if ('author' in change) return
  else if ('claim' in change) one(putClaim(run, change.claim))
  else if ('unclaim' in change) removeClaim(run, change)
  else if ('allow' in change) one(putAllowed(run, change.workspace, change.allow))
  else if ('owners' in change) checkOwners(statement, change.owners)
  else if ('remove' in change) one(withConflicts(() => remove(run, change), 'in-use'))
  else if ('forget' in change) run('DELETE FROM remembered WHERE at <= ?', change.until)
  else if (change.put === 'state') {
    const { state, reason, message } = change.value
    const sql = 'UPDATE proxies SET state = ?, reason = ?, message = ? WHERE id = ? AND revision = ?'
    run(sql, state, reason, message, change.id, change.expected)
  } else if (change.put === 'event') putEvent(run, change.value)
  else if (change.put === 'refused-sign-ins') return
  else one(withConflicts(() => put(run, change), 'missing-parent'))
}

type OfToken = Extract<Change, { readonly put: 'token' } | { readonly remove: 'token' }>

const isOfToken = (change: Change): change is OfToken =>
  ('put' in change && change.put === 'token') || ('remove' in change && change.remove === 'token')

function changeToken(run: Run, change: OfToken): number {
  if ('put' in change) {
    const { name, hash, roles, createdBy, createdAt, expires, lastUsed } = change.value
    const values = [name, hash, JSON.stringify(roles), createdBy, createdAt, expires, lastUsed ?? null]
    return withConflicts(() => run('INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?, ?)', ...values), 'missing-parent')
  }
  run('DELETE FROM revoked_tokens WHERE expires <= ?', change.at)
  run('INSERT OR IGNORE INTO revoked_tokens SELECT hash, expires FROM tokens WHERE hash = ?', change.hash)
  return run('DELETE FROM tokens WHERE name = ? AND hash = ?', change.name, change.hash)
}

type OfUser = Extract<Change, { readonly put: 'user' } | { readonly remove: 'user' }>

const isOfUser = (change: Change): change is OfUser =>
  ('put' in change && change.put === 'user') || ('remove' in change && change.remove === 'user')

function changeUser(statement: Statement, run: Run, change: OfUser): number {
  const count =
    'put' in change
      ? withConflicts(() => putUser(run, change.value, change.expected), 'revision')
      : withConflicts(
          () => run('DELETE FROM users WHERE name = ? AND revision = ?', change.name, change.expected),
          'in-use',
        )
  if (statement('SELECT 1 FROM users WHERE is_administrator = 1 LIMIT 1').get() === undefined)
    throw new StoreConflict('last-administrator')
  return count
}

function putUser(run: Run, user: User, expected: number | undefined): number {
  const { name, roles, passwordHash, mustChangePassword, revision } = user
  // Who signs in at a provider is none that there must always be: the provider may be gone.
  const isAdministrator = roles.includes(ADMINISTRATOR) && passwordHash !== ''
  const values = [passwordHash, Number(mustChangePassword), Number(isAdministrator), revision]
  return expected === undefined
    ? run('INSERT INTO users VALUES (?, ?, ?, ?, ?, ?)', name, JSON.stringify(roles), ...values)
    : run(
        'UPDATE users SET roles = ?, password_hash = ?, must_change_password = ?, is_administrator = ?, revision = ? WHERE name = ? AND revision = ?',
        ...[JSON.stringify(roles), ...values, name, expected],
      )
}

function putClaim(run: Run, { hostname, workspace, pathPrefixes, isAssigned }: HostnameClaim): number {
  if (isAssigned && pathPrefixes === undefined)
    run('DELETE FROM hostnames WHERE hostname = ? AND is_assigned = 0 AND workspace <> ?', hostname, workspace)
  const prefixes = pathPrefixes === undefined ? null : JSON.stringify(pathPrefixes)
  const sql = 'INSERT INTO hostnames VALUES (?, ?, ?, ?) ON CONFLICT (hostname, workspace) DO UPDATE SET '
  const values = 'path_prefixes = excluded.path_prefixes, is_assigned = excluded.is_assigned'
  return withConflicts(() => run(sql + values, hostname, workspace, prefixes, Number(isAssigned)), 'missing-parent')
}

type Unclaim = Extract<Change, { readonly unclaim: string }>

function removeClaim(run: Run, { unclaim, workspace, ifUnused }: Unclaim): void {
  const sql = 'DELETE FROM hostnames WHERE hostname = ?1 AND workspace = ?2'
  const unused = ' AND is_assigned = 0 AND NOT EXISTS (SELECT 1 FROM proxies WHERE hostname = ?1 AND workspace = ?2)'
  if (run(ifUnused ? sql + unused : sql, unclaim, workspace) === 0) return
  // It falls to the next one whose proxy is there.
  const heir =
    "SELECT hostname, workspace, NULL, 0 FROM proxies WHERE hostname = ? AND hostname <> '' ORDER BY number LIMIT 1"
  run(`INSERT OR IGNORE INTO hostnames ${heir}`, unclaim)
}

function putAllowed(run: Run, workspace: string, entries: readonly string[]): number {
  const sql = 'INSERT INTO allowed_backends VALUES (?, ?) ON CONFLICT DO UPDATE SET entries = excluded.entries'
  return withConflicts(() => run(sql, workspace, JSON.stringify(entries)), 'missing-parent')
}

function checkOwners(statement: Statement, owners: readonly HostnameOwner[]): void {
  for (const { hostname, workspace } of owners) {
    const row = statement('SELECT workspace FROM hostnames WHERE hostname = ? AND path_prefixes IS NULL').get(hostname)
    if (row?.workspace !== workspace) throw new StoreConflict('owner')
  }
}

type Run = (sql: string, ...values: (string | number | null)[]) => number

type Removal = Exclude<Extract<Change, { readonly remove: string }>, OfUser | OfToken>

function remove(run: Run, change: Removal): number {
  const { expected } = change
  if (change.remove === 'proxy') return run('DELETE FROM proxies WHERE id = ? AND revision = ?', change.id, expected)
  if (change.remove === 'workspace')
    return run('DELETE FROM workspaces WHERE name = ? AND revision = ?', change.name, expected)
  const sql = 'DELETE FROM environments WHERE workspace = ? AND name = ? AND revision = ?'
  return run(sql, change.workspace, change.name, expected)
}

type Put = Exclude<
  Extract<Change, { readonly put: string }>,
  { readonly put: 'state' | 'event' | 'user' | 'token' | 'refused-sign-ins' }
>

function put(run: Run, change: Put): number {
  if (change.put === 'proxy') return putProxy(run, change.value, change.expected)
  if (change.put === 'workspace') {
    const { name, requireIfMatch, revision } = change.value
    return change.expected === undefined
      ? run('INSERT INTO workspaces VALUES (?, ?, ?)', name, Number(requireIfMatch), revision)
      : run(
          'UPDATE workspaces SET require_if_match = ?, revision = ? WHERE name = ? AND revision = ?',
          ...[Number(requireIfMatch), revision, name, change.expected],
        )
  }
  if (change.put === 'environment') {
    const { workspace, name, gateways, policies, revision } = change.value
    const values = [JSON.stringify(gateways), JSON.stringify(policies), revision]
    return change.expected === undefined
      ? run('INSERT INTO environments VALUES (?, ?, ?, ?, ?)', workspace, name, ...values)
      : run(
          'UPDATE environments SET gateways = ?, policies = ?, revision = ? WHERE workspace = ? AND name = ? AND revision = ?',
          ...[...values, workspace, name, change.expected],
        )
  }
  if (change.put === 'history') {
    const { proxy, revision, workspace, name, hostname, version, at, by, action, restoredFrom, body } = change.value
    return run(
      'INSERT INTO history VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      ...[proxy, revision, workspace, name, hostname, version, at, by, action],
      ...[restoredFrom ?? null, body === undefined ? null : JSON.stringify(body)],
    )
  }
  if (change.put === 'environment-history') {
    const { workspace, name, revision, at, by, action, restoredFrom, body } = change.value
    return run(
      'INSERT INTO environment_history VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      ...[workspace, name, revision, at, by, action],
      ...[restoredFrom ?? null, body === undefined ? null : JSON.stringify(body)],
    )
  }
  const { key, fingerprint, at, status, headers, body } = change.value
  return run(
    'INSERT INTO remembered VALUES (?, ?, ?, ?, ?, ?)',
    key,
    fingerprint,
    at,
    status,
    JSON.stringify(headers),
    body,
  )
}

function putProxy(run: Run, proxy: StoredProxy, expected: number | undefined): number {
  const { id, workspace, name, hostname, version, environment, addresses, revision, state, reason, message } = proxy
  const values = [workspace, name, hostname, version, environment, JSON.stringify(addresses), revision]
  values.push(state, reason, message, JSON.stringify(proxy.body))
  const count = expected === undefined ? run(INSERT_PROXY, id, ...values) : run(UPDATE_PROXY, ...values, id, expected)
  if (expected !== undefined) run('DELETE FROM addresses WHERE proxy = ?', id)
  if (count === 1) for (const address of addresses) run('INSERT INTO addresses VALUES (?, ?)', address, id)
  return count
}

const COLUMNS = 'workspace name hostname version environment addresses revision state reason message body'.split(' ')
const INSERT_PROXY = `INSERT INTO proxies (id, ${COLUMNS.join(', ')}) VALUES (?${', ?'.repeat(COLUMNS.length)})`
const UPDATE_PROXY = `UPDATE proxies SET ${COLUMNS.map((column) => `${column} = ?`).join(', ')} WHERE id = ? AND revision = ?`

type EventChange = Extract<Change, { readonly put: 'event' }>

function putEvent(run: Run, { at, type, workspace, data }: EventChange['value']): void {
  run('INSERT INTO events (at, type, workspace, data) VALUES (?, ?, ?, ?)', at, type, workspace, JSON.stringify(data))
  run('DELETE FROM events WHERE id <= (SELECT max(id) FROM events) - ?', KEPT_EVENTS)
}

/** What SQLite's words about a broken constraint mean. */
const CONSTRAINTS: readonly (readonly [RegExp, Conflict])[] = [
  [/UNIQUE constraint failed: addresses\.address/, 'address'],
  [/UNIQUE constraint failed: hostnames\.hostname/, 'owner'],
  [/UNIQUE constraint failed: remembered\.key/, 'remembered'],
  [/UNIQUE constraint failed/, 'revision'],
]

/** `foreign` is the conflict where a row refers to another one that is not there, or is referred to. */
function withConflicts(write: () => number, foreign: Conflict): number {
  try {
    return write()
  } catch (error) {
    if (!(error instanceof Error) || sqliteCode(error) !== SQLITE.constraint) throw error
    const [, conflict] = CONSTRAINTS.find(([words]) => words.test(error.message)) ?? [undefined, foreign]
    throw new StoreConflict(conflict)
  }
}
