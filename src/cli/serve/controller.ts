/** `sluice serve controller`: starts the controller and stops it on a signal. */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { RULES } from '../../../rules/index.ts'
import type { Controller } from '../../controller/controller.ts'
import type { NginxOptions } from '../../controller/nginx/enforcement.ts'
import { serveWithHealth } from '../../http/health.ts'
import type { StopTimes } from '../../http/listen.ts'
import type { Log } from '../../http/log.ts'
import { leaseName } from '../../installation/controller.ts'
import { apiNames } from '../../kubernetes/api-groups.ts'
import { listenAddress } from '../../queries/render-values.ts'
import { CONTROLLER_NAME } from '../../queries/status.ts'
import { errorsOfPolicies } from '../../registry.ts'
import { readSettings } from '../../settings/file.ts'
import { InputError, type Io } from '../core/io.ts'
import { ownNamespace } from './certificate.ts'
import { type ControllerArgs, readPort } from './flags.ts'
import { endsNginx, logThatNginxGoesOn, readNginxProgram } from './nginx-program.ts'
import { runServer, type Started, type Starting, stopTimes, throwListenError } from './run-server.ts'
import { createProblemReporter, followSettings, readFirstSettings } from './settings.ts'
import { openCluster, type ServedCluster } from './world.ts'

/** Runs until the process gets a signal to end. Throws {@link InputError}. */
export const runController = (io: Io, args: ControllerArgs): Promise<number> =>
  runServer(io, args, (starting) => start(args, starting))

async function start(args: ControllerArgs, { io, log, metrics, atEnd }: Starting): Promise<Started> {
  const healthPort = readPort(args, 'health-port', 9090)
  const host = args.value('host')
  const first = await readFirstSettings(io, args)
  const { settings } = first.project
  const names = readNames(args, apiNames(settings.apiGroups).controllerName)
  const served = await openCluster(io, args)
  const lease = leaseOf(args, served, names)
  const nginx = await readNginx(io, args, log)
  const kubeconfig = served.cluster
  if (!kubeconfig) throw new InputError('there is no cluster here: name one with --kubeconfig')
  const { startController } = await import('../../controller/controller.ts')
  const { systemClock } = await import('../../cluster/client/clock.ts')
  let controller: Controller | undefined
  const stoppable = {
    async stop({ drain, grace }: StopTimes) {
      await new Promise((resolve) => setTimeout(resolve, drain))
      await controller?.stop(grace)
    },
  }
  const notReady = () => controller?.notReady() ?? undefined
  const serving = await serveWithHealth(stoppable, { host, healthPort, metrics, log, notReady }).catch(throwListenError)
  const identity = `${hostname()}_${randomUUID()}`
  controller = startController({
    ...names,
    kubeconfig,
    clock: { ...systemClock, now: () => performance.now() },
    wallClock: Date.now,
    settings,
    nginx,
    lease,
    identity,
    log,
    metrics,
  })
  const following = { first, controller, served, log }
  return {
    fields: { healthPort: serving.healthPort, host, world: served.description, ...names, lease, identity },
    follow: () => atEnd(follow(io, args, following)),
    stop: () => serving.stop(stopTimes(served.ownCluster !== undefined)),
    stopped: 'stopped: no write is left',
  }
}

/** What nginx runs with; undefined without `--nginx-dir`. Throws {@link InputError}. */
async function readNginx(io: Io, args: ControllerArgs, log: Log): Promise<NginxOptions | undefined> {
  const folder = args.value('nginx-dir')
  if (folder === undefined) {
    if (args.has('port')) throw new InputError('--port is that of nginx: it needs --nginx-dir')
    return undefined
  }
  if (args.has('status-only-for'))
    throw new InputError('--status-only-for is for Gateways that another controller serves: use it without --nginx-dir')
  const host = args.value('host') ?? ''
  const address = listenAddress(host)
  if (address === undefined) throw new InputError(`--host must be an address to listen on; got "${host}"`)
  const program = await readNginxProgram(args)
  const firstPort = args.has('port') ? readPort(args, 'port', 0) : undefined
  if (firstPort === 0) throw new InputError('--port must be a port of 1 or more: nginx keeps it when it is reloaded')
  const onLeft = endsNginx(args)
    ? undefined
    : (gateway: string, pid: number) => logThatNginxGoesOn(log, pid, { gateway })
  return { folder: resolve(io.cwd, folder), program, address, firstPort, onLeft }
}

/** Whose Gateways count, and the name in statuses. */
type Names = { readonly controllerName: string; readonly gatewayController: string }

function readNames(args: ControllerArgs, usual: string): Names {
  const read = (flag: 'controller-name' | 'status-only-for') => {
    const name = args.value(flag)
    if (name === undefined || CONTROLLER_NAME.test(name)) return name
    throw new InputError(`--${flag} must be a name such as "example.com/gateway-controller"; got "${name}"`)
  }
  const controllerName = read('controller-name') ?? usual
  const other = read('status-only-for')
  if (other === controllerName)
    throw new InputError(
      `--status-only-for ${other}: that controller writes statuses under this name itself; choose another one with --controller-name`,
    )
  return { controllerName, gatewayController: other ?? controllerName }
}

/** The Lease of this replica and its equals. */
function leaseOf(args: ControllerArgs, { cluster, ownCluster }: ServedCluster, names: Names) {
  const context = cluster?.getContextObject(cluster.getCurrentContext())?.namespace
  const namespace = args.value('namespace') ?? (ownCluster ? ownNamespace() : (context ?? 'default'))
  return { namespace, name: leaseName(names.controllerName, names.gatewayController) }
}

type Following = {
  readonly first: Awaited<ReturnType<typeof readFirstSettings>>
  readonly controller: Controller
  readonly served: ServedCluster
  readonly log: Log
}

/** Applies each later version of the settings, or keeps the one before. Returns what ends that. */
function follow(io: Io, args: ControllerArgs, { first, controller, served, log }: Following): () => void {
  const onProblem = createProblemReporter(served.ownCluster, log)
  const reject = (reason: string) => {
    log.error({ reason }, 'the new settings are invalid; the old ones stay in force')
    onProblem(reason)
  }
  if (first.problem !== undefined) reject(first.problem)
  const ids = RULES.map(({ id }) => id)
  const apply = (text: string) => {
    const outcome = readSettings(text, ids, undefined, { errorsOfPolicies })
    if (!outcome.ok) {
      reject(outcome.problems.map(({ line, column, message }) => `${line}:${column} ${message}`).join('; '))
      return
    }
    controller.useSettings(outcome.project.settings)
    log.info({}, 'new settings are in force')
  }
  return followSettings(io, args, { first, settings: { apply, reject } })
}
