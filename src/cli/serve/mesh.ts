/** `sluice serve mesh`: starts the API of the mesh and stops it on a signal. */
import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { readSmallText } from '../../disk/read-regular-file.ts'
import type { Access } from '../../http/delegated-access.ts'
import { serveWithHealth } from '../../http/health.ts'
import { type Serving, serve } from '../../http/listen.ts'
import type { Log } from '../../http/log.ts'
import { type Metrics, registerWatches } from '../../http/metrics.ts'
import { meshNames } from '../../installation/mesh.ts'
import { type ApiNames, apiNames } from '../../kubernetes/api-groups.ts'
import { REGISTRY } from '../../registry.ts'
import { tokenAccess } from '../../servers/mesh/access.ts'
import { createMeshApp, type MeshOptions } from '../../servers/mesh/app.ts'
import type { AuditedChange } from '../../servers/mesh/audit.ts'
import { createMeshMetrics } from '../../servers/mesh/metrics.ts'
import { basePath } from '../../servers/mesh/operations.ts'
import { NOTHING_RUNS } from '../../servers/mesh/state.ts'
import { describeFileError } from '../../text/system-error.ts'
import { InputError, type Io } from '../core/io.ts'
import { loadProject } from '../core/project.ts'
import { VERSION } from '../version/version.ts'
import { authorityFile, openCertificate, ownNamespace, trustAdvice } from './certificate.ts'
import { type MeshArgs, readPort } from './flags.ts'
import { openMeshState } from './mesh-state.ts'
import { runServer, type Started, type Starting, stopTimes, throwListenError } from './run-server.ts'
import { openCluster, type ServedCluster } from './world.ts'

/** Runs until the process gets a signal to end. Throws {@link InputError}. */
export const runMesh = (io: Io, args: MeshArgs): Promise<number> =>
  runServer(io, args, (starting) => start(args, starting))

async function start(args: MeshArgs, { io, log, metrics: registry, atEnd }: Starting): Promise<Started> {
  const ports = { port: readPort(args, 'port', 8443), healthPort: readPort(args, 'health-port', 9090) }
  const host = args.value('host')
  const ruleIds = REGISTRY.rules.map(({ id }) => id)
  const { settings } = await loadProject(io, { named: args.value('config'), ruleIds, readsFiles: false })
  const { apiGroups, podTemplates } = settings
  const names = apiNames(apiGroups)
  const cluster = await openCluster(io, args, args.has('standalone'))
  const file = args.value('state')
  if (cluster.cluster && file !== undefined)
    throw new InputError(`--state ${file} needs --standalone: in a cluster the configuration is in a ConfigMap`)
  const backing = await (cluster.cluster
    ? openInCluster(cluster.cluster, cluster, { names, log })
    : openAlone(io, args, { names, log }))
  atEnd(backing.stop)
  const { api, apiService, tls } = meshNames({ apiGroups })
  const { ownCluster } = cluster
  const keptIn = cluster.cluster ? undefined : authorityFile(stateFile(io, args))
  const certificate = await openCertificate(io, args, {
    ...{ log, metrics: registry, keptIn },
    shared: ownCluster && {
      kubeconfig: ownCluster,
      service: api,
      secret: tls,
      configurations: { apiServices: [apiService] },
    },
  })
  atEnd(certificate.stop)
  const notReady = () => certificate.notReady() ?? backing.notReady()
  const metrics = createMeshMetrics(registry)
  backing.register(registry)
  const options = {
    ...{ names, choices: settings, podTemplates, log, metrics, notReady, version: VERSION },
    ...backing.options,
    onChange(change: AuditedChange) {
      metrics.change()
      backing.options.onChange?.(change)
    },
  }
  const { material } = certificate
  const app = await serve((isClosing) => createMeshApp({ ...options, isClosing }), {
    ...{ host, port: ports.port, material, isAggregated: true },
  }).catch(throwListenError)
  backing.follow(app)
  const health = { host, healthPort: ports.healthPort, metrics: registry, log, notReady }
  const serving = await serveWithHealth(app, health).catch(throwListenError)
  const { port, healthPort } = serving
  return {
    fields: { port, healthPort, host, basePath: basePath(names), ...backing.fields },
    follow() {
      certificate.follow(serving)
      if (certificate.authority !== undefined) io.stderr.write(trustAdvice(certificate.authority, keptIn))
      io.stderr.write(backing.advice)
    },
    stop: () => serving.stop(stopTimes(false)),
    stopped: 'stopped: all requests have been answered',
  }
}

const stateFile = (io: Io, args: MeshArgs): string => resolve(io.cwd, args.value('state') ?? 'mesh-config.json')

/** What stands behind the API: a cluster, or a file. */
type Backing = {
  readonly options: Pick<MeshOptions, 'config' | 'state' | 'onChange'> & { readonly access: Access }
  /** For the log, when it starts. */
  readonly fields: object
  /** For the user, when it starts. */
  readonly advice: string
  notReady(): string | undefined
  /** Registers metrics of what is watched. */
  register(metrics: Metrics): void
  /** Tells the server whom to trust, now and later. */
  follow(serving: Serving): void
  stop(): void
}

type BackingOptions = { readonly names: ApiNames; readonly log: Log }

async function openInCluster(
  kubeconfig: NonNullable<ServedCluster['cluster']>,
  { ownCluster, description }: ServedCluster,
  { names, log }: BackingOptions,
): Promise<Backing> {
  const { systemClock: clock } = await import('../../cluster/client/clock.ts')
  const { createDelegation } = await import('../../cluster/delegation/delegated-access.ts')
  const { openClusterMesh } = await import('./mesh-cluster.ts')
  const namespace = ownCluster ? ownNamespace(names.meshName) : names.meshName
  let serving: Serving | undefined
  let authorities: string | undefined
  const trusting = (next: string | undefined) => {
    authorities = next
    serving?.useClientAuthority(next)
  }
  const delegation = createDelegation({ kubeconfig, clock, log, trusting })
  const { config, state, onChange, ...mesh } = await openClusterMesh(kubeconfig, { names, log, clock, namespace })
  return {
    options: { config, state, onChange, access: delegation.access },
    fields: { cluster: description, namespace },
    advice: '',
    notReady() {
      const problem = delegation.problem()
      return problem === undefined ? mesh.notReady() : `whom to trust: ${problem}`
    },
    register: (metrics) => registerWatches(metrics, mesh.watched),
    follow(next) {
      serving = next
      next.useClientAuthority(authorities)
    },
    stop() {
      delegation.stop()
      mesh.stop()
    },
  }
}

async function openAlone(io: Io, args: MeshArgs, { names, log }: BackingOptions): Promise<Backing> {
  if (!args.has('standalone'))
    throw new InputError(
      'there is no cluster here: write --kubeconfig FILE for one, or --standalone to try the API without one',
    )
  const { token, isPrinted } = readToken(io, args)
  const file = stateFile(io, args)
  const state = openMeshState(file, { names, log })
  return {
    options: { config: state.config, state: NOTHING_RUNS, access: tokenAccess(token) },
    fields: { state: file },
    advice: isPrinted ? `sluice: the token of this run; clients send "Authorization: Bearer TOKEN":\n${token}\n` : '',
    notReady: () => undefined,
    register() {},
    follow() {},
    stop: () => state.close(),
  }
}

/** Fewer characters could be guessed. */
const SHORTEST_TOKEN = 16

/** Reads `--token-file`; without it a token is made. Throws {@link InputError}. */
function readToken(io: Io, args: MeshArgs): { readonly token: string; readonly isPrinted: boolean } {
  const file = args.value('token-file')
  if (file === undefined) return { token: randomBytes(32).toString('base64url'), isPrinted: true }
  const token = opened(resolve(io.cwd, file), file).trim()
  if (!/^[\x21-\x7e]+$/.test(token) || token.length < SHORTEST_TOKEN)
    throw new InputError(`--token-file ${file}: expected one line of at least ${SHORTEST_TOKEN} letters and digits`)
  return { token, isPrinted: false }
}

function opened(path: string, shown: string): string {
  try {
    return readSmallText(path)
  } catch (error) {
    throw new InputError(`--token-file ${shown}: ${describeFileError(error)}`)
  }
}
