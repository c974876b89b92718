/** `sluice serve`: starts a server and stops it on a signal. Here is the webhook; the other servers have files of their own. */
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
import { type Command, command } from '../core/command.ts'
import { EXIT, type Io, requireNode } from '../core/io.ts'
import { VERSION } from '../version/version.ts'
import { openCertificate } from './certificate.ts'
import { openClientAuthority } from './client-authority.ts'
import { DRAIN, nextSignal, throwListenError } from './ending.ts'
import { readPort, readServer, readWorkers, SERVE_FLAGS, type ServeFlags } from './flags.ts'
import { type ServedMeshConfig, watchMeshConfig } from './mesh-config.ts'
import { createProblemReporter, type FirstSettings, followSettings, readFirstSettings } from './settings.ts'
import { openCluster, type ServedCluster, type ServedWorld, watchWorld } from './world.ts'

/** The command. It needs Node 22.19, as the Kubernetes client does. */
export const serveCommand: Command = command({
  name: 'serve',
  summary: 'run the admission webhook, the controller or a management API',
  usage: 'admission|controller|api-management|mesh|studio [flags]',
  details: `admission serves /validate, /mutate and /observe for AdmissionReviews over TLS.
Without --cert and --key, and outside of a cluster, it creates a certificate for
this run and prints what a webhook configuration needs to trust it. With
--workers N, N processes share the port, each with its own watch of the cluster.
With --mesh it also serves /mutate-mesh-pods, which adds the sidecar of the
service mesh to new Pods, as the ConfigMap mesh-config says.

controller watches the Gateways of the classes of one controller, their routes
and policies, and writes the status of policies and of their targets, as
"sluice status" shows it. Of several replicas one writes. With --nginx-dir it
runs an nginx for each Gateway, which enforces the policies.

api-management serves the API for API proxies with rate limit policies, over
TLS, and at / a page for people. It keeps everything in one file. With
--nginx-dir it runs an nginx in that folder, which serves the proxies.

mesh serves the management API of a service mesh, over TLS, behind the
aggregation layer of a cluster, which decides who may do what. With --standalone
it uses no cluster: it keeps the configuration in one file, and clients send the
token that it prints. The API is beta: it may change.

studio serves a page on this machine: manifests in an editor, with findings, the
nginx configuration and the traffic that limits let through, as one types.`,
  flags: SERVE_FLAGS,
  examples: [
    { line: 'sluice serve admission --standalone --port 0', does: 'try it on a free port' },
    {
      line: 'sluice serve admission --cert tls.crt --key tls.key',
      does: 'with a certificate that is renewed by other means',
    },
    { line: 'sluice serve admission --kubeconfig ~/.kube/config', does: 'for a cluster, from outside of it' },
    {
      line: 'sluice serve controller --kubeconfig ~/.kube/config',
      does: 'write statuses, from outside of the cluster',
    },
    {
      line: 'sluice serve api-management --state proxies.db --port 8443',
      does: 'manage API proxies; proxies.db is created',
    },
    {
      line: 'sluice serve api-management --nginx-dir nginx --nginx-port 8080',
      does: 'and serve them by an nginx',
    },
    {
      line: 'sluice serve mesh --standalone --port 8443',
      does: 'try the API of the mesh; mesh-config.json is created',
    },
    { line: 'sluice serve studio', does: 'open the page: the first line of its log has the address' },
  ],
  run: runServe,
})

async function runServe(io: Io, args: ServeFlags): Promise<number> {
  requireNode('22.19', io)
  const server = readServer(args)
  if (server === 'controller') return await (await import('./controller.ts')).runController(io, args)
  if (server === 'api-management') return await (await import('./api-management.ts')).runApiManagement(io, args)
  if (server === 'studio') return await (await import('./studio.ts')).runStudio(io, args)
  if (server === 'mesh') return await (await import('./mesh.ts')).runMesh(io, args)
  setFlagsFromString(NO_PRETENURING)
  const ports = { port: readPort(args, 'port', 9443), healthPort: readPort(args, 'health-port', 9090) }
  const workers = readWorkers(args)
  if (workers > 1 && (await import('./worker-process.ts')).isWorker())
    return await (await import('./worker.ts')).runWorker(io, args)
  const log = createLog((line) => io.stdout.write(line, 'json'), args.has('verbose') ? 'debug' : 'info')
  const metrics = createMetrics(VERSION)
  const first = await readFirstSettings(io, args)
  const cluster = await openCluster(io, args)
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
function sharedCertificate(args: ServeFlags, { ownCluster }: ServedCluster) {
  const mutating = [NAMES.mutating, ...(args.has('mesh') ? [NAMES.meshInjection] : [])]
  const configurations = { validating: [NAMES.validating], mutating }
  return ownCluster && { kubeconfig: ownCluster, service: NAMES.admission, secret: NAMES.tls, configurations }
}

/** Serves until the process gets a signal to end. */
async function serve(io: Io, args: ServeFlags, { first, cluster, ...options }: ServeOptions): Promise<number> {
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
