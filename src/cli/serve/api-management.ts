/** `sluice serve api-management`: starts the management API and stops it on a signal. */
import { resolve } from 'node:path'
import { serveHealth } from '../../http/health.ts'
import { createLog } from '../../http/log.ts'
import { createMetrics } from '../../http/metrics.ts'
import { REGISTRY } from '../../registry.ts'
import { createBodyJudge } from '../../servers/api-management/judge.ts'
import { createManagementMetrics } from '../../servers/api-management/metrics.ts'
import { type ServingManagement, serveManagement } from '../../servers/api-management/serve.ts'
import { readAssets } from '../../servers/studio/assets.ts'
import { StateFileError } from '../../store/sqlite/open.ts'
import { openSqliteStore, type SqliteStore } from '../../store/sqlite/sqlite-store.ts'
import { EXIT, InputError, type Io } from '../core/io.ts'
import { loadProject } from '../core/project.ts'
import { VERSION } from '../version/version.ts'
import { openAccess } from './access.ts'
import { openCertificate, trustAdvice } from './certificate.ts'
import { nextSignal, throwListenError } from './ending.ts'
import { type ApiManagementArgs, isLoopback, readPort } from './flags.ts'
import { openManagementNginx } from './management-nginx.ts'
import { STUDIO } from './studio.ts'

/** Runs until the process gets a signal to end. Throws {@link InputError}. */
export async function runApiManagement(io: Io, args: ApiManagementArgs): Promise<number> {
  const port = readPort(args, 'port', 8443)
  const healthPort = readPort(args, 'health-port', 9090)
  const isPlain = args.has('plain-http')
  const host = args.value('host') ?? (isPlain ? '127.0.0.1' : undefined)
  if (isPlain && !isLoopback(host ?? ''))
    throw new InputError(`--plain-http is for a loopback address such as 127.0.0.1; --host is ${host}`)
  const basePath = readBasePath(args)
  const log = createLog((line) => io.stdout.write(line, 'json'), args.has('verbose') ? 'debug' : 'info')
  const ruleIds = REGISTRY.rules.map(({ id }) => id)
  const { settings } = await loadProject(io, { named: args.value('config'), ruleIds, readsFiles: false })
  const file = resolve(io.cwd, args.value('state') ?? 'sluice.db')
  const { store } = openState(file)
  let isClosing = false
  try {
    const certificate = isPlain ? undefined : await openCertificate(io, args, { log, shared: undefined })
    const { access, passwords, sessions, announce, stop } = await openAccess(io, args, {
      ...{ store, log },
      isEncrypted: !isPlain,
    })
    const metrics = createMetrics(VERSION)
    let serving: ServingManagement | undefined
    const publisher = await openManagementNginx(io, args, { host: host ?? '', restarted: () => serving?.publishAll() })
    serving = await serveManagement({
      ...{ host, port, basePath, log, store, version: VERSION, wallClock: Date.now },
      judge: createBodyJudge({ ...REGISTRY, settings }),
      metrics: createManagementMetrics(metrics, store, sessions),
      material: certificate?.material,
      access,
      passwords,
      sessions,
      studio: readAssets(STUDIO, 'management'),
      publisher,
    }).catch(async (error: unknown) => {
      await publisher?.stop()
      return throwListenError(error)
    })
    const notReady = () => (isClosing ? 'shutting down' : undefined)
    const health = await serveHealth({ host, port: healthPort }, { metrics, notReady }).catch(
      async (error: unknown) => {
        await serving?.stop(0)
        return throwListenError(error)
      },
    )
    const scheme = isPlain ? 'http' : 'https'
    log.info({ port: serving.port, healthPort: health.port, host, scheme, basePath, state: file }, 'listening')
    certificate?.follow(serving)
    if (certificate?.authority !== undefined) io.stderr.write(trustAdvice(certificate.authority))
    announce()
    io.stderr.write(`sluice: the page is at ${pageAt({ scheme, host, port: serving.port })}${basePath}/\n`)
    io.onWork?.()
    log.info({ signal: await nextSignal() }, 'shutting down')
    isClosing = true
    await serving.stop(GRACE)
    await health.stop()
    certificate?.stop()
    stop()
  } finally {
    await store.close()
  }
  log.info({}, 'stopped: all requests have been answered')
  return EXIT.clean
}

type Listening = { readonly scheme: string; readonly host: string | undefined; readonly port: number }

/** Where a browser on this machine finds what listens there. */
function pageAt({ scheme, host, port }: Listening): string {
  const isEverywhere = host === undefined || host === '0.0.0.0' || host === '::'
  const name = isEverywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `${scheme}://${name}:${port}`
}

/** Milliseconds until the requests in progress must have been answered. */
const GRACE = 15_000

/** Reads `--base-path`: empty, or with a slash at its start and none at its end. Throws {@link InputError}. */
function readBasePath(args: ApiManagementArgs): string {
  const text = (args.value('base-path') ?? '').replace(/\/$/, '')
  if (text === '' || /^(?:\/[A-Za-z0-9._~-]+)+$/.test(text)) return text
  throw new InputError(`--base-path must be a path such as /api/acm/v1; got "${text}"`)
}

function openState(file: string): SqliteStore {
  try {
    return openSqliteStore(file)
  } catch (error) {
    if (error instanceof StateFileError) throw new InputError(error.message)
    throw error
  }
}
