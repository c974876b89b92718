/** Operations on environments: the gateways that serve the proxies of a workspace, and global policies for all of these. */
import { HttpError } from '../../http/http-error.ts'
import type { Environment } from '../../store/store.ts'
import { counted } from '../../text/plural.ts'
import { type Call, namedListOf, pageByName } from './call.ts'
import { correlationHeaderOf } from './correlation.ts'
import { checkPreconditions } from './entity-tags.ts'
import { namedBy } from './environment-history.ts'
import { shownEnvironment, shownWithStatus } from './environment-status.ts'
import { eventOf } from './events.ts'
import { planPatch } from './patch.ts'
import type { HandlerOptions, Planners } from './planner.ts'
import { recordOf } from './removal.ts'
import { planToSaveEnvironment } from './save-environment.ts'
import { checkName, DEFAULT_ENVIRONMENT, tagOf, workspaceOf } from './workspaces.ts'

/** Plans them. */
export function createEnvironments(options: HandlerOptions) {
  const { store, wallClock } = options
  const found = async (call: Call): Promise<Environment> => {
    const { workspace, name } = await namedBy(store, call)
    const environment = await store.environment(workspace, name)
    if (!environment) throw new HttpError(404, 'there is no such environment')
    call.correlate(correlationHeaderOf(environment))
    return environment
  }
  return {
    async listEnvironments(call) {
      const { name } = await workspaceOf(store, call)
      const list = namedListOf(await store.environments(name))
      // All of them where nothing is said, as before there were pages.
      return { reply: await pageByName(call, list, shownEnvironment, Number.MAX_SAFE_INTEGER) }
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
    async patchEnvironment(call) {
      const before = await found(call)
      checkPreconditions(call.headers, tagOf(before))
      const { workspace, revision, ...stored } = before
      const { status } = await shownWithStatus(before, options)
      const target = { stored, readOnly: { workspace, revision, status }, body: ['EnvironmentSettings'] }
      return await planPatch(call, target, async (patched) => {
        const { body, bodyErrors } = patched
        checkName(body.name, before.name)
        const saving = { call: patched, ...before, body, bodyErrors, before }
        return await planToSaveEnvironment({ ...saving, action: 'changed' }, options)
      })
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
  } satisfies Planners
}
