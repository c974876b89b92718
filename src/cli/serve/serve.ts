/** `sluice serve admission`: starts the webhook and stops it on a signal. */
import { setFlagsFromString } from 'node:v8'
import { createLog, type Log } from '../../http/log.ts'
import { createMetrics, type Metrics } from '../../http/metrics.ts'
import { REGISTRY } from '../../registry.ts'
import { serveAdmission } from '../../servers/admission/serve.ts'
import { holdSettings } from '../../servers/admission/settings-holder.ts'
import { type Command, command } from '../core/command.ts'
import { EXIT, InputError, type Io, requireNode } from '../core/io.ts'
import { VERSION } from '../version/version.ts'
import { openCertificate } from './certificate.ts'
import { readPort, SERVE_FLAGS, type ServeFlags } from './flags.ts'
import { createProblemReporter, type FirstSettings, followSettings, readFirstSettings } from './settings.ts'
import { openWorld, type ServedWorld } from './world.ts'

/** The command. It needs Node 22.19, as the Kubernetes client does. */
export const serveCommand: Command = command({
  name: 'serve',
  summary: 'run the admission webhook of a cluster',
  usage: 'admission [flags]',
  details: `Serves /validate, /mutate and /observe for AdmissionReviews over TLS. Without
--cert and --key, and outside of a cluster, it creates a certificate for this
run and prints what a webhook configuration needs to trust it.`,
  flags: SERVE_FLAGS,
  examples: [
    { line: 'sluice serve admission --standalone --port 0', does: 'try it on a free port' },
    {
      line: 'sluice serve admission --cert tls.crt --key tls.key',
      does: 'with a certificate that is renewed by other means',
    },
    { line: 'sluice serve admission --kubeconfig ~/.kube/config', does: 'for a cluster, from outside of it' },
  ],
  run: runServe,
})

async function runServe(io: Io, args: ServeFlags): Promise<number> {
  requireNode('22.19', io)
  const [what, ...others] = args.positionals
  if (what !== 'admission' || others.length > 0)
    throw new InputError('what to serve? the only server is "sluice serve admission"')
  setFlagsFromString(NO_PRETENURING)
  const ports = { port: readPort(args, 'port', 9443), healthPort: readPort(args, 'health-port', 9090) }
  const log = createLog((line) => io.stdout.write(line), args.has('verbose') ? 'debug' : 'info')
  const metrics = createMetrics(VERSION)
  const first = await readFirstSettings(io, args)
  const world = await openWorld(io, args, { settings: first.project.settings, metrics })
  try {
    return await serveWorld(io, args, { ...ports, log, metrics, first, world })
  } finally {
    world.stop()
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
  readonly world: ServedWorld
}

/** Serves until the process gets a signal to end. */
async function serveWorld(io: Io, args: ServeFlags, { first, world, ...options }: ServeOptions): Promise<number> {
  const { log, metrics } = options
  const host = args.value('host')
  const onProblem = createProblemReporter(world.ownCluster, log)
  const settings = holdSettings(first.project, { ...REGISTRY, log, metrics, onProblem })
  const certificate = await openCertificate(io, args, { log, ownCluster: world.ownCluster })
  const serving = await serveAdmission({
    ...options,
    host,
    material: certificate.material,
    notReady: certificate.notReady,
    reviewer: settings.reviewer,
    world: world.view,
    now: () => performance.now(),
    wallClock: Date.now,
  }).catch(throwListenError)
  const { port, healthPort } = serving
  log.info({ port, healthPort, host, world: world.description }, 'listening')
  log.debug({ settings: first.project.settings, admission: first.project.admission }, 'settings')
  certificate.follow(serving)
  io.stderr.write(certificate.advice(port))
  if (first.problem !== undefined) settings.reject(first.problem)
  const stopFollowing = followSettings(io, args, settings)
  io.onWork?.()
  log.info({ signal: await nextSignal() }, 'shutting down')
  await serving.stop({ drain: world.ownCluster ? DRAIN : 0, grace: GRACE })
  stopFollowing()
  certificate.stop()
  log.info({}, 'stopped: all reviews have been answered')
  return EXIT.clean
}

const nextSignal = (): Promise<string> =>
  new Promise((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => resolve(name))
  })

/** Milliseconds until the endpoints of a Service no longer name this replica. */
const DRAIN = 3_000

/** Milliseconds until the reviews in progress must have been answered. */
const GRACE = 15_000

/** Turns errors of listening that the user can fix into {@link InputError}, and throws the others again. */
function throwListenError(error: unknown): never {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const port = error instanceof Error && 'port' in error ? `port ${error.port}` : 'that address'
  if (code === 'EADDRINUSE')
    throw new InputError(`${port} is in use: choose another with --port or --health-port; 0 is a free one`)
  if (code === 'EACCES') throw new InputError(`no permission to listen on ${port}: choose one above 1023`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') throw new InputError('--host is not an address of this machine')
  throw error
}
