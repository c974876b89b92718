/** `sluice serve admission`: starts the webhook and stops it on a signal. */
import { setFlagsFromString } from 'node:v8'
import { createLog, type Log } from '../../http/log.ts'
import { createMetrics, type Metrics } from '../../http/metrics.ts'
import { NAMES } from '../../installation/object.ts'
import { REGISTRY } from '../../registry.ts'
import {
  type ServeOptions as AdmissionServeOptions,
  type Serving,
  serveAdmission,
} from '../../servers/admission/serve.ts'
import { holdSettings, type SettingsHolder } from '../../servers/admission/settings-holder.ts'
import { EXIT, InputError, type Io } from '../core/io.ts'
import { VERSION } from '../version/version.ts'
import { openCertificate } from './certificate.ts'
import { openClientAuthority } from './client-authority.ts'
import { DRAIN, nextSignal, throwListenError } from './ending.ts'
import { type AdmissionArgs, readPort } from './flags.ts'
import { type ServedMeshConfig, watchMeshConfig } from './mesh-config.ts'
import { createProblemReporter, type FirstSettings, followSettings, readFirstSettings } from './settings.ts'
import { openCluster, type ServedCluster, type ServedWorld, watchWorld } from './world.ts'

/** Runs until the process gets a signal to end. Throws {@link InputError}. */
export async function runAdmission(io: Io, args: AdmissionArgs): Promise<number> {
  setFlagsFromString(NO_PRETENURING)
  const ports = { port: readPort(args, 'port', 9443), healthPort: readPort(args, 'health-port', 9090) }
  const workers = readWorkers(args)
  if (workers > 1 && (await import('./worker-process.ts')).isWorker())
    return await (await import('./worker.ts')).runWorker(io, args)
  const log = createLog((line) => io.stdout.write(line, 'json'), args.has('verbose') ? 'debug' : 'info')
  const metrics = createMetrics(VERSION)
  const first = await readFirstSettings(io, args)
  const cluster = await openCluster(io, args, args.has('standalone'))
  const options = { ...ports, workers, log, metrics, first, cluster }
  if (workers > 1) return await serve(io, args, { ...options, world: undefined })
  const { settings } = first.project
  const world = await watchWorld(cluster, { settings, metrics })
  const mesh = await watchMeshConfig(args, cluster, { settings, log })
  try {
    return await serve(io, args, { ...options, world, mesh })
  } finally {
    world.stop()
    mesh?.stop()
  }
}

/**
 * A flag of V8. The watches read thousands of objects that stay in memory, from which V8 concludes that parsed objects
 * live long. It would then allocate each review in the old generation, which is collected only rarely.
 */
const NO_PRETENURING = '--no-allocation-site-pretenuring'

type ServeOptions = {
  readonly port: number
  readonly healthPort: number
  readonly log: Log
  readonly metrics: Metrics
  readonly first: FirstSettings
  readonly cluster: ServedCluster
  readonly workers: number
  /** Undefined where workers serve, each with a world of its own. */
  readonly world: ServedWorld | undefined
  readonly mesh?: ServedMeshConfig | undefined
}

/** The certificate of the webhook's replicas, which the API server must trust. */
function sharedCertificate(args: AdmissionArgs, { ownCluster }: ServedCluster) {
  const mutating = [NAMES.mutating, ...(args.has('mesh') ? [NAMES.meshInjection] : [])]
  const configurations = { validating: [NAMES.validating], mutating }
  return ownCluster && { kubeconfig: ownCluster, service: NAMES.admission, secret: NAMES.tls, configurations }
}

/** Serves until the process gets a signal to end. */
async function serve(io: Io, args: AdmissionArgs, { first, cluster, ...options }: ServeOptions): Promise<number> {
  const { log, metrics } = options
  const host = args.value('host')
  const onProblem = createProblemReporter(cluster.ownCluster, log)
  const settings = holdSettings(first.project, { ...REGISTRY, log, metrics, onProblem })
  const certificate = await openCertificate(io, args, { log, shared: sharedCertificate(args, cluster) })
  const clients = openClientAuthority(io, args, log)
  const { material, notReady } = certificate
  const serving = await listen(io, {
    ...options,
    settings,
    what: { ...options, host, material, clientAuthority: clients.ca, notReady },
  }).catch(throwListenError)
  const { port, healthPort } = serving
  const several = options.workers > 1 ? { workers: options.workers } : {}
  const { description } = cluster
  log.info({ port, healthPort, host, world: description, clients: clients.description, ...several }, 'listening')
  log.debug({ settings: first.project.settings, admission: first.project.admission }, 'settings')
  certificate.follow(serving)
  clients.follow(serving)
  io.stderr.write(certificate.advice(port))
  if (first.problem !== undefined) settings.reject(first.problem)
  const stopFollowing = followSettings(io, args, { first, settings: serving.settings })
  io.onWork?.()
  log.info({ signal: await nextSignal() }, 'shutting down')
  await serving.stop({ drain: cluster.ownCluster ? DRAIN : 0, grace: GRACE })
  stopFollowing()
  certificate.stop()
  clients.stop()
  log.info({}, 'stopped: all reviews have been answered')
  return EXIT.clean
}

type Listening = Pick<ServeOptions, 'workers' | 'world' | 'mesh'> & {
  readonly settings: SettingsHolder
  readonly what: Omit<AdmissionServeOptions, 'reviewer' | 'world' | 'mesh' | 'now' | 'wallClock'>
}

/** Serves reviews in this process, or by workers. The `settings` of the result are those to change. */
async function listen(
  io: Io,
  { workers: count, world, mesh, settings, what }: Listening,
): Promise<Serving & { readonly settings: SettingsHolder }> {
  if (world) {
    const timing = { now: () => performance.now(), wallClock: Date.now }
    const views = { reviewer: settings.reviewer, world: world.view, mesh: mesh?.view }
    const serving = await serveAdmission({ ...what, ...timing, ...views })
    return { ...serving, settings }
  }
  const { serveByWorkers } = await import('./workers.ts')
  const writeLine = (line: string) => io.stdout.write(line, 'json')
  const serving = await serveByWorkers({ ...what, count, project: settings.project(), writeLine })
  const apply = (text: string) => {
    settings.apply(text)
    serving.useSettings(settings.project())
  }
  return { ...serving, settings: { ...settings, apply } }
}

/** Milliseconds until the reviews in progress must have been answered. */
const GRACE = 15_000

const MOST_WORKERS = 64

function readWorkers(args: AdmissionArgs): number {
  const text = args.value('workers') ?? '1'
  if (!/^[1-9]\d?$/.test(text) || Number(text) > MOST_WORKERS)
    throw new InputError(`--workers must be a number from 1 to ${MOST_WORKERS}; got "${text}"`)
  return Number(text)
}
