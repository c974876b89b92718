/** The webhook: AdmissionReviews in, responses out. Built apart from listening. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { observe } from '../../admission/observe.ts'
import {
  type AdmissionResponse,
  annotations,
  observationResponse,
  shortened,
  verdictResponse,
  warningsMember,
} from '../../admission/response.ts'
import type { Review } from '../../admission/review.ts'
import type { Reviewer, RuleFault } from '../../admission/reviewer.ts'
import { decide } from '../../admission/verdict.ts'
import type { PatchOperation } from '../../engine/rule.ts'
import { asHttpError, createApp, endRoutes } from '../../http/app.ts'
import { type BodyBudget, ClientGone, createBodyBudget, useJsonBody } from '../../http/body.ts'
import { HttpError, sendJson, sendStatus } from '../../http/http-error.ts'
import type { Log } from '../../http/log.ts'
import type { Metrics } from '../../http/metrics.ts'
import { createQueue, endOfTurn, type Queue } from '../../http/turn.ts'
import type { PodAdmission } from '../../mesh/inject/admit.ts'
import { leftAlone } from '../../mesh/inject/left-alone.ts'
import type { ClusterView } from '../../world/world.ts'
import { injectPod, type MeshView } from './inject-pod.ts'
import { type AdmissionMetrics, createAdmissionMetrics, type Outcome } from './metrics.ts'
import { type Patching, patchObject } from './mutate.ts'
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
  const metrics = createAdmissionMetrics(options.metrics, {
    ...{ mesh: options.mesh !== undefined, world: options.world, bodyBytes: budget.held },
  })
  const { mesh } = options
  const handlers = new Map<string, Handler>([
    ['/validate', (review) => validate(review, options, metrics)],
    ['/mutate', (review) => mutate(review, options)],
    ['/observe', (review) => observeChange(review, options, metrics)],
  ])
  if (mesh) handlers.set('/mutate-mesh-pods', (review) => addSidecar(review, mesh(), options, metrics))
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
  const app = createApp()
  app.enable('strict routing')
  app.all([...paths], ({ method }) => {
    throw new HttpError(405, `${method} is not allowed; send reviews with POST`, { headers: { allow: 'POST' } })
  })
  return endRoutes(app, {
    notFound: ({ path }) => `not found: ${path}; send reviews to ${paths.join(', ')}`,
    fail: (error, { path }, response) => fail(error, path, response),
  })
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

function addSidecar(review: Review, mesh: MeshView, options: AdmissionOptions, metrics: AdmissionMetrics): Done {
  const injection = injectedOrLeft(review, mesh, options)
  const { patch, left } = injection
  const { uid, namespace = '', name, dryRun, object: pod } = review
  if (left.length > 0) {
    const problems = left.map(({ message }) => message)
    options.log.warn(
      { uid, namespace, name, reason: left[0]?.reason, problems },
      'a Pod is created without its sidecar',
    )
  }
  for (const { reason, message } of left.slice(0, 1)) {
    metrics.leftAlone(reason)
    if (pod && !dryRun) mesh.tell?.({ pod, namespace, reason, message })
  }
  const outcome = patch.length > 0 ? 'patched' : left.length > 0 ? 'warned' : 'allowed'
  return { admission: injectionResponse(review, injection), outcome, faults: [] }
}

/** Whatever is wrong with sluice is no reason to keep a Pod from anybody. */
function injectedOrLeft(review: Review, mesh: MeshView, { world, reviewer, log }: AdmissionOptions): PodAdmission {
  try {
    return injectPod(review, mesh, { view: world(), choices: reviewer().settings })
  } catch (error) {
    log.error({ uid: review.uid, error }, 'a sidecar could not be added')
    return { patch: [], left: [leftAlone('fault')] }
  }
}

function observeChange(
  review: Review,
  { reviewer, world, wallClock }: AdmissionOptions,
  metrics: AdmissionMetrics,
): Done {
  const observation = observe(review, reviewer(), world(), wallClock())
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
    const problem = asHttpError(error)
    metrics.requestError(problem.status)
    if (problem.status === 503) log.warn({ path, reason: problem.message }, 'a review was refused')
    else if (problem.status >= 500) log.error({ path, error }, 'a review failed')
    else log.debug({ path, status: problem.status, reason: problem.message }, 'no review')
    sendStatus(response, problem)
  }
}

/** The response in its review, as JSON. */
const reviewText = (response: AdmissionResponse): string => `${REVIEW_START}${JSON.stringify(response)}}`

const REVIEW_START = '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":'

/** The response that carries the patch. */
function patchResponse({ uid }: Review, { patch, rules }: Patching): AdmissionResponse {
  if (patch.length === 0) return { uid, allowed: true }
  return {
    uid,
    allowed: true,
    ...patchMembers(patch),
    ...annotations({ patched: rules }),
  }
}

/** The response that adds the sidecar of the mesh, or warns that it does not. */
function injectionResponse({ uid }: Review, { patch, left }: PodAdmission): AdmissionResponse {
  if (patch.length > 0) return { uid, allowed: true, ...patchMembers(patch) }
  return { uid, allowed: true, ...warningsMember(left.map(({ message }) => shortened(`no sidecar: ${message}`))) }
}

const patchMembers = (patch: readonly PatchOperation[]): Pick<AdmissionResponse, 'patchType' | 'patch'> => ({
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
})
