/** A request that was read, and the response to it, as the operations see them. */
import type { IncomingHttpHeaders } from 'node:http'
import { HttpError } from '../../http/http-error.ts'
import type { JsonObject } from '../../json/member.ts'
import type { Change, NameList, Slice } from '../../store/store.ts'
import type { Principal } from './access/access.ts'
import type { Remark } from './judge.ts'

/** What a request asks in its query: parameters as their types. */
export type Query = { readonly query: Readonly<Record<string, string | number | boolean | undefined>> }

/** A body with what the OpenAPI document says against it. */
export type ReadBody = {
  /** An empty object where the operation has none. */
  readonly body: JsonObject
  readonly bodyErrors: readonly Remark[]
  /** The body of a PATCH, where `body` has no members. */
  readonly patch?: SentPatch
}

/** A patch as it was sent. */
type SentPatch = { readonly type: 'merge' | 'json'; readonly document: unknown }

/** A request: its parameters and its body meet the OpenAPI document, but for the policies in a body. */
export type Call = Query &
  ReadBody & {
    readonly principal: Principal
    /** Parameters in the path, decoded. */
    readonly path: Readonly<Record<string, string>>
    readonly headers: IncomingHttpHeaders
    /** Where the request comes from. */
    readonly address: string
    /** Echoes the id of the request under this header, too. */
    correlate(header: string | undefined): void
    /** The id of the request. */
    requestId(): string
  }

/** A response. */
export type Reply = {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** What an operation wants: changes to commit, and the response once they are. */
export type Plan = { readonly reply: Reply; readonly changes?: readonly Change[] }

/** The text of a parameter; undefined where it is absent. */
export const textIn = (call: Query, name: string): string | undefined => {
  const value = call.query[name]
  return value === undefined ? undefined : String(value)
}

/** A parameter of the path, which is there. */
export const pathPart = (call: Pick<Call, 'path'>, name: string): string => call.path[name] ?? ''

/** A 400 with all that is wrong. */
export const refused = (errors: readonly Remark[], what = 'the request is not accepted'): HttpError =>
  new HttpError(400, `${what}: ${errors.length === 1 ? errors[0]?.message : `${errors.length} errors`}`, {
    extensions: { errors },
  })

/** A 400 about one place of the request. */
export const refusedAt = (pointer: string, message: string, remedy: string, rule = 'request'): HttpError =>
  refused([{ rule, pointer, message, remedy }])

/** A page that was asked for. */
export type PageRequest = {
  readonly size: number
  readonly skip: number
  readonly token: readonly string[] | undefined
}

/** Reads `page`, and `pageSize` and `pageToken` by either of their names. `parts`: the values in a token. Throws 400. */
export function readPage({ query }: Query, parts: number, defaultSize = DEFAULT_PAGE_SIZE): PageRequest {
  for (const [one, other] of EXCLUSIVE)
    if (query[one] !== undefined && query[other] !== undefined)
      throw refusedAt(`/query/${one}`, `${one} and ${other} exclude each other`, 'Send one of them.')
  const size = Number(query.limit ?? query.pageSize ?? defaultSize)
  const sent = query.after ?? query.pageToken
  if (sent === undefined) return { size, skip: (Number(query.page ?? 1) - 1) * size, token: undefined }
  const token = tokenParts(String(sent))
  if (token?.length !== parts) {
    const name = query.after === undefined ? 'pageToken' : 'after'
    const remedy = 'Send nextPageToken of the page before.'
    throw refusedAt(`/query/${name}`, 'this is no token of this list', remedy)
  }
  return { size, skip: 0, token }
}

const EXCLUSIVE = [
  ['page', 'pageToken'],
  ['page', 'after'],
  ['limit', 'pageSize'],
  ['after', 'pageToken'],
] as const

const DEFAULT_PAGE_SIZE = 20

function tokenParts(token: string): readonly string[] | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(token, 'base64url').toString())
    return Array.isArray(parts) && parts.every((part) => typeof part === 'string') ? parts : undefined
  } catch {
    return undefined
  }
}

/** One page of rows of which one more than `size` was read; `total`: how many there are on all pages. */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  { size, total }: Pick<PageRequest, 'size'> & { readonly total: number },
  { show, key }: { show(row: Row): Item; key(row: Row): readonly string[] },
) {
  const shown = rows.slice(0, size)
  const last = shown.at(-1)
  const nextPageToken =
    rows.length > size && last !== undefined ? Buffer.from(JSON.stringify(key(last))).toString('base64url') : undefined
  const body = {
    items: shown.map(show),
    total,
    ...(nextPageToken === undefined ? {} : { nextPageToken }),
  }
  return { status: 200, body }
}

/** A list in the order of its names: a part of it, and how many there are of a name. */
export type NamedList<Row> = {
  read(slice: Slice<string>, list: NameList): Promise<readonly Row[]>
  total(list: NameList): Promise<number>
}

/** The page that was asked for of a list in the order of its names. Throws 400. */
export async function pageByName<Row extends { readonly name: string }, Item>(
  call: Query,
  { read, total }: NamedList<Row>,
  show: (row: Row) => Item,
  defaultSize?: number,
) {
  const page = readPage(call, 1, defaultSize)
  const [after] = page.token ?? []
  const limit = page.size + 1
  const list = { name: textIn(call, 'name'), isDescending: call.query.sort === '-name' }
  const rows = await read(after === undefined ? { skip: page.skip, limit } : { after, limit }, list)
  return pageOf(rows, { ...page, total: await total(list) }, { show, key: ({ name }) => [name] })
}

/** A list that is in memory, in the order of its names. */
export function namedListOf<Row extends { readonly name: string }>(rows: readonly Row[]): NamedList<Row> {
  const found = ({ name = '*' }: NameList) => rows.filter((row) => isNamed(row.name, name))
  return {
    total: async (list) => found(list).length,
    async read(slice, list) {
      const sorted = list.isDescending ? found(list).toReversed() : found(list)
      const isBefore = ({ name }: Row, last: string) => (list.isDescending ? name >= last : name <= last)
      const from = 'skip' in slice ? slice.skip : sorted.filter((row) => isBefore(row, slice.after)).length
      return sorted.slice(from, from + slice.limit)
    },
  }
}

/** As the store compares names. Without a regular expression, whose time could explode. */
function isNamed(name: string, wanted: string): boolean {
  if (!wanted.includes('*')) return name === wanted
  const [first = '', ...others] = wanted.toLowerCase().split(/\*+/)
  const last = others.pop() ?? ''
  const text = name.toLowerCase()
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false
  const middle = text.slice(first.length, text.length - last.length)
  let at = 0
  for (const part of others) {
    const found = middle.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return true
}
