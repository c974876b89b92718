/** Operations on the history of environments: who changed what, and going back. */
import { withoutHashes } from '../../api-management/keys.ts'
import { HttpError } from '../../http/http-error.ts'
import type { Environment, EnvironmentEntry, Store } from '../../store/store.ts'
import { type Call, pathPart } from './call.ts'
import { type HistoryRange, historyPage, revisionIn, shownChange } from './history.ts'
import type { HandlerOptions, Planners } from './planner.ts'
import { planToSaveEnvironment } from './save-environment.ts'
import { workspaceOf } from './workspaces.ts'

/** Plans them. */
export function createEnvironmentHistory(options: HandlerOptions) {
  const { store } = options
  return {
    async readEnvironmentHistory(call) {
      const environment = await namedBy(store, call)
      const read = async (range: HistoryRange) => {
        const rows = await store.environmentHistory(environment, range)
        if (rows.length === 0 && range.before === undefined) throw new HttpError(404, 'there was no such environment')
        return rows
      }
      const list = { read, total: () => store.environmentHistoryTotal(environment) }
      return { reply: await historyPage(call, list, shownEntry) }
    },
    async readEnvironmentHistoryEntry(call) {
      const environment = await namedBy(store, call)
      const { entry, older } = await entryOf(store, environment, call)
      const { body } = entry
      const more = body ? { environment: withoutHashes(body) } : {}
      return { reply: { status: 200, body: { ...shownEntry(entry, older), ...more } } }
    },
    async restoreEnvironment(call) {
      const { workspace, name } = await namedBy(store, call)
      const before = await store.environment(workspace, name)
      const { entry } = await entryOf(store, { workspace, name }, call)
      const { revision, body } = entry
      if (!body) throw new HttpError(409, 'this revision is a deletion: restore one before it')
      const gateways = Array.isArray(body.gateways) ? body.gateways.map(String) : []
      const saving = { call, workspace, name, body, bodyErrors: [], before, restored: { revision, gateways } }
      return await planToSaveEnvironment({ ...saving, action: 'restored' }, options)
    },
  } satisfies Planners
}

type Named = Pick<Environment, 'workspace' | 'name'>

/** The environment of the path, which may be none. Throws 404 where there is no such workspace. */
export async function namedBy(store: Store, call: Call): Promise<Named> {
  const { name } = await workspaceOf(store, call)
  return { workspace: name, name: pathPart(call, 'environment') }
}

/** The change of the path, and the one before it. Throws 404. */
async function entryOf(store: Store, environment: Named, call: Call) {
  const revision = revisionIn(call)
  const range = { before: (revision ?? 0) + 1, limit: 2 }
  const [entry, older] = revision === undefined ? [] : await store.environmentHistory(environment, range)
  if (entry?.revision !== revision || !entry) throw new HttpError(404, 'there is no such revision')
  return { entry, older }
}

const shownEntry = (entry: EnvironmentEntry, older: EnvironmentEntry | undefined) =>
  shownChange(entry, older, { name: entry.name })
