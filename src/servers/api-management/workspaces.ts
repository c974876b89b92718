/** Operations on workspaces. Each new one has an environment `default`. */
import { BODY } from '../../api-management/fields.ts'
import { HttpError } from '../../http/http-error.ts'
import type { Change, Store, Workspace } from '../../store/store.ts'
import { counted } from '../../text/plural.ts'
import { type Call, type NamedList, namedListOf, pageByName, pathPart, refused } from './call.ts'
import { checkPreconditions } from './entity-tags.ts'
import { eventOf } from './events.ts'
import type { HandlerOptions, Planners } from './planner.ts'
import { OWN_GATEWAY } from './publication.ts'
import { recordOf, removalOf } from './removal.ts'

/** The environment of a proxy that names none. */
export const DEFAULT_ENVIRONMENT = BODY.environment.default

/** The entity tag of what has a revision. */
export const tagOf = ({ revision }: { readonly revision: number }): string => `"${revision}"`

/** The workspace of the path. Throws 404. */
export async function workspaceOf(store: Store, call: Call): Promise<Workspace> {
  const name = pathPart(call, 'workspace')
  const workspace = await store.workspace(name)
  if (!workspace) throw new HttpError(404, 'there is no such workspace')
  return workspace
}

/** Some workspaces, or all. */
async function workspacesAmong(store: Store, names: readonly string[] | undefined): Promise<NamedList<Workspace>> {
  if (!names) return { read: store.workspaces, total: store.workspaceTotal }
  const rows = await Promise.all(names.map((name) => store.workspace(name)))
  return namedListOf(rows.filter((row) => row !== undefined))
}

/** Plans them. */
export function createWorkspaces({ store, wallClock }: HandlerOptions) {
  return {
    async listWorkspaces(call) {
      return { reply: await pageByName(call, await workspacesAmong(store, call.principal.workspaces), (row) => row) }
    },
    async createWorkspace({ body, bodyErrors, principal }) {
      if (bodyErrors.length > 0) throw refused(bodyErrors)
      const workspace = { name: String(body.name), requireIfMatch: body.requireIfMatch === true, revision: 1 }
      const { name } = workspace
      if (await store.workspace(name)) throw new HttpError(409, 'there is a workspace of this name')
      const [last] = await store.environmentHistory({ workspace: name, name: DEFAULT_ENVIRONMENT }, { limit: 1 })
      const environment = defaultEnvironment(name, (last?.revision ?? 0) + 1)
      const now = wallClock()
      return {
        reply: {
          status: 201,
          headers: { location: `/services/workspaces/${name}`, etag: tagOf(workspace) },
          body: workspace,
        },
        changes: [
          { put: 'workspace', value: workspace, expected: undefined },
          { put: 'environment', value: environment, expected: undefined },
          recordOf(environment, { at: now, by: principal.name, action: 'created' }),
          eventOf('workspace.created', now, name, {}),
        ],
      }
    },
    async readWorkspace(call) {
      const workspace = await workspaceOf(store, call)
      return { reply: { status: 200, headers: { etag: tagOf(workspace) }, body: workspace } }
    },
    async changeWorkspace(call) {
      const { body, bodyErrors, headers } = call
      const before = await workspaceOf(store, call)
      if (bodyErrors.length > 0) throw refused(bodyErrors)
      checkName(body.name, before.name)
      checkPreconditions(headers, tagOf(before))
      const value = { ...before, requireIfMatch: body.requireIfMatch === true, revision: before.revision + 1 }
      if (value.requireIfMatch === before.requireIfMatch)
        return { reply: { status: 200, headers: { etag: tagOf(before) }, body: before } }
      return {
        reply: { status: 200, headers: { etag: tagOf(value) }, body: value },
        changes: [
          { put: 'workspace', value, expected: before.revision },
          eventOf('workspace.changed', wallClock(), value.name, {}),
        ],
      }
    },
    async deleteWorkspace(call) {
      const workspace = await workspaceOf(store, call)
      checkPreconditions(call.headers, tagOf(workspace))
      const { name, revision } = workspace
      const proxies = await store.proxyHeads(name)
      if (proxies.length > 0 && call.query.force !== true)
        throw new HttpError(
          409,
          `it has ${counted(proxies.length, 'proxy', 'proxies')}: delete its proxies first, or send ?force=true`,
        )
      const at = { now: wallClock(), by: call.principal.name }
      const changes: readonly Change[] = [
        ...proxies.flatMap((proxy) => removalOf(proxy, at)),
        ...(await store.environments(name)).map((one) => recordOf(one, { at: at.now, by: at.by, action: 'deleted' })),
        { remove: 'workspace', name, expected: revision },
        eventOf('workspace.deleted', at.now, name, {}),
      ]
      return { reply: { status: 204 }, changes }
    },
  } satisfies Planners
}

const defaultEnvironment = (workspace: string, revision: number) => ({
  workspace,
  name: DEFAULT_ENVIRONMENT,
  gateways: [OWN_GATEWAY],
  policies: {},
  revision,
})

/** Throws 400 where a body names something else than the path. */
export function checkName(name: unknown, expected: string): void {
  if (name !== undefined && name !== expected)
    throw refused([
      {
        rule: 'request',
        pointer: '/name',
        message: 'the name is not that of the path',
        remedy: 'Write the same name, or leave it out.',
      },
    ])
}
