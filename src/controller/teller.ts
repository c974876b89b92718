/** Says in the log, and by Events, that the newest configuration of a Gateway is not in force. */
import { warnOnce } from '../cluster/client/events.ts'
import { reasonOf } from '../cluster/client/failure.ts'
import type { KubeConfig } from '../cluster/client/library.ts'
import type { NamedGateway } from '../gateway/render/listeners.ts'
import type { Log } from '../http/log.ts'
import { isObject } from '../json/member.ts'
import { FIELD_MANAGER } from './write.ts'

type TellerOptions = { readonly kubeconfig: KubeConfig; readonly log: Log; wallClock(): number }

/** Gets the Gateways and all problems, by `namespace/name`, each time; tells those that are new, or gone. */
export function createTeller({ kubeconfig, log, wallClock }: TellerOptions, isLeader: () => boolean) {
  let told: ReadonlyMap<string, string> = new Map()
  return (gateways: readonly NamedGateway[], problems: ReadonlyMap<string, string>): void => {
    for (const [gateway, problem] of problems) {
      if (told.get(gateway) === problem) continue
      log.error({ gateway, reason: problem }, 'the configuration is not in force; the one before stays')
      const { view } = gateways.find(({ namespace, name }) => `${namespace}/${name}` === gateway) ?? {}
      if (view && isLeader()) warnAbout(view.object, problem)
    }
    for (const gateway of told.keys())
      if (!problems.has(gateway)) log.info({ gateway }, 'the configuration is in force')
    told = problems
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
