/** The audit log in a SQLite store: what a commit changed is read before and after it, in its transaction. */
import type { StatementSync } from 'node:sqlite'
import type { Json } from '../../json/member.ts'
import type { AuditEntry, AuditQuery, AuditSubject, Author, Change, RefusedSignIns, Slice, Store } from '../store.ts'
import { AUDITED } from '../store.ts'
import { applyChange } from './changes.ts'

type Statement = (sql: string) => StatementSync

/** Entries that are kept; the oldest make place. */
export const KEPT_ENTRIES = 100_000

/** Applies the changes of a commit; where it has an author, what they did becomes entries. Throws `StoreConflict`. */
export function applyAudited(statement: Statement, changes: readonly Change[]): void {
  const author = changes.flatMap((change) => ('author' in change ? [change.author] : []))[0]
  const subjects = author ? subjectsOf(statement, changes) : []
  const before = subjects.map((subject) => shownOf(statement, subject))
  for (const change of changes) {
    applyChange(statement, change)
    if ('put' in change && change.put === 'refused-sign-ins') writeRefused(statement, change.value)
  }
  if (!author) return
  for (const [index, subject] of subjects.entries())
    writeChange(statement, { author, subject, before: before[index], after: shownOf(statement, subject) })
  for (const change of changes)
    if ('put' in change && change.put === 'history') writeProxy(statement, author, change.value)
}

/** What is changed, each thing once. Proxies are not among them: their history has what they were. */
function subjectsOf(statement: Statement, changes: readonly Change[]): readonly AuditSubject[] {
  const found = changes.flatMap((change) => ('put' in change ? put(change) : others(statement, change)))
  return [...new Map(found.map((subject) => [JSON.stringify(subject), subject])).values()]
}

const of = (kind: AuditSubject['kind'], workspace: string, name = ''): AuditSubject => ({ kind, workspace, name })

function put(change: Extract<Change, { readonly put: string }>): readonly AuditSubject[] {
  if (change.put === 'workspace') return [of('workspace', change.value.name, change.value.name)]
  if (change.put === 'environment') return [of('environment', change.value.workspace, change.value.name)]
  return change.put === 'user' || change.put === 'token' ? [of(change.put, '', change.value.name)] : []
}

function others(statement: Statement, change: Exclude<Change, { readonly put: string }>): readonly AuditSubject[] {
  if ('remove' in change) return removed(statement, change)
  // Hostnames that come and go with proxies are left to the entries of these.
  if ('claim' in change) return change.claim.isAssigned ? [of('hostnames', change.claim.workspace)] : []
  if ('unclaim' in change) return change.ifUnused ? [] : [of('hostnames', change.workspace)]
  return 'allow' in change ? [of('backends', change.workspace)] : []
}

/** What goes with it is named, too. */
function removed(statement: Statement, change: Extract<Change, { readonly remove: string }>): readonly AuditSubject[] {
  if (change.remove === 'proxy') return []
  if (change.remove === 'environment') return [of('environment', change.workspace, change.name)]
  if (change.remove !== 'workspace') return [of(change.remove, '', change.name)]
  const environments = statement('SELECT name FROM environments WHERE workspace = ? ORDER BY name').all(change.name)
  return [
    of('workspace', change.name, change.name),
    ...environments.map(({ name }) => of('environment', change.name, String(name))),
    of('hostnames', change.name),
    of('backends', change.name),
  ]
}

const bool = (column: string) => `json(iif(${column}, 'true', 'false'))`

/** How each is shown, by its workspace (?1) and its name (?2); `secret` tells only whether it changed. */
const SHOWN: Readonly<Record<Exclude<AuditSubject['kind'], 'proxy' | 'sign-ins'>, string>> = {
  workspace: `SELECT json_object('requireIfMatch', ${bool('require_if_match')}, 'revision', revision) AS shown
    FROM workspaces WHERE name = ?1 AND name = ?2`,
  environment: `SELECT json_object('gateways', json(gateways), 'policies', json(policies), 'revision', revision) AS shown
    FROM environments WHERE workspace = ?1 AND name = ?2`,
  hostnames: `SELECT nullif(json_group_array(json_patch('{}', json_object('hostname', iif(hostname = '', '*', hostname),
    'pathPrefixes', json(path_prefixes)))), '[]') AS shown
    FROM (SELECT * FROM hostnames WHERE workspace = ?1 AND is_assigned = 1 AND ?2 = '' ORDER BY hostname)`,
  backends: "SELECT entries AS shown FROM allowed_backends WHERE workspace = ?1 AND ?2 = ''",
  user: `SELECT json_object('roles', json(roles), 'mustChangePassword', ${bool('must_change_password')}, 'revision',
    revision) AS shown, password_hash AS secret FROM users WHERE name = ?2 AND ?1 = ''`,
  token: `SELECT json_object('roles', json(roles), 'createdBy', created_by, 'expires',
    strftime('%Y-%m-%dT%H:%M:%SZ', expires / 1000, 'unixepoch')) AS shown FROM tokens WHERE name = ?2 AND ?1 = ''`,
}

type Shown = { readonly json: string; readonly secret: unknown } | undefined

function shownOf(statement: Statement, { kind, workspace, name }: AuditSubject): Shown {
  if (kind === 'proxy' || kind === 'sign-ins') return undefined
  const row = statement(SHOWN[kind]).get(workspace, name)
  return typeof row?.shown === 'string' ? { json: row.shown, secret: row.secret } : undefined
}

type Written = {
  readonly author: Author
  readonly subject: AuditSubject
  readonly before: Shown
  readonly after: Shown
}

function writeChange(statement: Statement, { author, subject, before, after }: Written): void {
  const isPasswordNew = before !== undefined && after !== undefined && before.secret !== after.secret
  if (before?.json === after?.json && !isPasswordNew) return
  const action = before ? (after ? 'changed' : 'deleted') : 'created'
  const json = isPasswordNew ? JSON.stringify({ ...JSON.parse(after.json), password: 'changed' }) : after?.json
  write(statement, author, { ...subject, action }, [before?.json ?? null, json ?? null, null, null])
}

type History = Extract<Change, { readonly put: 'history' }>['value']

function writeProxy(statement: Statement, author: Author, { workspace, name, action, proxy, revision }: History): void {
  write(statement, author, { kind: 'proxy', workspace, name, action }, [null, null, proxy, revision])
}

function writeRefused(statement: Statement, { at, counts, addresses }: RefusedSignIns): void {
  const after = JSON.stringify({ ...counts, addresses })
  const what = { ...of('sign-ins', ''), action: 'refused' }
  write(statement, { by: '', request: '', at }, what, [null, after, null, null])
}

function write(
  statement: Statement,
  { at, by, token, request }: Author,
  { kind, workspace, name, action }: AuditSubject & { readonly action: string },
  states: readonly (string | number | null)[],
): void {
  statement(
    `INSERT INTO audit (at, by, token, request, kind, workspace, name, action, before, after, proxy, revision)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(at, by, token ?? null, request, kind, workspace, name, action, ...states)
  statement('DELETE FROM audit WHERE id <= (SELECT max(id) FROM audit) - ?').run(KEPT_ENTRIES)
}

type Row = Readonly<Record<string, unknown>>

const entryOf = (row: Row): AuditEntry => ({
  id: Number(row.id),
  at: Number(row.at),
  by: String(row.by),
  token: row.token === null ? undefined : String(row.token),
  request: String(row.request),
  kind: AUDITED.find((kind) => kind === row.kind) ?? 'proxy',
  workspace: String(row.workspace),
  name: String(row.name),
  action: String(row.action),
  before: parsed(row.before ?? row.body_before),
  after: parsed(row.after ?? row.body_after),
})

const parsed = (value: unknown): Json | undefined => (typeof value === 'string' ? JSON.parse(value) : undefined)

const FILTERS = ['kind', 'workspace', 'name', 'by', 'token'] as const
const MATCHES = FILTERS.map((column, index) => `(?${index + 1} IS NULL OR ${column} = ?${index + 1})`).join(' AND ')
const BODIES = `
  (SELECT body FROM history WHERE history.proxy = audit.proxy AND history.revision = audit.revision) AS body_after,
  (SELECT body FROM history WHERE history.proxy = audit.proxy AND history.revision < audit.revision
    ORDER BY history.revision DESC LIMIT 1) AS body_before`

/** The reads of the log. */
export function createAuditReads(statement: Statement): Pick<Store, 'audit' | 'auditCount'> {
  const wanted = (query: AuditQuery) => FILTERS.map((column) => query[column] ?? null)
  return {
    async audit(query: AuditQuery, slice: Slice<number>) {
      const [from, end] =
        'after' in slice
          ? ['AND id < ?6 ORDER BY id DESC LIMIT ?7', slice.after]
          : ['ORDER BY id DESC LIMIT ?7 OFFSET ?6', slice.skip]
      const sql = `SELECT *, ${BODIES} FROM audit WHERE ${MATCHES} ${from}`
      return statement(sql)
        .all(...wanted(query), end, slice.limit)
        .map(entryOf)
    },
    auditCount: async (query) =>
      Number(statement(`SELECT count(*) AS count FROM audit WHERE ${MATCHES}`).get(...wanted(query))?.count),
  }
}
