/** A worker of `--workers`: serves reviews with what the primary process sends it, and ends when that one ends. */

import { createReviewer, type Reviewer } from '../../admission/reviewer.ts'
import type { Serving, StopTimes, TlsIdentity } from '../../http/listen.ts'
import { createLog } from '../../http/log.ts'
import { createMetrics, type Metrics, type MetricsSnapshot } from '../../http/metrics.ts'
import { REGISTRY, withPolicies } from '../../registry.ts'
import { serveReviews } from '../../servers/admission/serve.ts'
import type { ProjectSettings } from '../../settings/settings.ts'
import { systemErrorCode } from '../../text/system-error.ts'
import { EXIT, InputError, type Io } from '../core/io.ts'
import { VERSION } from '../version/version.ts'
import type { AdmissionArgs } from './flags.ts'
import { type ServedMeshConfig, watchMeshConfig } from './mesh-config.ts'
import { openCluster, type ServedWorld, watchWorld } from './world.ts'

/** What a worker serves with. */
export type WorkerState = {
  /** 0: a free one, the same for all workers. */
  readonly port: number
  readonly identity: TlsIdentity
  readonly project: ProjectSettings
}

/** What the primary process sends to a worker. A later state replaces the one before, but for the port. */
export type ToWorker =
  | { readonly kind: 'state'; readonly state: WorkerState }
  | { readonly kind: 'measure' }
  | { readonly kind: 'stop'; readonly times: StopTimes }

/** What a worker sends to the primary process. It listens to the primary from `started` on. */
export type FromWorker =
  | { readonly kind: 'started' }
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'log'; readonly line: string }
  | { readonly kind: 'metrics'; readonly metrics: MetricsSnapshot }
  | { readonly kind: 'failed'; readonly failure: Failure }

/** Why a worker cannot serve; `code` and `port` are those of an error of `net`. */
export type Failure = { readonly message: string; readonly code?: string | undefined; readonly port?: unknown }

/** Serves until the primary process says that it is enough. */
export async function runWorker(io: Io, args: AdmissionArgs): Promise<number> {
  // A signal to the whole process group is the primary's to answer: it says when a worker is to stop.
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => {})
  const metrics = createMetrics(VERSION)
  let worker: Promise<Started> | undefined
  await new Promise<void>((resolve) => {
    const take = async (message: ToWorker) => {
      if (message.kind === 'measure') await send({ kind: 'metrics', metrics: await metrics.getMetricsAsJSON() })
      else if (message.kind === 'stop') {
        const started = await worker
        await started?.reviews.stop(message.times)
        started?.world.stop()
        started?.mesh?.stop()
        resolve()
      } else if (worker) (await worker).use(message.state)
      else {
        worker = start(io, args, { state: message.state, metrics })
        await send({ kind: 'listening', port: (await worker).reviews.port })
      }
    }
    process.on('message', (message: ToWorker) => {
      take(message).catch(async (error: unknown) => {
        await send({ kind: 'failed', failure: failureOf(error) })
        resolve()
      })
    })
    void send({ kind: 'started' })
  })
  process.disconnect?.()
  return EXIT.clean
}

type Started = {
  readonly world: ServedWorld
  readonly mesh: ServedMeshConfig | undefined
  readonly reviews: Serving
  use(state: WorkerState): void
}

type StartOptions = { readonly state: WorkerState; readonly metrics: Metrics }

async function start(io: Io, args: AdmissionArgs, { state, metrics }: StartOptions): Promise<Started> {
  const cluster = await openCluster(io, args, args.has('standalone'))
  const { settings } = state.project
  const log = createLog((line) => void send({ kind: 'log', line }), args.has('verbose') ? 'debug' : 'info')
  let reviewer: Reviewer = createReviewer(state.project, withPolicies(REGISTRY, state.project.settings))
  const world = await watchWorld(cluster, { settings, metrics, log, reviewer: () => reviewer })
  const mesh = await watchMeshConfig(args, cluster, { settings, log })
  const reviews = await serveReviews({
    host: args.value('host'),
    port: state.port,
    material: state.identity,
    clientAuthority: state.identity.ca,
    reviewer: () => reviewer,
    world: world.view,
    mesh: mesh?.view,
    log,
    metrics,
    now: () => performance.now(),
    wallClock: Date.now,
  })
  return {
    world,
    mesh,
    reviews,
    use({ identity, project }) {
      reviewer = createReviewer(project, withPolicies(REGISTRY, project.settings))
      reviews.useCertificate(identity)
      if (identity.ca !== undefined) reviews.useClientAuthority(identity.ca)
    },
  }
}

/** Resolves when the message has been sent. A primary process that has ended gets no more: this one is about to end too. */
const send = (message: FromWorker): Promise<void> =>
  new Promise((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve())
    else resolve()
  })

function failureOf(error: unknown): Failure {
  const text = error instanceof Error && !(error instanceof InputError) ? error.stack : undefined
  const message = text ?? (error instanceof Error ? error.message : String(error))
  const port = error instanceof Error && 'port' in error ? error.port : undefined
  return { message, code: systemErrorCode(error), port }
}
