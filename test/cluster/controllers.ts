/** Real `sluice serve controller` in front of a file's cluster. */
import { afterEach } from 'vitest'
import { type Serving, serve } from '../serving.ts'
import type { Cluster } from './cluster.ts'
import { ADMIN } from './users.ts'

/** The name of the controller whose Gateways are of the class `nginx`. */
export const OWN = 'gateway.nginx.org/nginx-gateway-controller'

/** Starts controllers in a cluster, which end with the test, by functions and by words of an archive. */
export function useControllers(cluster: Cluster, signal: NodeJS.Signals = 'SIGTERM') {
  const controllers: Serving[] = []
  /** Stops them, and gives their exit codes. */
  const stop = async (all: readonly Serving[], how: NodeJS.Signals): Promise<string> => {
    const codes: (number | null)[] = []
    for (const controller of all) codes.push(await controller.stop(how))
    return `${codes.map(String).join(' ')}\n`
  }
  const stopAll = (how = signal) => stop(controllers.splice(0), how)
  afterEach(() => stopAll())
  /** Starts one as the administrator, unless the flags name another kubeconfig. */
  const start = async (...flags: readonly string[]): Promise<Serving> => {
    const own = flags.includes('--kubeconfig') ? [] : ['--kubeconfig', cluster.kubeconfig(ADMIN)]
    const controller = await serve('controller', ['--health-port', '0', '--verbose', ...own, ...flags])
    controllers.push(controller)
    return controller
  }
  const words = {
    start: (...flags: readonly string[]) => start(...flags).then(() => ''),
    stop: () => stopAll(),
    kill: () => stopAll('SIGKILL'),
    'stop-first': () => stop(controllers.splice(0, 1), signal),
    /** How many have said something in their logs. */
    logs: async (...said: readonly string[]) =>
      `${controllers.filter(({ log }) => log.some((line) => line.includes(said.join(' ')))).length}\n`,
  }
  return { start, words }
}
