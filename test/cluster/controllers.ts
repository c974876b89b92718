/** Real `sluice serve controller` in front of a file's cluster, and what they do to the objects in it. */
import { afterEach } from 'vitest'
import { isObject, type JsonObject } from '../../src/json/member.ts'
import { type Serving, serve } from '../serving.ts'
import type { Cluster } from './cluster.ts'
import { namespace } from './resources.ts'
import { ADMIN } from './users.ts'

/** The name of the controller whose Gateways are of the class `nginx`. */
export const OWN = 'gateway.nginx.org/nginx-gateway-controller'

/** What a controller has marked. */
export const AFFECTED = 'RateLimitPolicyAffected PolicyAffected'

type Known = JsonObject & { readonly metadata: JsonObject; readonly status?: JsonObject }

/** Starts controllers in a cluster, which end with the test, and looks at what they write. */
export function useControllers(cluster: Cluster, signal: NodeJS.Signals = 'SIGTERM') {
  const { store, read } = cluster
  let controllers: Serving[] = []
  afterEach(async () => {
    for (const controller of controllers) await controller.stop(signal)
    controllers = []
  })
  /** Starts one as the administrator, unless the flags name another kubeconfig. */
  const start = async (...flags: readonly string[]): Promise<Serving> => {
    const own = flags.includes('--kubeconfig') ? [] : ['--kubeconfig', cluster.kubeconfig(ADMIN)]
    const controller = await serve('controller', ['--health-port', '0', '--verbose', ...own, ...flags])
    controllers.push(controller)
    return controller
  }
  const newSpace = async (name: string): Promise<string> => {
    await store([namespace(name)])
    return name
  }
  const get = async (what: string, space: string): Promise<Known> => await read(`${what} -n ${space}`)
  /** `HTTPRoute/coffee True Accepted: its message`, one for each condition of an ancestor. */
  const ancestors = async (name: string, space: string): Promise<readonly string[]> => {
    const { status } = await get(`ratelimitpolicy/${name}`, space)
    const entries = (status?.ancestors ?? []) as { ancestorRef: JsonObject; conditions: JsonObject[] }[]
    return entries.flatMap(({ ancestorRef, conditions }) =>
      conditions.map(
        ({ status: state, reason, message }) =>
          `${ancestorRef.kind}/${ancestorRef.name} ${state} ${reason}: ${message}`,
      ),
    )
  }
  /** The conditions of a target, those of all parents of a route: `type reason`. */
  const conditionsOf = async (what: string, space: string): Promise<readonly string[]> => {
    const { status } = await get(what, space)
    const holders = Array.isArray(status?.parents) ? status.parents : [status ?? {}]
    return holders
      .filter(isObject)
      .flatMap(({ conditions }) =>
        (Array.isArray(conditions) ? conditions : []).filter(isObject).map(({ type, reason }) => `${type} ${reason}`),
      )
  }
  /** `Warning Conflicted RateLimitPolicy/b 1: its message`. */
  const eventsOf = async (space: string): Promise<readonly string[]> =>
    ((await get('events', space)).items as Record<string, JsonObject>[]).map(
      ({ type, reason, message, count, involvedObject }) =>
        `${type} ${reason} ${involvedObject?.kind}/${involvedObject?.name} ${count}: ${message}`,
    )
  return { start, newSpace, get, ancestors, conditionsOf, eventsOf }
}
