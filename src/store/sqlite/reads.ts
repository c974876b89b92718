/** What is read of a SQLite store: a statement for each question, and rows as values. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { isObject, type JsonObject } from '../../json/member.ts'
import type {
  Environment,
  EnvironmentEntry,
  HistoryEntry,
  HostnameClaim,
  MachineToken,
  PlacedProxy,
  ProxyIdentity,
  ProxyQuery,
  Remembered,
  Store,
  StoredEvent,
  StoredProxy,
  TokenReader,
  User,
  Workspace,
} from '../store.ts'
import { createAuditReads } from './audit.ts'

import { filteredProxies, listedProxies, namedOnly, namedRows, type Sql } from './lists.ts'

type Row = Readonly<Record<string, unknown>>
type Value = string | number | null

const text = (value: unknown): string => String(value)
const number = (value: unknown): number => Number(value)
const json = (value: unknown): JsonObject => {
  const read: unknown = JSON.parse(text(value))
  return isObject(read) ? read : {}
}

const identityOf = (row: Row): ProxyIdentity => ({
  workspace: text(row.workspace),
  name: text(row.name),
  hostname: text(row.hostname),
  version: text(row.version),
})

const workspaceOf = (row: Row): Workspace => ({
  name: text(row.name),
  requireIfMatch: row.require_if_match === 1,
  revision: number(row.revision),
})

const environmentOf = (row: Row): Environment => ({
  workspace: text(row.workspace),
  name: text(row.name),
  gateways: JSON.parse(text(row.gateways)),
  policies: json(row.policies),
  revision: number(row.revision),
})

const headOf = (row: Row) => ({
  ...identityOf(row),
  id: text(row.id),
  environment: text(row.environment),
  revision: number(row.revision),
})

const claimOf = (row: Row): HostnameClaim => ({
  hostname: text(row.hostname),
  workspace: text(row.workspace),
  pathPrefixes: row.path_prefixes === null ? undefined : JSON.parse(text(row.path_prefixes)),
  isAssigned: row.is_assigned === 1,
})

const placedOf = (row: Row): PlacedProxy => ({
  ...identityOf(row),
  id: text(row.id),
  addresses: JSON.parse(text(row.addresses)),
})

const STATES = ['CONFIGURING', 'SUCCESS', 'FAILED'] as const

const proxyOf = (row: Row): StoredProxy => ({
  ...headOf(row),
  addresses: JSON.parse(text(row.addresses)),
  state: STATES.find((state) => state === row.state) ?? 'CONFIGURING',
  reason: text(row.reason),
  message: text(row.message),
  body: json(row.body),
})

function countsIn(rows: readonly Row[]): Awaited<ReturnType<Store['proxyCounts']>> {
  const count = (state: string) => number(rows.find((row) => row.state === state)?.count ?? 0)
  return { CONFIGURING: count('CONFIGURING'), SUCCESS: count('SUCCESS'), FAILED: count('FAILED') }
}

const ACTIONS = ['created', 'changed', 'deleted', 'restored'] as const

const entryOf = (row: Row): HistoryEntry => ({
  ...identityOf(row),
  proxy: text(row.proxy),
  ...recordOf(row),
})

const environmentEntryOf = (row: Row): EnvironmentEntry => ({
  workspace: text(row.workspace),
  name: text(row.name),
  ...recordOf(row),
})

const recordOf = (row: Row) => ({
  revision: number(row.revision),
  at: number(row.at),
  by: text(row.by),
  action: ACTIONS.find((action) => action === row.action) ?? 'changed',
  restoredFrom: row.restored_from === null ? undefined : number(row.restored_from),
  body: row.body === null ? undefined : json(row.body),
})

const eventOf = (row: Row): StoredEvent => ({
  id: number(row.id),
  at: number(row.at),
  type: text(row.type),
  workspace: text(row.workspace),
  data: json(row.data),
})

const rangeOf = (row: Row) => ({ oldest: number(row.oldest), newest: number(row.newest) })

const rememberedOf = (row: Row): Remembered => ({
  key: text(row.key),
  fingerprint: text(row.fingerprint),
  at: number(row.at),
  status: number(row.status),
  headers: json(row.headers),
  body: text(row.body),
})

const userOf = (row: Row): User => ({
  name: text(row.name),
  roles: JSON.parse(text(row.roles)),
  passwordHash: text(row.password_hash),
  mustChangePassword: row.must_change_password === 1,
  revision: number(row.revision),
})

const tokenOf = (row: Row): MachineToken => ({
  name: text(row.name),
  hash: text(row.hash),
  roles: JSON.parse(text(row.roles)),
  createdBy: text(row.created_by),
  createdAt: number(row.created_at),
  expires: number(row.expires),
  lastUsed: row.last_used === null ? undefined : number(row.last_used),
})

/** Prepares each statement once, when it is first used. */
export function createStatements(database: DatabaseSync): (sql: string) => StatementSync {
  const prepared = new Map<string, StatementSync>()
  return (sql) => {
    const known = prepared.get(sql)
    if (known) return known
    const statement = database.prepare(sql)
    prepared.set(sql, statement)
    return statement
  }
}

/** The values of a list that is given as JSON. */
const AMONG = '(SELECT value FROM json_each(?))'
/** By the index, in the order of workspaces: those before one, and those behind it. */
const FOREIGN = `SELECT 1 FROM json_each(?1) AS one
  WHERE EXISTS (SELECT 1 FROM proxies WHERE hostname = one.value AND workspace < ?2)
    OR EXISTS (SELECT 1 FROM proxies WHERE hostname = one.value AND workspace > ?2) LIMIT 1`
const HEAD = 'id, workspace, name, hostname, version, environment, revision'
const NAMED = 'workspace = ? AND name = ? AND (?3 IS NULL OR hostname = ?3) AND (?4 IS NULL OR version = ?4)'

const namedBy = ({ workspace, name, hostname, version }: ProxyQuery): Value[] => [
  workspace,
  name,
  hostname ?? null,
  version ?? null,
]

/** One statement, as each begins a transaction of its own. */
const IDENTITY = 'workspace = ?1 AND name = ?2 AND hostname = ?3 AND version = ?4'
const OCCUPANTS = `SELECT (SELECT id FROM proxies WHERE ${IDENTITY}) AS same,
  (SELECT proxy FROM json_each(?5) AS one JOIN addresses ON address = one.value WHERE proxy <> ?6 LIMIT 1) AS holder,
  EXISTS (SELECT 1 FROM history WHERE ${IDENTITY}) AS is_historic`

const idOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

type All = <Read>(read: (row: Row) => Read, sql: string, values?: readonly Value[]) => readonly Read[]
type PlaceReads = Pick<
  Store,
  'allowedBackends' | 'occupantsOf' | 'claimsOn' | 'claimsOf' | 'assignedHostnames' | 'proxiesOn' | 'hasForeignProxy'
>

/** Whose hostnames they are, and which proxies have them. */
const createPlaceReads = (statement: (sql: string) => StatementSync, all: All): PlaceReads => ({
  async occupantsOf({ workspace, name, hostname, version }, addresses, except) {
    const row = statement(OCCUPANTS).get(workspace, name, hostname, version, JSON.stringify(addresses), except)
    return { same: idOf(row?.same), holder: idOf(row?.holder), isHistoric: row?.is_historic === 1 }
  },
  claimsOn: async (hostnames) =>
    all(claimOf, `SELECT * FROM hostnames WHERE hostname IN ${AMONG} ORDER BY workspace`, [JSON.stringify(hostnames)]),
  allowedBackends: async (workspace) =>
    all(({ entries }) => JSON.parse(text(entries)), 'SELECT entries FROM allowed_backends WHERE workspace = ?', [
      workspace,
    ])[0],
  claimsOf: async (workspace) =>
    all(claimOf, 'SELECT * FROM hostnames WHERE workspace = ? ORDER BY hostname', [workspace]),
  assignedHostnames: async () =>
    all(
      ({ hostname }) => text(hostname),
      "SELECT hostname FROM hostnames WHERE is_assigned = 1 AND path_prefixes IS NULL AND hostname <> '' ORDER BY hostname",
    ),
  proxiesOn: async (hostnames) =>
    all(
      placedOf,
      `SELECT id, workspace, name, hostname, version, addresses FROM proxies WHERE hostname IN ${AMONG} ORDER BY number`,
      [JSON.stringify(hostnames)],
    ),
  hasForeignProxy: async (hostnames, workspace) =>
    statement(FOREIGN).get(JSON.stringify(hostnames), workspace) !== undefined,
})

type One = <Read>(read: (row: Row) => Read, sql: string, values: readonly Value[]) => Read | undefined
type Count = (table: string, rows: Sql) => number
type EnvironmentReads = Pick<
  Store,
  'environment' | 'environments' | 'allEnvironments' | 'environmentHistory' | 'environmentHistoryTotal' | 'proxiesIn'
>

/** Environments, their history, and what is in them. */
const createEnvironmentReads = (one: One, all: All, count: Count): EnvironmentReads => ({
  environment: async (workspace, name) =>
    one(environmentOf, 'SELECT * FROM environments WHERE workspace = ? AND name = ?', [workspace, name]),
  environments: async (workspace) =>
    all(environmentOf, 'SELECT * FROM environments WHERE workspace = ? ORDER BY name', [workspace]),
  allEnvironments: async () => all(environmentOf, 'SELECT * FROM environments ORDER BY workspace, name'),
  environmentHistory: async ({ workspace, name }, { before, limit }) =>
    all(
      environmentEntryOf,
      'SELECT * FROM environment_history WHERE workspace = ?1 AND name = ?2 AND (?3 IS NULL OR revision < ?3) ORDER BY revision DESC LIMIT ?4',
      [workspace, name, before ?? null, limit],
    ),
  environmentHistoryTotal: async ({ workspace, name }) =>
    count('environment_history', { sql: 'WHERE workspace = ? AND name = ?', values: [workspace, name] }),
  proxiesIn: async ({ workspace, name }, { after, limit }) =>
    all(proxyOf, 'SELECT * FROM proxies WHERE workspace = ? AND environment = ? AND id > ? ORDER BY id LIMIT ?', [
      workspace,
      name,
      after,
      limit,
    ]),
})

const OF_MAKER = '(SELECT * FROM tokens WHERE ?1 IS NULL OR created_by = ?1)'

const createTokenReads = (statement: (sql: string) => StatementSync, all: All): TokenReader => ({
  serverId: async () => text(statement('SELECT id FROM server').get()?.id),
  token: async (name) => all(tokenOf, 'SELECT * FROM tokens WHERE name = ?', [name])[0],
  tokenByHash: async (hash) => all(tokenOf, 'SELECT * FROM tokens WHERE hash = ?', [hash])[0],
  isRevoked: async (hash) => statement('SELECT 1 FROM revoked_tokens WHERE hash = ?').get(hash) !== undefined,
  async tokens(slice, list, maker) {
    const { sql, values } = namedRows(slice, list)
    return all(tokenOf, `SELECT * FROM ${OF_MAKER} ${sql}`, [maker ?? null, ...values])
  },
  async tokenTotal(list, maker) {
    const { sql, values } = namedOnly(list)
    return number(statement(`SELECT count(*) AS count FROM ${OF_MAKER} ${sql}`).get(maker ?? null, ...values)?.count)
  },
})

/** The reading part of a store. */
export function createReads(statement: (sql: string) => StatementSync): Omit<Store, 'commit' | 'close'> {
  const one = <Read>(read: (row: Row) => Read, sql: string, values: readonly Value[]): Read | undefined => {
    const row = statement(sql).get(...values)
    return row && read(row)
  }
  const all = <Read>(read: (row: Row) => Read, sql: string, values: readonly Value[] = []): readonly Read[] =>
    statement(sql)
      .all(...values)
      .map(read)
  const named = <Read>(read: (row: Row) => Read, table: string, { sql, values }: Sql): readonly Read[] =>
    all(read, `SELECT * FROM ${table} ${sql}`, values)
  const count = (table: string, { sql, values }: Sql): number =>
    all(({ total }) => number(total), `SELECT count(*) AS total FROM ${table} ${sql}`, values)[0] ?? 0
  return {
    workspace: async (name) => one(workspaceOf, 'SELECT * FROM workspaces WHERE name = ?', [name]),
    workspaces: async (slice, list) => named(workspaceOf, 'workspaces', namedRows(slice, list)),
    workspaceTotal: async (list) => count('workspaces', namedOnly(list)),
    ...createEnvironmentReads(one, all, count),
    proxiesNamed: async (query) => all(proxyOf, `SELECT * FROM proxies WHERE ${NAMED} LIMIT 20`, namedBy(query)),
    async proxies(workspace, slice, list) {
      const { sql, values } = listedProxies(workspace, slice, list)
      return all(proxyOf, sql, values)
    },
    proxyTotal: async (workspace, filter) => count('proxies', filteredProxies(workspace, filter)),
    proxyHeads: async (workspace) =>
      workspace === undefined
        ? all(headOf, `SELECT ${HEAD} FROM proxies ORDER BY number`)
        : all(headOf, `SELECT ${HEAD} FROM proxies WHERE workspace = ? ORDER BY number`, [workspace]),
    proxyById: async (id) => one(proxyOf, 'SELECT * FROM proxies WHERE id = ?', [id]),
    proxyCounts: async () => countsIn(statement('SELECT state, count(*) AS count FROM proxies GROUP BY state').all()),
    ...createPlaceReads(statement, all),
    ...createTokenReads(statement, all),
    ...createAuditReads(statement),
    async historicIds(query) {
      const sql = `SELECT proxy, max(rowid) AS newest FROM history WHERE ${NAMED} GROUP BY proxy ORDER BY newest DESC LIMIT 20`
      return all(({ proxy }) => text(proxy), sql, namedBy(query))
    },
    history: async (proxy, { before, limit }) =>
      all(
        entryOf,
        'SELECT * FROM history WHERE proxy = ?1 AND (?2 IS NULL OR revision < ?2) ORDER BY revision DESC LIMIT ?3',
        [proxy, before ?? null, limit],
      ),
    historyTotal: async (proxy) => count('history', { sql: 'WHERE proxy = ?', values: [proxy] }),
    historyAt: async (proxy, revision) =>
      one(entryOf, 'SELECT * FROM history WHERE proxy = ? AND revision = ?', [proxy, revision]),
    events: async (after, limit) =>
      all(eventOf, 'SELECT * FROM events WHERE id > ? ORDER BY id LIMIT ?', [after, limit]),
    async eventRange() {
      const sql = 'SELECT ifnull(min(id), 0) AS oldest, ifnull(max(id), 0) AS newest FROM events'
      return one(rangeOf, sql, []) ?? { oldest: 0, newest: 0 }
    },
    remembered: async (key) => one(rememberedOf, 'SELECT * FROM remembered WHERE key = ?', [key]),
    user: async (name) => one(userOf, 'SELECT * FROM users WHERE name = ?', [name]),
    users: async (slice, list) => named(userOf, 'users', namedRows(slice, list)),
    userTotal: async (list) => count('users', namedOnly(list)),
  }
}
