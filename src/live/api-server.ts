/**
 * Which objects of manifests an API server would have stored: what it rejects stays as it was accepted last. Objects get
 * what it adds and what the conditions of policies depend on. Source: the CRD's schema; Kubernetes, kubectl apply.
 */
import { RATE_LIMIT_POLICY } from '../gateway/lookups/policies.ts'
import type { PolicyView } from '../gateway/objects/policy.ts'
import { apiRejection } from '../gateway/schema/acceptance.ts'
import { isObject, type JsonObject } from '../json/member.ts'
import { fullName, knownNamespace } from '../kubernetes/metadata.ts'
import type { CollectedObjects, FoundObject } from '../project/objects.ts'
import { placeholderOf } from '../text/placeholder.ts'
import { NAMESPACE_KIND } from '../world/namespaces.ts'
import { viewOf } from '../world/objects.ts'

/** A policy that the API server rejects. */
export type RejectedPolicy = {
  /** `shop/coffee`, or its file where it has no name. */
  readonly policy: string
  readonly message: string
}

/** What is stored. */
type Stored = { readonly objects: readonly JsonObject[]; readonly rejected: readonly RejectedPolicy[] }

/** Stores one version of the manifests after the other. */
export type ApiServer = {
  /**
   * `now`: RFC 3339 in whole seconds, the creation time of policies that are new and have none; later by a second where
   * policies of a version before have that time.
   */
  store(found: Pick<CollectedObjects, 'byKind'>, now: string): Stored
}

/** Starts without objects. */
export function createApiServer(): ApiServer {
  let accepted: ReadonlyMap<string, JsonObject> = new Map()
  let last = ''
  return {
    store({ byKind }, now) {
      const all = [...byKind.values()].flat()
      const time = timeAfter(last, now)
      const policies = all.flatMap((found) => storePolicy(found, accepted, time) ?? [])
      if (policies.some(({ object }) => createdAt(object) === time)) last = time
      const others = all.filter(({ view }) => !viewOf(view, RATE_LIMIT_POLICY)).map((found) => stamped(found))
      accepted = new Map(policies.flatMap(({ name, object }) => (object ? [[name, object]] : [])))
      const objects = [...others, ...policies.flatMap(({ object }) => (object ? [object] : []))]
      return {
        objects: [...objects, ...namespacesOf(objects)],
        rejected: policies.flatMap(({ rejected }) => rejected ?? []),
      }
    },
  }
}

/** What comes with a later version is younger: within one second the name would decide, whoever was there before. */
const timeAfter = (last: string, now: string): string =>
  now > last ? now : new Date(Date.parse(last) + 1000).toISOString().replace('.000Z', 'Z')

type StoredPolicy = {
  readonly name: string
  /** What is stored of it. */
  readonly object: JsonObject | undefined
  readonly rejected?: RejectedPolicy
}

function storePolicy(
  found: FoundObject,
  accepted: ReadonlyMap<string, JsonObject>,
  now: string,
): StoredPolicy | undefined {
  const policy = viewOf(found.view, RATE_LIMIT_POLICY)
  if (!policy) return undefined
  const name = fullName(policy.identity)
  const before = accepted.get(name)
  const message = rejectionOf(policy)
  if (message === undefined) return { name, object: stamped(found, createdAt(before) ?? now) }
  return { name, object: before, rejected: { policy: name || fileOf(found), message } }
}

function rejectionOf(policy: PolicyView): string | undefined {
  const { identity, object } = policy
  const placeholder = placeholderOf([identity.namespace ?? '', identity.name ?? '', object.spec ?? null])
  const reason = placeholder === undefined ? apiRejection(policy) : `${placeholder} is not filled in`
  const why = identity.name === undefined ? 'it has no name' : reason
  return why && `the API server rejects it: ${why}`
}

const fileOf = ({ origin }: FoundObject): string => origin.source.file ?? ''

/** The object with its namespace, and with a creation time where it has none. */
function stamped({ view: { object, identity } }: FoundObject, created?: string): JsonObject {
  const metadata: JsonObject = isObject(object.metadata) ? object.metadata : {}
  const namespace = knownNamespace(identity.namespace)
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(namespace ? { namespace } : {}),
      ...(created === undefined || metadata.creationTimestamp ? {} : { creationTimestamp: created }),
    },
  }
}

function createdAt(object: JsonObject | undefined): string | undefined {
  const time = isObject(object?.metadata) ? object.metadata.creationTimestamp : undefined
  return typeof time === 'string' ? time : undefined
}

/** No object is in a namespace that does not exist. */
function namespacesOf(objects: readonly JsonObject[]): readonly JsonObject[] {
  const given = new Set(
    objects.flatMap(({ kind, metadata }) => (kind === NAMESPACE_KIND.kind ? textAt(metadata, 'name') : [])),
  )
  const used = new Set(objects.flatMap(({ metadata }) => textAt(metadata, 'namespace')))
  return [...used].flatMap((name) =>
    given.has(name)
      ? []
      : [
          {
            apiVersion: 'v1',
            kind: NAMESPACE_KIND.kind,
            metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
          },
        ],
  )
}

function textAt(metadata: JsonObject[string], member: 'name' | 'namespace'): readonly string[] {
  const text = isObject(metadata) ? metadata[member] : undefined
  return typeof text === 'string' ? [text] : []
}
