/** Operations on proxies. */

import { createHash, randomBytes } from 'node:crypto'
import { withHashes } from '../../api-management/keys.ts'
import { isPoliciesAlone, meaningOf, withPolicies } from '../../api-management/stored-form.ts'
import { HttpError } from '../../http/http-error.ts'
import { isObject, type JsonObject } from '../../json/member.ts'
import {
  type Environment,
  PROXY_ORDERS,
  type ProxyList,
  type ProxyPosition,
  type StoredProxy,
} from '../../store/store.ts'
import { type Call, type PageRequest, pageOf, pathPart, readPage, refused, refusedAt, textIn } from './call.ts'
import { correlationHeaderOf } from './correlation.ts'
import { checkPreconditions } from './entity-tags.ts'
import { SORTS, STATES } from './openapi/operation.ts'
import { isName } from './openapi/schemas.ts'
import { planPatch } from './patch.ts'
import type { HandlerOptions, Planners } from './planner.ts'
import { allErrors } from './remarks.ts'
import { removalOf } from './removal.ts'
import { planToSave } from './save-proxy.ts'
import {
  correlationOf,
  hasOwnGateway,
  hostnameIn,
  isServed,
  type Notes,
  onlyProxy,
  overridesIn,
  proxyOf,
  proxyTag,
  queryOf,
  shownProxy,
  stateOf,
} from './stored-proxy.ts'
import { checkName, workspaceOf } from './workspaces.ts'

/** Plans them. */
export function createProxies(options: HandlerOptions) {
  const { store, publication, requests, wallClock } = options
  const shownNow = (proxy: StoredProxy, environment: Environment | undefined, notes: Notes = {}) => {
    const counted = isServed(proxy, environment, publication.hasGateway) ? requests.of(proxy.id) : undefined
    const state = stateOf(proxy, environment, publication.hasGateway)
    return shownProxy(proxy, state, { ...notes, ...(counted ? { requests: counted } : {}) })
  }
  return {
    async listProxies(call) {
      const { name: workspace } = await workspaceOf(store, call)
      const environments = new Map((await store.environments(workspace)).map((one) => [one.name, one]))
      const shownState = (row: StoredProxy) => stateOf(row, environments.get(row.environment), publication.hasGateway)
      const list = listOf(call, publication.hasGateway ? [...environments.values()].filter(hasOwnGateway) : [])
      const page = readPosition(call, list)
      const rows = await store.proxies(workspace, { ...page.slice, limit: page.size + 1 }, list)
      return {
        reply: pageOf(
          rows,
          { ...page, total: await store.proxyTotal(workspace, list) },
          {
            show: (row) => shownNow(row, environments.get(row.environment)),
            key: (row) => tokenOf({ ...row, ...shownState(row) }, list),
          },
        ),
      }
    },
    async readProxy(call) {
      await workspaceOf(store, call)
      const proxy = await proxyOf(store, call)
      const environment = await store.environment(proxy.workspace, proxy.environment)
      call.correlate(correlationOf(proxy.body, environment))
      const body = shownNow(proxy, environment, overridesIn(proxy.body, environment))
      return { reply: { status: 200, headers: { etag: proxyTag(proxy) }, body } }
    },
    createProxy: async (call) =>
      isPoliciesAlone(call.body) ? await planPolicies(call, options) : await planWhole(call, options),
    putProxy: (call) => planReplacement(call, options),
    async patchProxy(call) {
      const { requireIfMatch: isMatchDemanded } = await workspaceOf(store, call)
      const before = await proxyOf(store, call)
      checkPreconditions(call.headers, proxyTag(before), isMatchDemanded)
      const environment = await store.environment(before.workspace, before.environment)
      const { status } = shownProxy(before, stateOf(before, environment, publication.hasGateway))
      const target = { stored: before.body, readOnly: { status }, body: ['ProxyReplacement'] }
      return await planPatch(call, target, async (patched) => {
        checkName(patched.body.name, before.name)
        const { bodyErrors } = patched
        const body = { name: before.name, ...patched.body }
        return await planToSave({ call, body, bodyErrors, before, isMatchDemanded, action: 'changed' }, options)
      })
    },
    async deleteProxy(call) {
      const { requireIfMatch } = await workspaceOf(store, call)
      const proxy = await proxyOf(store, call)
      checkPreconditions(call.headers, proxyTag(proxy), requireIfMatch)
      const changes = removalOf(proxy, { now: wallClock(), by: call.principal.name })
      return { reply: { status: 204 }, ...(call.query.dryRun === true ? {} : { changes }) }
    },
  } satisfies Planners
}

/** Which proxies are asked for, and in which order. */
function listOf(call: Call, served: readonly Environment[]): ProxyList {
  const sort = textIn(call, 'sort') ?? 'name'
  const by = SORTS.find((one) => one === sort.replace(/^-/, '')) ?? 'name'
  return {
    name: textIn(call, 'name'),
    hostname: textIn(call, 'hostname')?.toLowerCase(),
    version: textIn(call, 'version'),
    environment: textIn(call, 'environment'),
    state: STATES.find((state) => state === call.query.state),
    served: served.map(({ name }) => name),
    by,
    isDescending: sort.startsWith('-'),
  }
}

/** A token has the values of the columns of its order, and where it is not that of before there were others, its name. */
const tokenOf = (position: ProxyPosition, { by }: ProxyList): readonly string[] => [
  ...PROXY_ORDERS[by].map((column) => position[column] ?? ''),
  ...(by === 'name' ? [] : [by]),
]

/** Where the page begins. Throws 400, also for a token of another order. */
function readPosition(call: Call, { by }: ProxyList): PageRequest & { readonly slice: Position } {
  const columns = PROXY_ORDERS[by]
  const page = readPage(call, by === 'name' ? columns.length : columns.length + 1)
  const { token, skip } = page
  if (!token) return { ...page, slice: { skip } }
  if (by !== 'name' && token.at(-1) !== by)
    throw refusedAt('/query/sort', 'the token is of another sort', 'Send the parameters of the page before.')
  const value = (column: string) => token[columns.map(String).indexOf(column)] ?? ''
  const state = STATES.find((one) => one === value('state'))
  const after = {
    ...{
      name: value('name'),
      hostname: value('hostname'),
      version: value('version'),
      environment: value('environment'),
    },
    ...(state ? { state } : {}),
  }
  return { ...page, slice: { after } }
}

type Position = { readonly skip: number } | { readonly after: ProxyPosition }

async function planWhole(call: Call, options: HandlerOptions) {
  call.correlate(correlationHeaderOf(call.body))
  const { requireIfMatch: isMatchDemanded } = await workspaceOf(options.store, call)
  for (const name of ['name', 'hostname', 'version'])
    if (call.query[name] !== undefined)
      throw refusedAt(`/query/${name}`, `${name} is for a body of policies alone`, 'Write it in the body.')
  const { body, bodyErrors } = call
  return await planToSave({ call, body, bodyErrors, before: undefined, isMatchDemanded, action: 'created' }, options)
}

/** Policies alone are added to the proxy that the query names, or to a new one. */
/** The same for the same policies, so that a repeated request finds its proxy; one with keys tells nothing of them. */
function generatedName(policies: JsonObject): string {
  const digest = Object.hasOwn(policies, 'apikey-authn')
    ? randomBytes(5)
    : createHash('sha256').update(meaningOf(policies)).digest().subarray(0, 5)
  return `proxy-${digest.toString('hex')}`
}

async function planPolicies(call: Call, options: HandlerOptions) {
  const { store, judge } = options
  const { body, bodyErrors } = call
  call.correlate(correlationHeaderOf(body))
  const { requireIfMatch: isMatchDemanded } = await workspaceOf(store, call)
  const name = textIn(call, 'name')
  if (name === undefined)
    for (const part of ['hostname', 'version'])
      if (call.query[part] !== undefined)
        throw refusedAt(`/query/${part}`, `${part} says which proxy of a name`, 'Send name, too.')
  const generated = name ?? generatedName(policiesIn(body))
  const before =
    name === undefined ? await onlyProxy(store, queryOf(call, generated)) : await proxyOf(store, call, name)
  if (!before) {
    const notes = [{ pointer: '/name', message: `the proxy is new and has the generated name ${generated}` }]
    const saving = { call, body: { name: generated, ...body }, bodyErrors, before, isMatchDemanded, notes }
    return await planToSave({ ...saving, action: 'created' }, options)
  }
  const errors = allErrors(judge(body).errors, bodyErrors)
  if (errors.length > 0) throw refused(errors)
  const merged = withPolicies(before.body, policiesIn(withHashes(body, before.id)))
  return await planToSave({ call, body: merged, bodyErrors: [], before, isMatchDemanded, action: 'changed' }, options)
}

function policiesIn({ policies, proxyConfig }: JsonObject): JsonObject {
  const found = policies ?? (isObject(proxyConfig) ? proxyConfig.policies : undefined)
  return isObject(found) ? found : {}
}

/** A body with a name replaces the proxy of its hostname and version, or the one that the query says, or creates one. */
async function planReplacement(call: Call, options: HandlerOptions) {
  const { store } = options
  const { requireIfMatch: isMatchDemanded } = await workspaceOf(store, call)
  const name = pathPart(call, 'proxy')
  call.correlate(correlationHeaderOf(call.body))
  if (!isName(name))
    throw refusedAt('/name', 'this cannot be the name of a proxy', 'Choose letters, digits, ".", "_", "-".')
  checkName(call.body.name, name)
  const body: JsonObject = { name, ...call.body }
  const query = queryOf(call)
  const own = { hostname: hostnameIn(body), version: typeof body.version === 'string' ? body.version : 'v1' }
  const isSelected = query.hostname !== undefined || query.version !== undefined
  const before = await onlyProxy(store, isSelected ? query : { ...query, ...own })
  if (!before && isSelected && !agrees(query, own))
    throw new HttpError(404, 'there is no such proxy; to create one, let hostname and version be those of the body')
  const saving = { call, body, bodyErrors: call.bodyErrors, before, isMatchDemanded }
  return await planToSave({ ...saving, action: before ? 'changed' : 'created' }, options)
}

const agrees = (
  query: { readonly hostname?: string | undefined; readonly version?: string | undefined },
  own: { readonly hostname: string; readonly version: string },
): boolean => (query.hostname ?? own.hostname) === own.hostname && (query.version ?? own.version) === own.version
