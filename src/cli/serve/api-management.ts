/** `sluice serve api-management`: starts the management API and stops it on a signal. */
import { resolve } from 'node:path'
import { hideKeys } from '../../api-management/keys.ts'
import { serveWithHealth } from '../../http/health.ts'
import { REGISTRY, withPolicies } from '../../registry.ts'
import { type ServingManagement, serveManagement } from '../../servers/api-management/app.ts'
import { resolve as resolveName } from '../../servers/api-management/backends/check.ts'
import { createBodyJudge } from '../../servers/api-management/judge.ts'
import { createManagementMetrics } from '../../servers/api-management/metrics.ts'
import { readAssets } from '../../servers/studio/assets.ts'
import { StateFileError } from '../../store/sqlite/open.ts'
import { openSqliteStore, type SqliteStore } from '../../store/sqlite/sqlite-store.ts'
import { InputError, type Io } from '../core/io.ts'
import { loadProject } from '../core/project.ts'
import { VERSION } from '../version/version.ts'
import { openAccess } from './access.ts'
import { authorityFile, openCertificate, trustAdvice } from './certificate.ts'
import { type ApiManagementArgs, isLoopback, readPort } from './flags.ts'
import { nginxPorts, openManagementNginx } from './management-nginx.ts'
import { runServer, type Started, type Starting, stopTimes, throwListenError } from './run-server.ts'
import { STUDIO } from './studio.ts'

/** Runs until the process gets a signal to end. Throws {@link InputError}. */
export const runApiManagement = (io: Io, args: ApiManagementArgs): Promise<number> =>
  runServer(io, args, (starting) => start(args, starting))

async function start(args: ApiManagementArgs, { io, log, metrics, atEnd }: Starting): Promise<Started> {
  const port = readPort(args, 'port', 8443)
  const healthPort = readPort(args, 'health-port', 9090)
  const isPlain = args.has('plain-http')
  const host = args.value('host') ?? (isPlain ? '127.0.0.1' : undefined)
  if (isPlain && !isLoopback(host ?? ''))
    throw new InputError(`--plain-http is for a loopback address such as 127.0.0.1; --host is ${host}`)
  const basePath = readBasePath(args)
  const ruleIds = REGISTRY.rules.map(({ id }) => id)
  const { settings } = await loadProject(io, { named: args.value('config'), ruleIds, readsFiles: false })
  const file = resolve(io.cwd, args.value('state') ?? 'sluice.db')
  const { store } = openState(file)
  atEnd(() => store.close())
  const keptIn = authorityFile(file)
  const certificate = isPlain ? undefined : await openCertificate(io, args, { log, metrics, shared: undefined, keptIn })
  atEnd(() => certificate?.stop())
  const { access, passwords, sessions, refusals, oidc, announce, stop } = await openAccess(io, args, {
    ...{ store, log },
    isEncrypted: !isPlain,
  })
  atEnd(stop)
  let api: ServingManagement | undefined
  const ports = nginxPorts(args)
  const publisher = await openManagementNginx(io, args, {
    ...{ log, host: host ?? '' },
    onEnded: () => void api?.verify(),
    onRestarted: () => api?.publishAll(),
  })
  api = await serveManagement({
    ...{ host, port, basePath, log, store, version: VERSION, wallClock: Date.now },
    ...{ access, passwords, sessions, oidc, publisher },
    judge: createBodyJudge({ ...withPolicies(REGISTRY, settings), settings }),
    metrics: createManagementMetrics(metrics, { store, sessions, refusals }),
    material: certificate?.material,
    network: { isLoopbackOnly: isLoopback(host ?? ''), ports: () => ports, addressesOf: resolveName },
    studio: readAssets(STUDIO, 'management'),
  }).catch(async (error: unknown) => {
    await publisher?.stop()
    return throwListenError(error)
  })
  const serving = await serveWithHealth(api, { host, healthPort, metrics, log, notReady: () => undefined }).catch(
    throwListenError,
  )
  ports.push(serving.port, serving.healthPort)
  const scheme = isPlain ? 'http' : 'https'
  return {
    fields: { port: serving.port, healthPort: serving.healthPort, host, scheme, basePath, state: file },
    follow() {
      serving.publishAll()
      certificate?.follow(serving)
      if (certificate?.authority !== undefined) io.stderr.write(trustAdvice(certificate.authority, keptIn))
      announce()
      io.stderr.write(`sluice: the page is at ${pageAt({ scheme, host, port: serving.port })}${basePath}/\n`)
    },
    stop: () => serving.stop(stopTimes(false)),
    stopped: 'stopped: all requests have been answered',
  }
}

type Listening = { readonly scheme: string; readonly host: string | undefined; readonly port: number }

/** Where a browser on this machine finds what listens there. */
function pageAt({ scheme, host, port }: Listening): string {
  const isEverywhere = host === undefined || host === '0.0.0.0' || host === '::'
  const name = isEverywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `${scheme}://${name}:${port}`
}

/** Reads `--base-path`: empty, or with a slash at its start and none at its end. Throws {@link InputError}. */
function readBasePath(args: ApiManagementArgs): string {
  const text = (args.value('base-path') ?? '').replace(/\/$/, '')
  if (text === '' || /^(?:\/[A-Za-z0-9._~-]+)+$/.test(text)) return text
  throw new InputError(`--base-path must be a path such as /api/acm/v1; got "${text}"`)
}

function openState(file: string): SqliteStore {
  try {
    return openSqliteStore(file, { hideKeys, onThread: true })
  } catch (error) {
    if (error instanceof StateFileError) throw new InputError(error.message)
    throw error
  }
}
