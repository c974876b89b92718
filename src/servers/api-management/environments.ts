/** Operations on environments: the gateways that serve the proxies of a workspace, and global policies for all of these. */
import { withHashes, withKeptKeys, withoutHashes } from '../../api-management/keys.ts'
import { withDefaults } from '../../api-management/stored-form.ts'
import { HttpError } from '../../http/http-error.ts'
import { isObject, type JsonObject } from '../../json/member.ts'
import { isSameValue } from '../../json/same.ts'
import type { Change, Environment, Store } from '../../store/store.ts'
import { counted } from '../../text/plural.ts'
import { type Call, namedListOf, type Plan, pageByName, pathPart, refused } from './call.ts'
import { correlationHeaderOf } from './correlation.ts'
import { checkPreconditions } from './entity-tags.ts'
import { eventOf } from './events.ts'
import type { BodyJudge } from './judge.ts'
import { planPatch } from './patch.ts'
import type { HandlerOptions, Planners } from './planner.ts'
import { PUBLISHING } from './publication.ts'
import { allErrors } from './remarks.ts'
import { checkName, DEFAULT_ENVIRONMENT, tagOf, workspaceOf } from './workspaces.ts'

/** Plans them. */
export function createEnvironments(options: HandlerOptions) {
  const { store, judge, wallClock } = options
  const found = async (call: Call): Promise<Environment> => {
    const { name } = await workspaceOf(store, call)
    const environment = await store.environment(name, pathPart(call, 'environment'))
    if (!environment) throw new HttpError(404, 'there is no such environment')
    call.correlate(correlationHeaderOf(environment))
    return environment
  }
  const event = (what: string, environment: Environment) => eventAbout(environment, { what, now: wallClock() })
  return {
    async listEnvironments(call) {
      const { name } = await workspaceOf(store, call)
      const list = namedListOf(await store.environments(name))
      // All of them where nothing is said, as before there were pages.
      return { reply: await pageByName(call, list, shown, Number.MAX_SAFE_INTEGER) }
    },
    async createEnvironment(call) {
      const { name: workspace } = await workspaceOf(store, call)
      const settings = acceptedSettings(call, { judge, workspace, name: String(call.body.name) })
      const value: Environment = { workspace, name: String(call.body.name), ...settings, revision: 1 }
      if (await store.environment(workspace, value.name))
        throw new HttpError(409, 'there is an environment of this name in the workspace')
      const location = `/infrastructure/workspaces/${workspace}/environments/${value.name}`
      return {
        reply: { status: 201, headers: { location, etag: tagOf(value) }, body: shown(value) },
        changes: [{ put: 'environment', value, expected: undefined }, event('created', value)],
      }
    },
    async readEnvironment(call) {
      const environment = await found(call)
      return { reply: { status: 200, headers: { etag: tagOf(environment) }, body: shown(environment) } }
    },
    async changeEnvironment(call) {
      return await planChange(call, await found(call), options)
    },
    async patchEnvironment(call) {
      const before = await found(call)
      checkPreconditions(call.headers, tagOf(before))
      const { workspace, revision, ...stored } = before
      const target = { stored, readOnly: { workspace, revision }, body: ['EnvironmentSettings'] }
      return await planPatch(call, target, async (patched) => await planChange(patched, before, options))
    },
    async deleteEnvironment(call) {
      const environment = await found(call)
      checkPreconditions(call.headers, tagOf(environment))
      const { workspace, name, revision } = environment
      if (name === DEFAULT_ENVIRONMENT) throw new HttpError(409, 'the default environment goes with its workspace')
      const proxies = await proxiesIn(store, environment)
      if (proxies.length > 0)
        throw new HttpError(
          409,
          `it has ${counted(proxies.length, 'proxy', 'proxies')}: delete its proxies first, or put them into another environment`,
        )
      return {
        reply: { status: 204 },
        changes: [{ remove: 'environment', workspace, name, expected: revision }, event('deleted', environment)],
      }
    },
  } satisfies Planners
}

const proxiesIn = async (store: Store, { workspace, name }: Environment) =>
  (await store.proxyHeads(workspace)).filter(({ environment }) => environment === name)

const eventAbout = ({ workspace, name }: Environment, { what, now }: { readonly what: string; readonly now: number }) =>
  eventOf(`environment.${what}`, now, workspace, { name })

/** Plans that an environment becomes what a body says. Throws 400 and 412. */
async function planChange(call: Call, before: Environment, { store, judge, wallClock }: HandlerOptions): Promise<Plan> {
  const settings = acceptedSettings(call, { judge, ...before })
  checkName(call.body.name, before.name)
  checkPreconditions(call.headers, tagOf(before))
  const value: Environment = { ...before, ...settings, revision: before.revision + 1 }
  if (isSameValue(before.policies, value.policies) && before.gateways.join() === value.gateways.join())
    return { reply: { status: 200, headers: { etag: tagOf(before) }, body: shown(before) } }
  if (call.query.dryRun === true) return { reply: { status: 200, body: shown(value) } }
  const proxies = await proxiesIn(store, value)
  return {
    reply: { status: 200, headers: { etag: tagOf(value) }, body: shown(value) },
    changes: [
      { put: 'environment', value, expected: before.revision },
      // Its policies apply to all of them.
      ...proxies.map(({ id, revision }): Change => ({ put: 'state', id, expected: revision, value: PUBLISHING })),
      eventAbout(value, { what: 'changed', now: wallClock() }),
    ],
  }
}

/** As it is shown: without what is kept of keys, which nothing reads here. */
const shown = (one: Environment): Environment => ({
  ...one,
  policies: policiesIn(withoutHashes({ policies: one.policies })),
})

const policiesIn = ({ policies }: JsonObject): JsonObject => (isObject(policies) ? policies : {})

type Accepting = Pick<Environment, 'workspace' | 'name'> & {
  readonly judge: BodyJudge
  /** Of what is replaced. */
  readonly policies?: JsonObject
}

/** Gateways and policies of a body, with defaults. Throws 400. */
function acceptedSettings(
  call: Call,
  { judge, workspace, name, policies: before }: Accepting,
): Pick<Environment, 'gateways' | 'policies'> {
  const { gateways = [], policies = {} } = call.body
  call.correlate(correlationHeaderOf({ policies }))
  const errors = allErrors(judge({ policies }).errors, call.bodyErrors)
  if (errors.length > 0) throw refused(errors)
  const kept = before ? withKeptKeys({ policies }, { policies: before }) : { policies }
  const hashed = withHashes(kept, `${workspace}/${name}`)
  const filled = withDefaults(policiesIn(hashed))
  const stored: JsonObject = isObject(filled) ? filled : {}
  return { gateways: Array.isArray(gateways) ? gateways.map(String) : [], policies: stored }
}
