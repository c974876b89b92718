/**
 * Operations on environments and their history: the gateways that serve the proxies of a workspace, and global policies for all
 * of these.
 */
import { withoutHashes } from '../../api-management/keys.ts'
import { HttpError } from '../../http/http-error.ts'
import type { Environment, EnvironmentEntry } from '../../store/store.ts'
import { counted } from '../../text/plural.ts'
import { type Call, checkPreconditions, pageOf, pathPart, readPage } from './call.ts'
import { correlationHeaderOf } from './correlation.ts'
import { shownEnvironment, shownWithStatus } from './environment-status.ts'
import { eventOf } from './events.ts'
import { revisionIn, shownChange } from './history.ts'
import type { HandlerOptions, Planners } from './planner.ts'
import { recordOf } from './removal.ts'
import { planToSaveEnvironment } from './save-environment.ts'
import { checkName, DEFAULT_ENVIRONMENT, tagOf, workspaceOf } from './workspaces.ts'

/** Plans them. */
export function createEnvironments(options: HandlerOptions) {
  const { store, wallClock } = options
  const named = async (call: Call) => {
    const { name } = await workspaceOf(store, call)
    return { workspace: name, name: pathPart(call, 'environment') }
  }
  const found = async (call: Call): Promise<Environment> => {
    const { workspace, name } = await named(call)
    const environment = await store.environment(workspace, name)
    if (!environment) throw new HttpError(404, 'there is no such environment')
    call.correlate(correlationHeaderOf(environment))
    return environment
  }
  return {
    async listEnvironments(call) {
      const { name } = await workspaceOf(store, call)
      return { reply: { status: 200, body: { items: (await store.environments(name)).map(shownEnvironment) } } }
    },
    async createEnvironment(call) {
      const { name: workspace } = await workspaceOf(store, call)
      const { body, bodyErrors } = call
      const saving = { call, workspace, name: String(body.name), body, bodyErrors, before: undefined }
      const plan = await planToSaveEnvironment({ ...saving, action: 'created' }, options)
      if (await store.environment(workspace, saving.name))
        throw new HttpError(409, 'there is an environment of this name in the workspace')
      return plan
    },
    async readEnvironment(call) {
      const environment = await found(call)
      const body = await shownWithStatus(environment, options)
      return { reply: { status: 200, headers: { etag: tagOf(environment) }, body } }
    },
    async changeEnvironment(call) {
      const before = await found(call)
      checkName(call.body.name, before.name)
      const { body, bodyErrors } = call
      return await planToSaveEnvironment({ call, ...before, body, bodyErrors, before, action: 'changed' }, options)
    },
    async deleteEnvironment(call) {
      const environment = await found(call)
      checkPreconditions(call.headers, tagOf(environment))
      const { workspace, name, revision } = environment
      if (name === DEFAULT_ENVIRONMENT) throw new HttpError(409, 'the default environment goes with its workspace')
      const proxies = (await store.proxyHeads(workspace)).filter((one) => one.environment === name)
      if (proxies.length > 0)
        throw new HttpError(
          409,
          `it has ${counted(proxies.length, 'proxy', 'proxies')}: delete its proxies first, or put them into another environment`,
        )
      if (call.query.dryRun === true) return { reply: { status: 204 } }
      const [at, by] = [wallClock(), call.principal.name]
      return {
        reply: { status: 204 },
        changes: [
          { remove: 'environment', workspace, name, expected: revision },
          recordOf(environment, { at, by, action: 'deleted' }),
          eventOf('environment.deleted', at, workspace, { name, by, revision: revision + 1 }),
        ],
      }
    },
    async readEnvironmentHistory(call) {
      const environment = await named(call)
      const page = readPage(call, 1)
      const [token] = page.token ?? []
      const before = token === undefined ? undefined : Number(token)
      // One more than is shown, to compare the last with.
      const rows = await store.environmentHistory(environment, { before, limit: page.size + 1 })
      if (rows.length === 0 && before === undefined) throw new HttpError(404, 'there was no such environment')
      const older = new Map(rows.map((row, index) => [row.revision, rows[index + 1]]))
      return {
        reply: pageOf(rows, page, {
          show: (row) => shownEntry(row, older.get(row.revision)),
          key: (row) => [String(row.revision)],
        }),
      }
    },
    async readEnvironmentHistoryEntry(call) {
      const environment = await named(call)
      const { entry, older } = await entryOf(environment, call)
      const { body } = entry
      const more = body ? { environment: withoutHashes(body) } : {}
      return { reply: { status: 200, body: { ...shownEntry(entry, older), ...more } } }
    },
    async restoreEnvironment(call) {
      const { workspace, name } = await named(call)
      const before = await store.environment(workspace, name)
      const { entry } = await entryOf({ workspace, name }, call)
      const { revision, body } = entry
      if (!body) throw new HttpError(409, 'this revision is a deletion: restore one before it')
      const gateways = Array.isArray(body.gateways) ? body.gateways.map(String) : []
      const saving = { call, workspace, name, body, bodyErrors: [], before, restored: { revision, gateways } }
      return await planToSaveEnvironment({ ...saving, action: 'restored' }, options)
    },
  } satisfies Planners

  /** The change of the path, and the one before it. Throws 404. */
  async function entryOf(environment: Pick<Environment, 'workspace' | 'name'>, call: Call) {
    const revision = revisionIn(call)
    const range = { before: (revision ?? 0) + 1, limit: 2 }
    const [entry, older] = revision === undefined ? [] : await store.environmentHistory(environment, range)
    if (entry?.revision !== revision || !entry) throw new HttpError(404, 'there is no such revision')
    return { entry, older }
  }
}

const shownEntry = (entry: EnvironmentEntry, older: EnvironmentEntry | undefined) =>
  shownChange(entry, older, { name: entry.name })
