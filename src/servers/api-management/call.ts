/** A request that was read, and the response to it, as the operations see them. */
import type { IncomingHttpHeaders } from 'node:http'
import { HttpError } from '../../http/http-error.ts'
import type { JsonObject } from '../../json/member.ts'
import type { Change, Slice } from '../../store/store.ts'
import type { Principal } from './access/access.ts'
import type { Remark } from './judge.ts'

/** What a request asks in its query: parameters as their types. */
export type Query = { readonly query: Readonly<Record<string, string | number | boolean | undefined>> }

/** A body with what the OpenAPI document says against it. */
export type ReadBody = {
  /** An empty object where the operation has none. */
  readonly body: JsonObject
  readonly bodyErrors: readonly Remark[]
}

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

/** The entity tags of a header, with their quotes. */
const tagsIn = (header: string): readonly string[] => header.match(/(?:W\/)?"[^"]*"|\*/g) ?? []

/**
 * Checks `If-Match` and `If-None-Match` against the tag of what is there (undefined: nothing). Throws 412, and 428 where
 * `If-Match` is `demanded` for a change of what is there.
 */
export function checkPreconditions(
  { 'if-match': match, 'if-none-match': noneMatch }: IncomingHttpHeaders,
  tag: string | undefined,
  demanded = false,
): void {
  const matches = (header: string) => tagsIn(header).some((one) => tag !== undefined && (one === '*' || one === tag))
  if (match !== undefined && !matches(match))
    throw new HttpError(412, tag === undefined ? 'there is nothing that If-Match could match' : CHANGED)
  if (noneMatch !== undefined && matches(noneMatch)) throw new HttpError(412, 'it exists already')
  if (demanded && tag !== undefined && match === undefined)
    throw new HttpError(428, 'this workspace demands If-Match: send the ETag of the version that you have read')
}

const CHANGED = 'it was changed meanwhile: read it again, and send its new ETag in If-Match'

/** A page that was asked for. */
export type PageRequest = {
  readonly size: number
  readonly skip: number
  readonly token: readonly string[] | undefined
}

/** Reads `page`, `pageSize` and `pageToken`; `parts` is the number of values in a token. Throws 400. */
export function readPage({ query }: Query, parts: number): PageRequest {
  const size = Number(query.pageSize ?? DEFAULT_PAGE_SIZE)
  if (query.pageToken === undefined) return { size, skip: (Number(query.page ?? 1) - 1) * size, token: undefined }
  if (query.page !== undefined)
    throw refusedAt('/query/page', 'page and pageToken exclude each other', 'Send one of them.')
  const token = tokenParts(String(query.pageToken))
  if (token?.length !== parts)
    throw refusedAt('/query/pageToken', 'this is no token of this list', 'Send nextPageToken of the page before.')
  return { size, skip: 0, token }
}

const DEFAULT_PAGE_SIZE = 20

function tokenParts(token: string): readonly string[] | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(token, 'base64url').toString())
    return Array.isArray(parts) && parts.every((part) => typeof part === 'string') ? parts : undefined
  } catch {
    return undefined
  }
}

/** One page of rows of which one more than `size` was read. */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  { size }: Pick<PageRequest, 'size'>,
  { show, key }: { show(row: Row): Item; key(row: Row): readonly string[] },
): { readonly status: number; readonly body: { readonly items: readonly Item[]; readonly nextPageToken?: string } } {
  const shown = rows.slice(0, size)
  const last = shown.at(-1)
  const nextPageToken =
    rows.length > size && last !== undefined ? Buffer.from(JSON.stringify(key(last))).toString('base64url') : undefined
  return { status: 200, body: { items: shown.map(show), ...(nextPageToken === undefined ? {} : { nextPageToken }) } }
}

/** The page that was asked for of a list in the order of its names. Throws 400. */
export async function pageByName<Row extends { readonly name: string }, Item>(
  call: Query,
  read: (slice: Slice<string>) => Promise<readonly Row[]>,
  show: (row: Row) => Item,
) {
  const page = readPage(call, 1)
  const [after] = page.token ?? []
  const limit = page.size + 1
  const rows = await read(after === undefined ? { skip: page.skip, limit } : { after, limit })
  return pageOf(rows, page, { show, key: ({ name }) => [name] })
}
