/** `sluice serve admission`: starts the webhook and stops it on a signal. */
import { setFlagsFromString } from 'node:v8'
import type { Metrics } from '../../http/metrics.ts'
import { NAMES } from '../../installation/object.ts'
import { errorsOfPolicies, REGISTRY, withPolicies } from '../../registry.ts'
import { type AdmissionServeOptions, type ServingAdmission, serveAdmission } from '../../servers/admission/serve.ts'
import { holdSettings, type SettingsHolder } from '../../servers/admission/settings-holder.ts'
import { InputError, type Io } from '../core/io.ts'
import { openCertificate } from './certificate.ts'
import { openClientAuthority } from './client-authority.ts'
import { type AdmissionArgs, readPort } from './flags.ts'
import { watchMeshConfig } from './mesh-config.ts'
import { runServer, type Started, type Starting, stopTimes, throwListenError } from './run-server.ts'
import { createProblemReporter, type FirstSettings, followSettings, readFirstSettings } from './settings.ts'
import { openCluster, type ServedCluster, watchWorld } from './world.ts'

/** Runs until the process gets a signal to end. Throws {@link InputError}. */
export async function runAdmission(io: Io, args: AdmissionArgs): Promise<number> {
  setFlagsFromString(NO_PRETENURING)
  const workers = readWorkers(args)
  if (workers > 1 && (await import('./worker-process.ts')).isWorker())
    return await (await import('./worker.ts')).runWorker(io, args)
  return await runServer(io, args, (starting) => start(args, { ...starting, workers }))
}

/**
 * A flag of V8. The watches read thousands of objects that stay in memory, from which V8 concludes that parsed objects
 * live long. It would then allocate each review in the old generation, which is collected only rarely.
 */
const NO_PRETENURING = '--no-allocation-site-pretenuring'

/** The certificate of the webhook's replicas, which the API server must trust. */
function sharedCertificate(args: AdmissionArgs, { ownCluster }: ServedCluster) {
  const mutating = [NAMES.mutating, ...(args.has('mesh') ? [NAMES.meshInjection] : [])]
  const configurations = { validating: [NAMES.validating], mutating }
  return ownCluster && { kubeconfig: ownCluster, service: NAMES.admission, secret: NAMES.tls, configurations }
}

async function start(
  args: AdmissionArgs,
  { io, log, writeLine, metrics, atEnd, workers }: Starting & { readonly workers: number },
): Promise<Started> {
  const ports = { port: readPort(args, 'port', 9443), healthPort: readPort(args, 'health-port', 9090) }
  const host = args.value('host')
  const first = await readFirstSettings(io, args)
  const cluster = await openCluster(io, args, args.has('standalone'))
  const onProblem = createProblemReporter(cluster.ownCluster, log)
  const settings = holdSettings(first.project, {
    rules: REGISTRY.rules,
    withPolicies: (settings) => withPolicies(REGISTRY, settings),
    errorsOfPolicies,
    ...{ log, metrics, onProblem },
  })
  const views =
    workers > 1
      ? undefined
      : await openViews(args, cluster, { first, log, metrics, atEnd, reviewer: settings.reviewer })
  const certificate = await openCertificate(io, args, { log, metrics, shared: sharedCertificate(args, cluster) })
  atEnd(certificate.stop)
  const clients = openClientAuthority(io, args, log)
  atEnd(clients.stop)
  const { material, notReady } = certificate
  const serving = await listen({
    ...{ workers, views, settings, writeLine },
    what: { ...ports, host, material, clientAuthority: clients.ca, notReady, log, metrics },
  }).catch(throwListenError)
  const { port, healthPort } = serving
  const several = workers > 1 ? { workers } : {}
  return {
    fields: { port, healthPort, host, world: cluster.description, clients: clients.description, ...several },
    follow() {
      log.debug({ settings: first.project.settings, admission: first.project.admission }, 'settings')
      certificate.follow(serving)
      clients.follow(serving)
      io.stderr.write(certificate.advice(port))
      if (first.problem !== undefined) settings.reject(first.problem)
      atEnd(followSettings(io, args, { first, settings: serving.settings }))
    },
    stop: () => serving.stop(stopTimes(cluster.ownCluster !== undefined)),
    stopped: 'stopped: all reviews have been answered',
  }
}

type Views = Pick<AdmissionServeOptions, 'world' | 'mesh'>

type ViewsOptions = Pick<Starting, 'log' | 'atEnd'> &
  Pick<AdmissionServeOptions, 'reviewer'> & { readonly first: FirstSettings; readonly metrics: Metrics }

/** What this process knows of the cluster, and of its service mesh. */
async function openViews(
  args: AdmissionArgs,
  cluster: ServedCluster,
  { first, log, metrics, atEnd, reviewer }: ViewsOptions,
): Promise<Views> {
  const { settings } = first.project
  const world = await watchWorld(cluster, { settings, metrics, log, reviewer })
  atEnd(world.stop)
  const mesh = await watchMeshConfig(args, cluster, { settings, log })
  atEnd(() => mesh?.stop())
  return { world: world.view, mesh: mesh?.view }
}

type Listening = {
  readonly workers: number
  /** Undefined where workers serve, each with views of its own. */
  readonly views: Views | undefined
  readonly settings: SettingsHolder
  readonly writeLine: Starting['writeLine']
  readonly what: Omit<AdmissionServeOptions, 'reviewer' | 'world' | 'mesh' | 'now' | 'wallClock'>
}

/** Serves reviews in this process, or by workers. The `settings` of the result are those to change. */
async function listen({
  workers: count,
  views,
  settings,
  writeLine,
  what,
}: Listening): Promise<ServingAdmission & { readonly settings: SettingsHolder }> {
  if (views) {
    const timing = { now: () => performance.now(), wallClock: Date.now }
    const serving = await serveAdmission({ ...what, ...timing, ...views, reviewer: settings.reviewer })
    return { ...serving, settings }
  }
  const { serveByWorkers } = await import('./workers.ts')
  const serving = await serveByWorkers({ ...what, count, project: settings.project(), writeLine })
  const apply = (text: string) => {
    settings.apply(text)
    serving.useSettings(settings.project())
  }
  return { ...serving, settings: { ...settings, apply } }
}

const MOST_WORKERS = 64

function readWorkers(args: AdmissionArgs): number {
  const text = args.value('workers') ?? '1'
  if (!/^[1-9]\d?$/.test(text) || Number(text) > MOST_WORKERS)
    throw new InputError(`--workers must be a number from 1 to ${MOST_WORKERS}; got "${text}"`)
  return Number(text)
}
