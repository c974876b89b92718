/** Plans that a body becomes a proxy: it is judged, brought into its stored form, and compared with what is there. */
import { randomUUID } from 'node:crypto'
import { fieldsAlong } from '../../api-management/fields.ts'
import { withHashes, withKeptKeys } from '../../api-management/keys.ts'
import { placeOf, publicationProblems } from '../../api-management/render/plan.ts'
import { toStoredForm } from '../../api-management/stored-form.ts'

import { HttpError } from '../../http/http-error.ts'
import { isObject, type JsonObject } from '../../json/member.ts'
import { isSameValue } from '../../json/same.ts'
import type { Change, HistoryAction, Occupants, ProxyIdentity, Store, StoredProxy } from '../../store/store.ts'
import { checkBackends } from './backends/check.ts'
import { type Call, type Plan, refused, refusedAt } from './call.ts'
import { contextRemarks, OF_PROXY } from './context.ts'
import { checkPreconditions } from './entity-tags.ts'
import { eventOf } from './events.ts'
import type { Remark } from './judge.ts'
import type { HandlerOptions } from './planner.ts'
import { PUBLISHING } from './publication.ts'
import { allErrors } from './remarks.ts'
import {
  correlationOf,
  filledWords,
  hostnameIn,
  locationOf,
  type Notes,
  overridesIn,
  proxyTag,
  shownProxy,
  stateOf,
} from './stored-proxy.ts'
import { planPlace } from './tenants.ts'
import { DEFAULT_ENVIRONMENT } from './workspaces.ts'

/** A body that is to be stored. */
export type Saving = {
  readonly call: Call
  /** Its name is that of the proxy. */
  readonly body: JsonObject
  /** What the OpenAPI document says against it. */
  readonly bodyErrors: readonly Remark[]
  /** What it replaces. */
  readonly before: StoredProxy | undefined
  /** True where the workspace demands `If-Match`. */
  readonly isMatchDemanded: boolean
  readonly action: HistoryAction
  readonly restoredFrom?: number
  /** The proxy that a body is restored of: its id is the salt of what is kept of keys. */
  readonly formerId?: string
  readonly notes?: Notes['notes']
}

/** Plans to store a body, or with `dryRun` only what that would give. Throws 400, 409, 412 and 428. */
export async function planToSave(saving: Saving, options: HandlerOptions): Promise<Plan> {
  const { call, bodyErrors, before, notes = [] } = saving
  const sent = before ? withKeptKeys(saving.body, before.body) : saving.body
  const { store, judge, publication } = options
  const { errors, warnings } = judge(sent)
  const { body: whole, filled } = toStoredForm(sent)
  const ofDocument = bodyErrors.filter(({ pointer }) => !isSaidByPublication(pointer))
  const all = [ofDocument, publicationRemarks(whole), bodyErrors].reduce(allErrors, errors)
  if (all.length > 0) throw refused(all)
  checkPreconditions(call.headers, before && proxyTag(before), saving.isMatchDemanded)
  const addresses = addressesOf(whole)
  const workspace = call.path.workspace ?? ''
  const environmentName = typeof whole.environment === 'string' ? whole.environment : DEFAULT_ENVIRONMENT
  const environment = await store.environment(workspace, environmentName)
  if (!environment)
    throw refusedAt(
      '/environment',
      `the workspace has no environment ${environmentName}`,
      'Create it, or name another one.',
    )
  call.correlate(correlationOf(whole, environment))
  await checkBackends(store, options.network, {
    workspace,
    body: whole,
    before: before?.body,
    principal: call.principal,
  })
  const identity = { workspace, name: String(whole.name), hostname: hostnameIn(whole), version: String(whole.version) }
  const occupants = await store.occupantsOf(identity, addresses, before?.id ?? '')
  const place = before ?? (await formerPlace(store, identity, { formerId: saving.formerId, ...occupants }))
  await checkConflicts(store, { workspace, id: place?.id, ...occupants })
  const { principal } = call
  const pathPointer = pathPointerIn(whole)
  const ofPlace = await planPlace(store, { identity, addresses, before, principal, pathPointer })
  const id = place?.id ?? newId(options.wallClock())
  const hashed = withHashes(whole, id)
  if (hashed !== whole) checkKeys(hashed)
  const proxy: StoredProxy = {
    ...identity,
    ...PUBLISHING,
    id,
    revision: (place?.revision ?? 0) + 1,
    environment: environmentName,
    addresses,
    body: hashed,
  }
  const said = {
    warnings: [...warnings, ...contextRemarks(whole, OF_PROXY).warnings],
    ...overridesIn(hashed, environment),
    notes: [...notes, ...filled.map(({ pointer, value }) => ({ pointer, message: filledWords(pointer, value) }))],
  }
  const { stored, changes } = outcomeOf(proxy, saving, { ofPlace, now: options.wallClock() })
  const body = shownProxy(stored, stateOf(stored, environment, publication.hasGateway), said)
  if (call.query.dryRun === true) return { reply: { status: 200, body } }
  return {
    reply: { status: 202, headers: { location: locationOf(stored), etag: proxyTag(stored) }, body },
    changes,
  }
}

type Changing = { readonly ofPlace: readonly Change[]; readonly now: number }

/** What is stored, by which changes: none where it is there already. */
function outcomeOf(proxy: StoredProxy, saving: Saving, { ofPlace, now }: Changing) {
  const { before, action } = saving
  if (!before || action !== 'changed' || !isSame(before, proxy))
    return { stored: proxy, changes: [...changesOf(proxy, saving, now), ...ofPlace] }
  if (before.state !== 'FAILED') return { stored: before, changes: [] }
  // What was refused may be accepted now, such as a name that has got an address.
  const { id, revision: expected } = before
  return { stored: { ...before, ...PUBLISHING }, changes: [{ put: 'state', id, expected, value: PUBLISHING } as const] }
}

/** True where nothing would change, however the members of the body are ordered. */
const isSame = (before: StoredProxy, after: StoredProxy): boolean =>
  isSameValue(before.body, after.body) &&
  before.environment === after.environment &&
  before.addresses.join() === after.addresses.join()

/** Throws 400 where nginx could not tell two keys apart: with their hashes alone the same key is found. */
function checkKeys(body: JsonObject): void {
  const [problem] = publicationProblems(body)
  if (problem) throw refused([{ rule: 'publication', ...problem }])
}

/** What keeps a body from becoming a configuration. */
const publicationRemarks = (body: JsonObject): readonly Remark[] =>
  publicationProblems(body).map((problem) => ({ rule: 'publication', ...problem }))

/** True where publication has better words than the document. */
const isSaidByPublication = (pointer: string): boolean =>
  fieldsAlong(pointer).some(({ saidBy }) => saidBy === 'publication')

/**
 * Short, and not from user text: the milliseconds since 1970, then 48 random bits, the last group of a UUID, which Node has
 * at hand. What is stored together has neighbouring places in the indexes of the store, so that few pages are written.
 */
const newId = (now: number): string => `p${now.toString(16)}${randomUUID().slice(-12)}`

type Former = Pick<Occupants, 'isHistoric'> & { readonly formerId: string | undefined }

/** The id and the last revision of a proxy of this identity that was deleted: its history goes on. */
async function formerPlace(
  store: Store,
  identity: ProxyIdentity,
  { formerId, isHistoric }: Former,
): Promise<Pick<StoredProxy, 'id' | 'revision'> | undefined> {
  const known = isHistoric ? () => store.historicIds(identity) : () => []
  for (const id of formerId === undefined ? await known() : [formerId]) {
    const [last] = await store.history(id, { limit: 1 })
    if (last?.action === 'deleted') return { id, revision: last.revision }
  }
  return undefined
}

type Claim = Pick<Occupants, 'same' | 'holder'> & { readonly workspace: string; readonly id: string | undefined }

/** Throws 409 where another proxy is the same, or takes the same requests. */
async function checkConflicts(store: Store, { workspace, id, same, holder }: Claim): Promise<void> {
  if (same !== undefined && same !== id)
    throw new HttpError(409, 'there is a proxy of this name, hostname and version: change it with PUT')
  if (holder === undefined) return
  const other = await store.proxyById(holder)
  // Other workspaces may belong to others.
  const who = other?.workspace === workspace ? `the proxy ${other.name}, version ${other.version},` : 'another proxy'
  throw new HttpError(
    409,
    `${who} has this hostname with this base path: choose another basePath or hostname, or another version`,
  )
}

function changesOf(proxy: StoredProxy, { call, before, action, restoredFrom }: Saving, now: number): readonly Change[] {
  const { id, workspace, name, hostname, version, revision, body } = proxy
  const by = call.principal.name
  return [
    { put: 'proxy', value: proxy, expected: before?.revision },
    {
      put: 'history',
      value: { workspace, name, hostname, version, proxy: id, revision, at: now, by, action, restoredFrom, body },
    },
    eventOf(`proxy.${action}`, now, workspace, { name, hostname, version, by, revision }),
  ]
}

/** Hostnames with paths; none for a proxy that has neither a hostname nor an ingress, as one of policies alone. */
function addressesOf(body: JsonObject): readonly string[] {
  const { proxyConfig } = body
  if (!isObject(proxyConfig)) return []
  const { hostname: own, ingress, grpcIngress } = proxyConfig
  if (own === undefined && ingress === undefined && grpcIngress === undefined) return []
  const { hostname, paths } = placeOf(body)
  return paths.map((path) => `${hostname ?? ''}${path}`)
}

/** Where a body says the path at which it answers. */
const pathPointerIn = ({ proxyConfig }: JsonObject): string =>
  isObject(proxyConfig) && proxyConfig.ingress === undefined && proxyConfig.grpcIngress !== undefined
    ? '/proxyConfig/grpcIngress/service'
    : '/proxyConfig/ingress/basePath'
