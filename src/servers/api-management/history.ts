/** Operations on the history of proxies: who changed what, and going back. */
import fastJsonPatch from 'fast-json-patch'
import { withoutHashes } from '../../api-management/keys.ts'
import { HttpError } from '../../http/http-error.ts'
import type { JsonObject } from '../../json/member.ts'
import { unifiedDiff } from '../../reports/unified-diff.ts'
import type { HistoryEntry, Store } from '../../store/store.ts'
import { type Call, pageOf, pathPart, readPage } from './call.ts'
import type { HandlerOptions, Planners } from './planner.ts'
import { planToSave } from './save-proxy.ts'
import { onlyProxy, queryOf } from './stored-proxy.ts'
import { workspaceOf } from './workspaces.ts'

/** Plans them. */
export function createHistory(options: HandlerOptions) {
  const { store } = options
  return {
    async readHistory(call) {
      await workspaceOf(store, call)
      const id = await historicId(store, call)
      const list = { read: (range: HistoryRange) => store.history(id, range), total: () => store.historyTotal(id) }
      return { reply: await historyPage(call, list, shownEntry) }
    },
    async readHistoryEntry(call) {
      await workspaceOf(store, call)
      const entry = await entryOf(store, call)
      const [before] = await store.history(entry.proxy, { before: entry.revision, limit: 1 })
      const { body: proxy } = entry
      return {
        reply: {
          status: 200,
          body: { ...shownEntry(entry, before), ...(proxy ? { proxy: withoutHashes(proxy) } : {}) },
        },
      }
    },
    async restoreProxy(call) {
      const { requireIfMatch: isMatchDemanded } = await workspaceOf(store, call)
      const { proxy: id, revision, body } = await entryOf(store, call)
      const before = await store.proxyById(id)
      if (!body) throw new HttpError(409, 'this revision is a deletion: restore one before it')
      const saving = { call, body, bodyErrors: [], before, isMatchDemanded, restoredFrom: revision, formerId: id }
      return await planToSave({ ...saving, action: 'restored' }, options)
    },
  } satisfies Planners
}

/** Changes before a revision. */
export type HistoryRange = { readonly before: number | undefined; readonly limit: number }

type HistoryList<Entry> = { read(range: HistoryRange): Promise<readonly Entry[]>; total(): Promise<number> }

/** The page that was asked for of a history, the newest change first; each is shown beside the one before it. */
export async function historyPage<Entry extends Pick<HistoryEntry, 'revision'>, Item>(
  call: Call,
  { read, total }: HistoryList<Entry>,
  show: (entry: Entry, before: Entry | undefined) => Item,
) {
  const page = readPage(call, 1)
  const [token] = page.token ?? []
  // One more than is shown, to compare the last with.
  const rows = await read({ before: token === undefined ? undefined : Number(token), limit: page.size + 1 })
  const older = new Map(rows.map((row, index) => [row.revision, rows[index + 1]]))
  const shown = {
    show: (row: Entry) => show(row, older.get(row.revision)),
    key: (row: Entry) => [String(row.revision)],
  }
  return pageOf(rows, { ...page, total: await total() }, shown)
}

/** The proxy that is there or was there. Throws 404 and 409. */
async function historicId(store: Store, call: Call): Promise<string> {
  const query = queryOf(call)
  const proxy = await onlyProxy(store, query)
  const [id] = proxy ? [proxy.id] : await store.historicIds(query)
  if (id === undefined) throw new HttpError(404, 'there was no such proxy')
  return id
}

async function entryOf(store: Store, call: Call): Promise<HistoryEntry> {
  const id = await historicId(store, call)
  const revision = revisionIn(call)
  const entry = revision === undefined ? undefined : await store.historyAt(id, revision)
  if (!entry) throw new HttpError(404, 'there is no such revision')
  return entry
}

/** The revision in the path; undefined where it is no number. */
export function revisionIn(call: Call): number | undefined {
  const text = pathPart(call, 'revision')
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined
}

const shownEntry = (entry: HistoryEntry, before: HistoryEntry | undefined) => {
  const { name, hostname, version } = entry
  return shownChange(entry, before, { name, hostname, version })
}

/** What is kept of a change, of a proxy or of an environment. */
type Recorded = Pick<HistoryEntry, 'name' | 'revision' | 'at' | 'by' | 'action' | 'restoredFrom' | 'body'>

/** A change as it is shown, with what it was made to. */
export function shownChange(
  entry: Recorded,
  before: Pick<Recorded, 'body'> | undefined,
  identity: Readonly<Record<string, string>>,
) {
  const { revision, at, by, action, restoredFrom } = entry
  return {
    ...{ revision, at: new Date(at).toISOString(), by, action },
    ...(restoredFrom === undefined ? {} : { restoredFrom }),
    ...identity,
    diff: { patch: patchOf(shownBody(before), shownBody(entry)), text: diffOf(before, entry) },
  }
}

/** What makes one body of the other; nothing of a body is shown where there was none before. */
function patchOf(before: JsonObject | undefined, after: JsonObject | undefined): readonly object[] {
  if (!after) return [{ op: 'remove', path: '' }]
  return before ? fastJsonPatch.compare(before, after) : [{ op: 'add', path: '', value: after }]
}

const written = (body: JsonObject | undefined): string => (body ? `${JSON.stringify(body, undefined, 2)}\n` : '')

const diffOf = (before: Pick<Recorded, 'body'> | undefined, entry: Recorded): string =>
  unifiedDiff([{ file: `${entry.name}.json`, before: written(shownBody(before)), after: written(shownBody(entry)) }])

/** The body without what is kept of keys. */
const shownBody = (entry: Pick<Recorded, 'body'> | undefined): JsonObject | undefined =>
  entry?.body && withoutHashes(entry.body)
