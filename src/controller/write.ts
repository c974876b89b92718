/** What the controller writes: statuses, as changes of an object, and Events of Gateways whose configuration is not in force. */
import { type ApiRequest, callApi } from '../cluster/client/api.ts'
import { type Regarded, warnOnce } from '../cluster/client/events.ts'
import { reasonOf } from '../cluster/client/failure.ts'
import type { KubeConfig } from '../cluster/client/library.ts'
import type { NamedGateway } from '../gateway/render/listeners.ts'
import type { Log } from '../http/log.ts'
import { isObject, type JsonObject } from '../json/member.ts'

/** The field manager of server-side apply, and the source of Events. */
export const FIELD_MANAGER = 'sluice-controller'

/** What a person should know of an object, as an Event. */
export type Warning = { readonly reason: string; readonly message: string }

/** A change of the status of one object. */
export type StatusWrite = {
  /** `kind/namespace/name`. */
  readonly key: string
  readonly about: Regarded
  /** The `resourceVersion` that the change was computed from: the API server refuses it for any other one. */
  readonly basedOn: string
  readonly change: /** Server-side apply: what this controller applied before and does not any more goes. */
    | { readonly kind: 'apply'; readonly status: JsonObject }
    /** Removes a value, whoever has written it. */
    | { readonly kind: 'remove'; readonly pointer: string }
  readonly warnings: readonly Warning[]
}

/** The request of a write. `plural` is the kind as in paths. */
function requestOf({ about, basedOn, change }: StatusWrite, plural: string): ApiRequest {
  const { apiVersion, kind, namespace, name, uid } = about
  const common = {
    method: 'PATCH',
    path: `/apis/${apiVersion}/namespaces/${namespace}/${plural}/${name}/status`,
  } as const
  if (change.kind === 'remove') {
    const version = { op: 'replace', path: '/metadata/resourceVersion', value: basedOn }
    const body = [version, { op: 'remove', path: change.pointer }]
    return { ...common, query: { fieldManager: FIELD_MANAGER }, contentType: 'application/json-patch+json', body }
  }
  return {
    ...common,
    query: { fieldManager: FIELD_MANAGER, force: 'true' },
    contentType: 'application/apply-patch+yaml',
    body: { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion: basedOn }, status: change.status },
  }
}

export type WriteOptions = {
  readonly kubeconfig: KubeConfig
  pluralOf(kind: string): string
  /** Milliseconds since 1970. */
  wallClock(): number
  /** An event could not be written; the status is written all the same. */
  eventFailed(error: unknown): void
}

/**
 * Writes the events of a change, then the change: one that is interrupted in between is done again, and its events are counted.
 * Rejects with the error of the API server.
 */
export async function performWrite(write: StatusWrite, options: WriteOptions): Promise<void> {
  const { kubeconfig, pluralOf, wallClock, eventFailed } = options
  for (const { reason, message } of write.warnings)
    await warnOnce(kubeconfig, { about: write.about, reason, message, at: new Date(wallClock()) }, FIELD_MANAGER).catch(
      eventFailed,
    )
  await callApi(kubeconfig, requestOf(write, pluralOf(write.about.kind)))
}

type TellerOptions = { readonly kubeconfig: KubeConfig; readonly log: Log; wallClock(): number }

/** Gets the Gateways and all problems, by `namespace/name`, each time; reports those that are new, or gone. */
export function createTeller({ kubeconfig, log, wallClock }: TellerOptions, isLeader: () => boolean) {
  let reported: ReadonlyMap<string, string> = new Map()
  return (gateways: readonly NamedGateway[], problems: ReadonlyMap<string, string>): void => {
    for (const [gateway, problem] of problems) {
      if (reported.get(gateway) === problem) continue
      log.error({ gateway, reason: problem }, 'the configuration is not in force; the one before stays')
      const { view } = gateways.find(({ namespace, name }) => `${namespace}/${name}` === gateway) ?? {}
      if (view && isLeader()) warnAbout(view.object, problem)
    }
    for (const gateway of reported.keys())
      if (!problems.has(gateway)) log.info({ gateway }, 'the configuration is in force')
    reported = problems
  }

  function warnAbout(
    { apiVersion, kind, metadata }: NonNullable<NamedGateway['view']>['object'],
    message: string,
  ): void {
    const { namespace, name, uid } = isObject(metadata) ? metadata : {}
    const about = {
      apiVersion: String(apiVersion),
      kind: String(kind),
      namespace: String(namespace),
      name: String(name),
      uid: typeof uid === 'string' ? uid : undefined,
    }
    const event = { about, reason: 'NotEnforced', message, at: new Date(wallClock()) }
    warnOnce(kubeconfig, event, FIELD_MANAGER).catch((error: unknown) =>
      log.warn({ object: `Gateway/${namespace}/${name}`, reason: reasonOf(error) }, 'the event could not be created'),
    )
  }
}
