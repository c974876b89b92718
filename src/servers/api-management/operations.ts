/** Carries out operations: what one plans is committed together with the response that a repeated request gets. */
import { HttpError } from '../../http/http-error.ts'
import { isObject, type JsonObject } from '../../json/member.ts'
import { type Change, type Environment, type Remembered, type Store, StoreConflict } from '../../store/store.ts'
import { createAudit } from './audit.ts'
import { createBackends } from './backends/operations.ts'
import type { Call, Plan, Reply } from './call.ts'
import { isKnown, tagOfBody } from './entity-tags.ts'
import { createEnvironmentHistory } from './environment-history.ts'
import { createEnvironments } from './environments.ts'
import { createHistory } from './history.ts'
import { createHostnames } from './hostnames.ts'
import { createProviders } from './oidc.ts'
import { IDEMPOTENCY_KEY, type Operation } from './openapi/operation.ts'
import type { PlannedId } from './openapi/operations.ts'
import type { HandlerOptions, Planner } from './planner.ts'
import { createProxies } from './proxies.ts'
import { correlationOf } from './stored-proxy.ts'
import { createTokens } from './tokens.ts'
import { createSignIn, createUsers } from './users.ts'
import { createWorkspaces } from './workspaces.ts'

/** The request beside what its operation sees of it. */
type Sent = {
  readonly operation: Operation
  /** A hash of the body. */
  fingerprint(): string
}

/** Carries out an operation. */
export type CarryOut = (id: PlannedId, call: Call, sent: Sent) => Promise<Reply>

/** Creates what carries out all operations. */
export function createHandlers(options: HandlerOptions): CarryOut {
  const planners: Readonly<Record<PlannedId, Planner>> = {
    ...createWorkspaces(options),
    ...createHostnames(options),
    ...createBackends(options),
    ...createEnvironments(options),
    ...createEnvironmentHistory(options),
    ...createProxies(options),
    ...createHistory(options),
    ...createUsers(options),
    ...createSignIn(options),
    ...createProviders(options),
    ...createTokens(options),
    ...createAudit(options),
  }
  return (id, call, sent) => carryOut(call, sent, { ...options, plan: planners[id] })
}

/** Changes that come first before a request is given up. */
const MOST_ATTEMPTS = 20

/** Plans and commits. Another change that came in between makes it plan again, from what is there then. */
async function carryOut(call: Call, sent: Sent, options: HandlerOptions & { readonly plan: Planner }): Promise<Reply> {
  const { store, publication, onChange, plan } = options
  for (let attempt = 1; ; attempt += 1) {
    const repeated = await rememberedReply(call, sent, options)
    if (repeated) return repeated
    const { reply, changes } = completed(await plan(call), call, sent)
    const now = options.wallClock()
    const all = [...audited(changes, call, now), ...remembering(call, sent, { reply, now })]
    if (all.length === 0) return reply
    try {
      await store.commit(all)
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error
      if (attempt < MOST_ATTEMPTS && !FINAL.includes(error.conflict)) continue
      throw new HttpError(409, CONFLICTS[error.conflict])
    }
    publication.changed(changes)
    onChange()
    return reply
  }
}

/** Changes with who is named in the audit log. */
const audited = (changes: readonly Change[], { principal: { name, token }, requestId }: Call, at: number) =>
  changes.length === 0
    ? []
    : [{ author: { by: token?.maker ?? name, token: token?.name, request: requestId(), at } }, ...changes]

/** With the entity tag of the reply, where the operation has one; a reader who has it already gets a 304. */
function completed({ reply, changes = [] }: Plan, { headers }: Call, { operation }: Sent): Required<Plan> {
  if (!operation.success[reply.status]?.headers?.includes('ETag')) return { reply, changes }
  const etag = tagOfBody(reply.headers?.etag, reply.body)
  const tagged = { ...reply, headers: { ...reply.headers, etag } }
  if (operation.method !== 'get' || !isKnown(headers, etag)) return { reply: tagged, changes }
  return { reply: { status: 304, headers: tagged.headers }, changes }
}

/** Conflicts with what stays as it is. */
const FINAL: readonly StoreConflict['conflict'][] = ['address', 'last-administrator']

const BUSY = 'too many changes at once: send it again'

const CONFLICTS: Readonly<Record<StoreConflict['conflict'], string>> = {
  // It may be one of another workspace, which is not named.
  address:
    'another proxy has this hostname with this base path: choose another basePath or hostname, or another version',
  owner: BUSY,
  // A proxy came in between: planned again, the operation says what to do with it.
  'in-use': BUSY,
  'last-administrator': 'it is the last administrator: give another user the role administrator first',
  revision: BUSY,
  'missing-parent': BUSY,
  remembered: BUSY,
}

/** Milliseconds. */
const DAY = 24 * 60 * 60 * 1000

/** Who sent which key to which path. */
function keyOf({ principal, headers, path, query }: Call, { operation }: Sent): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined || query.dryRun === true || !takesKey(operation)) return undefined
  return JSON.stringify([principal.name, operation.id, path, query, key])
}

/** What has a password in it is not remembered, not even as a hash. */
const takesKey = ({ parameters }: Operation): boolean => parameters.some(({ name }) => name === IDEMPOTENCY_KEY)

/** The response to the same request within the last day. Throws 422 where the key was used for another body. */
async function rememberedReply(
  call: Call,
  sent: Sent,
  { store, wallClock }: HandlerOptions,
): Promise<Reply | undefined> {
  const key = keyOf(call, sent)
  const known = key === undefined ? undefined : await store.remembered(key)
  if (!known || known.at <= wallClock() - DAY) return undefined
  if (known.fingerprint !== sent.fingerprint())
    throw new HttpError(422, 'this Idempotency-Key was used for another body: choose a new key')
  const body = bodyOf(known)
  call.correlate(correlationOf(body, await environmentOf(store, call, body)))
  return { status: known.status, headers: { ...headersOf(known), 'idempotency-replayed': 'true' }, body: known.body }
}

/** The environment of the proxy in a response, as it is now. */
async function environmentOf(store: Store, { path }: Call, { status }: JsonObject): Promise<Environment | undefined> {
  const { environment } = isObject(status) ? status : {}
  return typeof environment === 'string' ? await store.environment(path.workspace ?? '', environment) : undefined
}

function bodyOf({ body }: Remembered): JsonObject {
  const value: unknown = JSON.parse(body)
  return isObject(value) ? value : {}
}

const headersOf = ({ headers }: Remembered): Record<string, string> =>
  isObject(headers) ? Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])) : {}

function remembering(
  call: Call,
  sent: Sent,
  { reply: { status, headers = {}, body }, now }: { readonly reply: Reply; readonly now: number },
): readonly Change[] {
  const key = keyOf(call, sent)
  if (key === undefined) return []
  const value = { key, fingerprint: sent.fingerprint(), at: now, status, headers, body: JSON.stringify(body ?? null) }
  return [
    { forget: 'remembered', until: now - DAY },
    { put: 'remembered', value },
  ]
}
