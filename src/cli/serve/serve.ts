/** `sluice serve admission`. */
import { setFlagsFromString } from 'node:v8'
import { RULES } from '../../../rules/index.ts'
import { createLog, type Log } from '../../http/log.ts'
import { createMetrics, type Metrics } from '../../http/metrics.ts'
import { type Serving, serveAdmission } from '../../servers/admission/serve.ts'
import { holdSettings } from '../../servers/admission/settings-holder.ts'
import { type Command, command } from '../core/command.ts'
import { EXIT, InputError, type Io, requireNode } from '../core/io.ts'
import { openCertificate } from './certificate.ts'
import { readPort, SERVE_FLAGS, type ServeFlags } from './flags.ts'
import { createTeller, type FirstSettings, followSettings, readFirstSettings } from './settings.ts'
import { openWorld, type ServedWorld } from './world.ts'

export const serveCommand: Command = command({
  name: 'serve',
  summary: 'run the admission webhook of a cluster',
  usage: 'admission [flags]',
  details: `Answers AdmissionReviews at /validate, /mutate and /observe over TLS. Without
--cert and --key, and outside of a cluster, it makes a certificate of its own
and prints what a webhook configuration needs to trust it.`,
  flags: SERVE_FLAGS,
  examples: [
    { line: 'sluice serve admission --standalone --port 0', does: 'try it on a free port' },
    { line: 'sluice serve admission --cert tls.crt --key tls.key', does: 'with files that somebody renews' },
    { line: 'sluice serve admission --kubeconfig ~/.kube/config', does: 'beside a cluster, not in it' },
  ],
  run: runServe,
})

async function runServe(io: Io, given: ServeFlags): Promise<number> {
  requireNode('22.19', io)
  const [what, ...others] = given.positionals
  if (what !== 'admission' || others.length > 0) throw new InputError('serve what? "sluice serve admission"')
  setFlagsFromString(SHORT_LIVED)
  const ports = { port: readPort(given, 'port', 9443), healthPort: readPort(given, 'health-port', 9090) }
  const log = createLog((line) => io.stdout.write(line), given.has('verbose') ? 'debug' : 'info')
  const metrics = createMetrics()
  const first = await readFirstSettings(io, given)
  const world = await openWorld(io, given, { settings: first.project.settings, metrics })
  try {
    return await serveWorld(io, given, { ...ports, log, metrics, first, world })
  } finally {
    world.stop()
  }
}

/**
 * Thousands of objects of a cluster are read and stay, and V8 concludes that whatever is read will stay: it would put
 * every passing review among the old objects, where it holds memory until a long collection.
 */
const SHORT_LIVED = '--no-allocation-site-pretenuring'

type Equipment = {
  readonly port: number
  readonly healthPort: number
  readonly log: Log
  readonly metrics: Metrics
  readonly first: FirstSettings
  readonly world: ServedWorld
}

/** Serves until the process is asked to end. */
async function serveWorld(io: Io, given: ServeFlags, { first, world, ...equipment }: Equipment): Promise<number> {
  const { log, metrics } = equipment
  const host = given.value('host')
  const onProblem = createTeller(world.ownCluster, log)
  const settings = holdSettings(first.project, { rules: RULES, log, metrics, onProblem })
  const certificate = await openCertificate(io, given, { log, ownCluster: world.ownCluster })
  const serving = await serveAdmission({
    ...equipment,
    host,
    material: certificate.material,
    notReady: certificate.notReady,
    reviewer: settings.reviewer,
    world: world.view,
    now: () => performance.now(),
    wallClock: Date.now,
  }).catch(explainListening)
  const { port, healthPort } = serving
  log.info({ port, healthPort, host, world: world.description }, 'listening')
  log.debug({ settings: first.project.settings, admission: first.project.admission }, 'settings')
  certificate.follow(serving)
  io.stderr.write(certificate.advice(port))
  if (first.problem !== undefined) settings.refuse(first.problem)
  const stopFollowing = followSettings(io, given, settings)
  io.onWork?.()
  log.info({ signal: await nextSignal() }, 'shutting down')
  await serving.stop({ drain: world.ownCluster ? DRAIN : 0, grace: GRACE })
  stopFollowing()
  certificate.stop()
  log.info({}, 'all reviews are answered')
  return EXIT.clean
}

const nextSignal = (): Promise<string> =>
  new Promise((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => resolve(name))
  })

/** Milliseconds: until the endpoints of a Service have forgotten a replica, and until the last answer is out. */
const DRAIN = 3_000
const GRACE = 15_000

function explainListening(error: unknown): Serving {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const port = error instanceof Error && 'port' in error ? `port ${error.port}` : 'that address'
  if (code === 'EADDRINUSE')
    throw new InputError(`${port} is in use; --port and --health-port take another, 0 a free one`)
  if (code === 'EACCES') throw new InputError(`${port} is not for everybody; take one above 1023`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') throw new InputError('--host is no address of this machine')
  throw error
}
