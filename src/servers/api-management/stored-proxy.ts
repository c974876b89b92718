/** Stored proxies: which one a request means, how it is shown, and its state. */
import { type Override, overridesOf } from '../../api-management/environment.ts'
import { withoutHashes } from '../../api-management/keys.ts'
import { readProxy } from '../../api-management/proxy.ts'
import type { FilledDefault } from '../../api-management/stored-form.ts'
import { HttpError } from '../../http/http-error.ts'
import { isObject, type JsonObject } from '../../json/member.ts'
import { fieldPath } from '../../json/pointer.ts'
import type { Environment, ProxyIdentity, ProxyQuery, ProxyState, Store, StoredProxy } from '../../store/store.ts'
import { type Call, pathPart, textIn } from './call.ts'
import { correlationHeaderOf } from './correlation.ts'
import type { Remark } from './judge.ts'
import { OWN_GATEWAY } from './publication.ts'

/** The entity tag of a proxy. */
export const proxyTag = ({ id, revision }: Pick<StoredProxy, 'id' | 'revision'>): string => `"${id}-${revision}"`

/** The hostname of a body; empty where it names none. */
export function hostnameIn({ proxyConfig }: JsonObject): string {
  const hostname = isObject(proxyConfig) ? proxyConfig.hostname : undefined
  return typeof hostname === 'string' ? hostname.toLowerCase() : ''
}

/** Where a proxy can be read. */
export function locationOf({ workspace, name, hostname, version }: ProxyIdentity): string {
  return `/services/workspaces/${workspace}/proxies/${name}?${new URLSearchParams({ hostname, version })}`
}

/** The proxies that a request means: by the name of its path, and by `hostname` and `version` of its query. */
export const queryOf = (call: Call, name = pathPart(call, 'proxy')): ProxyQuery => ({
  workspace: pathPart(call, 'workspace'),
  name,
  hostname: textIn(call, 'hostname')?.toLowerCase(),
  version: textIn(call, 'version'),
})

/** The one proxy that a query means; undefined where there is none. Throws 409 where there are several. */
export async function onlyProxy(store: Store, query: ProxyQuery): Promise<StoredProxy | undefined> {
  const [proxy, other] = await store.proxiesNamed(query)
  if (proxy && other)
    throw new HttpError(409, 'several proxies have this name: say which one with ?hostname= and ?version=')
  return proxy
}

/** The one proxy that a request means. Throws 404 and 409. */
export async function proxyOf(store: Store, call: Call, name?: string): Promise<StoredProxy> {
  const proxy = await onlyProxy(store, queryOf(call, name))
  if (!proxy) throw new HttpError(404, 'there is no such proxy')
  return proxy
}

/** The header of the correlation id: of the proxy, or of its environment. */
export const correlationOf = (body: JsonObject, environment: Environment | undefined): string | undefined =>
  correlationHeaderOf(body) ?? (environment && correlationHeaderOf({ policies: environment.policies }))

/** True where a gateway of this server serves an environment. */
export const hasOwnGateway = ({ gateways }: Environment): boolean => gateways.includes(OWN_GATEWAY)

/** The state of a proxy; where no gateway of this server can have it, why. */
export function stateOf(
  proxy: Pick<StoredProxy, 'state' | 'reason' | 'message' | 'addresses'>,
  environment: Environment | undefined,
  hasGateway: boolean,
): ProxyState {
  if (isServed(proxy, environment, hasGateway)) return proxy
  return hasGateway && environment && hasOwnGateway(environment) ? NO_ADDRESS : NO_GATEWAY
}

/** Whether a gateway of this server can have a proxy. */
export const isServed = (
  { addresses }: Pick<StoredProxy, 'addresses'>,
  environment: Environment | undefined,
  hasGateway: boolean,
): boolean => hasGateway && environment !== undefined && hasOwnGateway(environment) && addresses.length > 0

const NO_GATEWAY: ProxyState = {
  state: 'CONFIGURING',
  reason: 'NoGateway',
  message: 'no gateway of this server serves its environment',
}

const NO_ADDRESS: ProxyState = {
  state: 'CONFIGURING',
  reason: 'NoAddress',
  message: 'it has neither proxyConfig.hostname nor proxyConfig.ingress: there are no requests for it',
}

/** A default that was filled in, for people. */
export const filledWords = (pointer: string, value: FilledDefault['value']): string =>
  `${fieldPath(pointer)} is not set: the default ${value} applies`

/** What of a proxy and of its environment is in vain beside the other. */
export function overridesIn(body: JsonObject, environment: Environment | undefined): Pick<Notes, 'overrides'> {
  const overrides = environment ? overridesOf(body, environment.policies) : []
  return overrides.length > 0 ? { overrides } : {}
}

/** What is told of a body beside its state. */
export type Notes = {
  readonly overrides?: readonly Override[]
  readonly warnings?: readonly Remark[]
  readonly requests?: JsonObject
  readonly notes?: readonly { readonly pointer: string; readonly message: string }[]
}

/** True where a policy of a proxy rejects nothing. */
const hasDryRun = (body: JsonObject): boolean =>
  readProxy(body).sets.some(({ policies }) => policies.some(({ dryRun }) => dryRun.value === true))

/** A proxy as clients get it: its body, with its status beside what they sent. */
export function shownProxy(
  { body, revision, workspace, environment }: StoredProxy,
  { state, reason, message }: ProxyState,
  notes: Notes = {},
): JsonObject {
  const why = state === 'SUCCESS' ? {} : { reason, message }
  const dry = hasDryRun(body) ? { dryRun: true } : {}
  return { ...withoutHashes(body), status: { state, ...why, revision, workspace, environment, ...dry, ...notes } }
}
