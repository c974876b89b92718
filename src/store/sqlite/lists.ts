/** The SQL of lists: filters, orders, and slices of what is left. */
import {
  type NameList,
  PROXY_ORDERS,
  type ProxyFilter,
  type ProxyList,
  type ProxyPosition,
  type Slice,
} from '../store.ts'

type Value = string | number | null

/** A part of a statement with the values of its places. */
export type Sql = { readonly sql: string; readonly values: readonly Value[] }

const joined = (parts: readonly Sql[], between: string): Sql => ({
  sql: parts.map(({ sql }) => sql).join(between),
  values: parts.flatMap(({ values }) => values),
})

/** A column that is a text, with `*` for any characters. */
function matching(column: string, text: string | undefined): readonly Sql[] {
  if (text === undefined) return []
  if (!text.includes('*')) return [{ sql: `${column} = ?`, values: [text] }]
  const pattern = text.replaceAll(/[\\%_]/g, '\\$&').replaceAll(/\*+/g, '%')
  return [{ sql: `${column} LIKE ? ESCAPE '\\'`, values: [pattern] }]
}

const equal = (column: string, value: string | undefined): readonly Sql[] =>
  value === undefined ? [] : [{ sql: `${column} = ?`, values: [value] }]

type Ordered<Position> = {
  readonly columns: readonly Sql[]
  readonly isDescending: boolean
  valuesOf(position: Position): readonly Value[]
}

/** The rest of a statement behind its conditions. */
function sliceOf<Position>(slice: Slice<Position>, { columns, isDescending, valuesOf }: Ordered<Position>): Sql {
  const direction = isDescending ? ' DESC' : ''
  const order = joined(
    columns.map(({ sql, values }) => ({ sql: sql + direction, values })),
    ', ',
  )
  const ordered = { sql: `ORDER BY ${order.sql}`, values: order.values }
  const limit = { sql: 'LIMIT ?', values: [slice.limit] }
  if ('skip' in slice) return joined([ordered, limit, { sql: 'OFFSET ?', values: [slice.skip] }], ' ')
  const all = joined(columns, ', ')
  const values = valuesOf(slice.after)
  const behind = `AND (${all.sql}) ${isDescending ? '<' : '>'} (${values.map(() => '?').join(', ')})`
  return joined([{ sql: behind, values: [...all.values, ...values] }, ordered, limit], ' ')
}

const NAME: readonly Sql[] = [{ sql: 'name', values: [] }]

/** Behind `FROM table`: rows with a name, in its order. */
export const namedRows = (slice: Slice<string>, { name, isDescending = false }: NameList = {}): Sql =>
  joined([namedOnly({ name }), sliceOf(slice, { columns: NAME, isDescending, valuesOf: (last) => [last] })], ' ')

/** Behind `FROM table`: all of these rows. */
export const namedOnly = ({ name }: NameList): Sql =>
  joined([{ sql: 'WHERE true', values: [] }, ...matching('name', name)], ' AND ')

/** The state that is shown. */
const stateColumn = (served: readonly string[]): Sql => ({
  sql: "CASE WHEN is_addressed AND environment IN (SELECT value FROM json_each(?)) THEN state ELSE 'CONFIGURING' END",
  values: [JSON.stringify(served)],
})

/** Behind `FROM proxies`: all that the filter leaves. */
export function filteredProxies(workspace: string, filter: ProxyFilter | undefined): Sql {
  const { name, hostname, version, environment, state, served = [] } = filter ?? {}
  const inState = state === undefined ? [] : [joined([stateColumn(served), { sql: '?', values: [state] }], ' = ')]
  const conditions = [
    ...equal('workspace', workspace),
    ...matching('name', name),
    ...matching('hostname', hostname),
    ...equal('version', version),
    ...equal('environment', environment),
    ...inState,
  ]
  return joined([{ sql: 'WHERE', values: [] }, joined(conditions, ' AND ')], ' ')
}

/** Those of a slice, whole: bodies are read of no others. */
export function listedProxies(workspace: string, slice: Slice<ProxyPosition>, list: ProxyList | undefined): Sql {
  const { by = 'name', isDescending = false, served = [] } = list ?? {}
  const names = PROXY_ORDERS[by]
  const columns = names.map((name): Sql => (name === 'state' ? stateColumn(served) : { sql: name, values: [] }))
  const valuesOf = (position: ProxyPosition) => names.map((name) => position[name] ?? '')
  const ordered = { columns, isDescending, valuesOf }
  const found = joined([filteredProxies(workspace, list), sliceOf(slice, ordered)], ' ')
  const { sql, values } = sliceOf({ skip: 0, limit: slice.limit }, ordered)
  return {
    sql: `SELECT * FROM proxies WHERE number IN (SELECT number FROM proxies ${found.sql}) ${sql}`,
    values: [...found.values, ...values],
  }
}
