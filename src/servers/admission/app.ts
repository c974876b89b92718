/** The webhook: AdmissionReviews in, responses out. Built apart from listening. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import { observe } from '../../admission/observe.ts'
import { type AdmissionResponse, observationResponse, verdictResponse } from '../../admission/response.ts'
import type { Review } from '../../admission/review.ts'
import type { Reviewer, RuleFault } from '../../admission/reviewer.ts'
import { decide } from '../../admission/verdict.ts'
import { type BodyBudget, ClientGone, createBodyBudget, useJsonBody } from '../../http/body.ts'
import { HttpError, sendJson, sendStatus } from '../../http/http-error.ts'
import type { Log } from '../../http/log.ts'
import type { Metrics } from '../../http/metrics.ts'
import { createQueue, endOfTurn, type Queue } from '../../http/turn.ts'
import type { ClusterView } from '../../world/world.ts'
import { injectPod, type MeshView } from './inject-pod.ts'
import { type AdmissionMetrics, createAdmissionMetrics, type Outcome } from './metrics.ts'
import { patchObject } from './mutate.ts'
import { injectionResponse, patchResponse, reviewText } from './response.ts'
import { readReview } from './review.ts'

/** Bytes: an object and its previous version travel together. */
const LARGEST_BODY = 7 * 1024 * 1024

/**
 * Bytes of all bodies in flight: eight of the largest, or thousands of usual ones. An eighth of the memory that the
 * manifests allow a replica, which needs less than half of that for the objects of a large cluster, and the rest for
 * what one review makes of its body.
 */
const BODY_BUDGET = 64 * 1024 * 1024

/** Bytes. Larger bodies are judged one after the other, since each can need many times its size while it is judged. */
const LARGE_BODY = 256 * 1024

export type AdmissionOptions = {
  /** The reviewer of the settings in force; replaced after they have changed. */
  reviewer(): Reviewer
  /** What is known of the cluster now. */
  world(): ClusterView
  /** What is known of the service mesh now; undefined where its sidecar is not injected. */
  readonly mesh?: (() => MeshView) | undefined
  readonly log: Log
  readonly metrics: Metrics
  /** Milliseconds of a clock that never goes back. */
  now(): number
  /** Milliseconds since 1970. */
  wallClock(): number
  /** True while the process is about to end: clients should connect to another replica. */
  isClosing(): boolean
}

/** One review with its response. */
type Done = { readonly admission: AdmissionResponse; readonly outcome: Outcome; readonly faults: readonly RuleFault[] }

type Handler = (review: Review) => Done

/**
 * Builds `POST /validate`, `/mutate` and `/observe`, with a mesh `/mutate-mesh-pods` as well. A review goes straight to its
 * handler: Express would take a tenth of its time. Everything else is an error, which Express answers.
 */
export function createAdmissionApp(options: AdmissionOptions): RequestListener {
  const budget = createBodyBudget(BODY_BUDGET)
  const inQueue = createQueue()
  const metrics = createAdmissionMetrics(options.metrics, { world: options.world, bodyBytes: budget.held })
  const { mesh } = options
  const handlers = new Map<string, Handler>([
    ['/validate', (review) => validate(review, options, metrics)],
    ['/mutate', (review) => mutate(review, options)],
    ['/observe', (review) => observeChange(review, options, metrics)],
  ])
  if (mesh) handlers.set('/mutate-mesh-pods', (review) => addSidecar(review, mesh(), options))
  const fail = failing(options.log, metrics)
  const others = createErrorApp([...handlers.keys()], fail)
  return (request, response) => {
    const path = pathOf(request.url)
    const handler = request.method === 'POST' ? handlers.get(path) : undefined
    if (!handler) others(request, response)
    else
      answer({ path, handler, request, response, budget, inQueue }, options, metrics).catch((error: unknown) =>
        fail(error, path, response),
      )
  }
}

/** The API server adds its timeout: `/validate?timeout=10s`. */
function pathOf(url = ''): string {
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}

/** Refuses every request that is no review. */
function createErrorApp(paths: readonly string[], fail: Fail): RequestListener {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('strict routing')
  app.enable('case sensitive routing')
  app.all([...paths], onlyPost)
  app.use((request) => {
    throw new HttpError(404, `not found: ${request.path}; send reviews to ${paths.join(', ')}`)
  })
  const onError: ErrorRequestHandler = (error: unknown, request, response, _next) => fail(error, request.path, response)
  app.use(onError)
  return app
}

const onlyPost: RequestHandler = (request, response) => {
  response.setHeader('allow', 'POST')
  throw new HttpError(405, `${request.method} is not allowed; send reviews with POST`)
}

type Asked = {
  readonly path: string
  readonly handler: Handler
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly budget: BodyBudget
  readonly inQueue: Queue
}

function answer(asked: Asked, options: AdmissionOptions, metrics: AdmissionMetrics): Promise<void> {
  const { request, budget, inQueue } = asked
  return useJsonBody(request, { limit: LARGEST_BODY, budget }, (body) =>
    body.length > LARGE_BODY
      ? inQueue(() => respond(body, asked, options, metrics))
      : respond(body, asked, options, metrics),
  )
}

async function respond(
  body: Buffer,
  { path, handler, response }: Asked,
  options: AdmissionOptions,
  metrics: AdmissionMetrics,
): Promise<void> {
  const begun = options.now()
  const review = readReview(body)
  const { admission, outcome, faults } = guarded(handler, review)
  await endOfTurn()
  if (options.isClosing()) response.setHeader('connection', 'close')
  sendJson(response, 200, reviewText(admission))
  metrics.review({ path, operation: review.operation, outcome, seconds: (options.now() - begun) / 1000 })
  report({ path, review, admission, outcome, faults }, options.log, metrics)
}

/** An object that is nested too deeply for the stack cannot be read. */
function guarded(handler: Handler, review: Review): Done {
  try {
    return handler(review)
  } catch (error) {
    if (error instanceof RangeError) throw new HttpError(400, 'the object is nested too deeply')
    throw error
  }
}

type Reported = Done & { readonly path: string; readonly review: Review }

function report({ path, review, admission, outcome, faults }: Reported, log: Log, metrics: AdmissionMetrics): void {
  const { uid, operation, namespace, name, dryRun } = review
  const what = { path, uid, operation, namespace, name, dryRun, outcome, rules: admission.auditAnnotations }
  for (const { rule, error } of faults) log.error({ ...what, rule, error }, 'a rule failed')
  metrics.faults(faults)
  if (outcome === 'denied' || outcome === 'would_deny') log.info(what, 'denied')
  else log.debug(what, 'allowed')
}

function validate(review: Review, { reviewer, world, wallClock }: AdmissionOptions, metrics: AdmissionMetrics): Done {
  const view = world()
  const verdict = decide(review, reviewer(), view, wallClock())
  const { allowed, denials, warnings, faults } = verdict
  metrics.findings([...denials, ...warnings])
  const withoutDenial = warnings.length > 0 ? 'warned' : 'allowed'
  const outcome = allowed ? (denials.length > 0 ? 'would_deny' : withoutDenial) : 'denied'
  return { admission: verdictResponse(review, verdict, view), outcome, faults }
}

function mutate(review: Review, { reviewer, world }: AdmissionOptions): Done {
  const { patch, rules, faults } = patchObject(review, reviewer(), world())
  const outcome = patch.length > 0 ? 'patched' : 'allowed'
  return { admission: patchResponse(review, { patch, rules, faults }), outcome, faults }
}

function addSidecar(review: Review, mesh: MeshView, { world, log }: AdmissionOptions): Done {
  const injection = injectPod(review, mesh, world())
  const { patch, problems } = injection
  const { uid, namespace, name } = review
  if (problems.length > 0) log.warn({ uid, namespace, name, problems }, 'a Pod is created without its sidecar')
  const outcome = patch.length > 0 ? 'patched' : problems.length > 0 ? 'warned' : 'allowed'
  return { admission: injectionResponse(review, injection), outcome, faults: [] }
}

function observeChange(review: Review, { reviewer, world }: AdmissionOptions, metrics: AdmissionMetrics): Done {
  const observation = observe(review, reviewer(), world())
  const { effects, orphans, faults } = observation
  metrics.findings(effects.map(({ finding }) => finding))
  const outcome = effects.length + orphans.length > 0 ? 'warned' : 'allowed'
  return { admission: observationResponse(review, observation), outcome, faults }
}

type Fail = (error: unknown, path: string, response: ServerResponse) => void

/** Sends what went wrong as JSON. A fault in sluice is logged, and its details are not sent. */
function failing(log: Log, metrics: AdmissionMetrics): Fail {
  return (error, path, response) => {
    if (error instanceof ClientGone) return
    const problem = error instanceof HttpError ? error : asProblem(error)
    metrics.requestError(problem.status)
    if (problem.status === 503) log.warn({ path, reason: problem.message }, 'a review was refused')
    else if (problem.status >= 500) log.error({ path, error }, 'a review failed')
    else log.debug({ path, status: problem.status, reason: problem.message }, 'no review')
    sendStatus(response, problem)
  }
}

/** Express describes what is wrong with a URL by a status. */
function asProblem(error: unknown): HttpError {
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500
  if (status >= 400 && status < 500) return new HttpError(status, 'the request cannot be read')
  return new HttpError(500, 'a fault in sluice; its log has the details')
}
