/** The webhook: AdmissionReviews in, responses out. Built apart from listening. */
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express'
import { ClientGone, readJsonBody } from '../../http/body.ts'
import { HttpError, sendJson, sendStatus } from '../../http/http-error.ts'
import type { Log } from '../../http/log.ts'
import type { Metrics } from '../../http/metrics.ts'
import { endOfTurn } from '../../http/turn.ts'
import type { ClusterView } from '../../world/world.ts'
import { patchObject } from './mutate.ts'
import { createNumbers, type Numbers, type Outcome } from './numbers.ts'
import { observe } from './observe.ts'
import { type AdmissionResponse, observationResponse, patchResponse, reviewOf, verdictResponse } from './response.ts'
import { type Review, readReview } from './review.ts'
import type { Reviewer, RuleFault } from './reviewer.ts'
import { decide } from './verdict.ts'

/** Bytes: an object and its previous version travel together. */
const LARGEST_BODY = 7 * 1024 * 1024

export type AdmissionOptions = {
  /** The reviewer of the settings in force; replaced after they have changed. */
  reviewer(): Reviewer
  /** What is known of the cluster now. */
  world(): ClusterView
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

/** Builds `POST /validate`, `/mutate` and `/observe`. */
export function createAdmissionApp(options: AdmissionOptions): Express {
  const numbers = createNumbers(options.metrics, options.world)
  const handlers: Readonly<Record<string, Handler>> = {
    '/validate': (review) => validate(review, options, numbers),
    '/mutate': (review) => mutate(review, options),
    '/observe': (review) => observeChange(review, options, numbers),
  }
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  for (const [path, handler] of Object.entries(handlers))
    app
      .route(path)
      .post(reviewing(path, handler, options, numbers))
      .all(onlyPost)
  app.use((request) => {
    throw new HttpError(404, `not found: ${request.path}; send reviews to ${Object.keys(handlers).join(', ')}`)
  })
  app.use(failing(options.log, numbers))
  return app
}

const onlyPost: RequestHandler = (request, response) => {
  response.setHeader('allow', 'POST')
  throw new HttpError(405, `${request.method} is not allowed; send reviews with POST`)
}

function reviewing(path: string, handler: Handler, options: AdmissionOptions, numbers: Numbers): RequestHandler {
  return async (request: Request, response: Response) => {
    const body = await readJsonBody(request, LARGEST_BODY)
    const begun = options.now()
    const review = readReview(body)
    const { admission, outcome, faults } = guarded(handler, review)
    await endOfTurn()
    if (options.isClosing()) response.setHeader('connection', 'close')
    sendJson(response, 200, reviewOf(admission))
    numbers.review({ path, operation: review.operation, outcome, seconds: (options.now() - begun) / 1000 })
    report({ path, review, admission, outcome, faults }, options.log, numbers)
  }
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

function report({ path, review, admission, outcome, faults }: Reported, log: Log, numbers: Numbers): void {
  const { uid, operation, namespace, name, dryRun } = review
  const what = { path, uid, operation, namespace, name, dryRun, outcome, rules: admission.auditAnnotations }
  for (const { rule, error } of faults) log.error({ ...what, rule, error }, 'a rule failed')
  numbers.faults(faults)
  if (outcome === 'denied' || outcome === 'would_deny') log.info(what, 'denied')
  else log.debug(what, 'allowed')
}

function validate(review: Review, { reviewer, world, wallClock }: AdmissionOptions, numbers: Numbers): Done {
  const view = world()
  const verdict = decide(review, reviewer(), view, wallClock())
  const { allowed, denials, warnings, faults } = verdict
  numbers.findings([...denials, ...warnings])
  const withoutDenial = warnings.length > 0 ? 'warned' : 'allowed'
  const outcome = allowed ? (denials.length > 0 ? 'would_deny' : withoutDenial) : 'denied'
  return { admission: verdictResponse(review, verdict, view), outcome, faults }
}

function mutate(review: Review, { reviewer, world }: AdmissionOptions): Done {
  const { patch, rules, faults } = patchObject(review, reviewer(), world())
  const outcome = patch.length > 0 ? 'patched' : 'allowed'
  return { admission: patchResponse(review, { patch, rules, faults }), outcome, faults }
}

function observeChange(review: Review, { reviewer, world }: AdmissionOptions, numbers: Numbers): Done {
  const observation = observe(review, reviewer(), world())
  const { effects, orphans, faults } = observation
  numbers.findings(effects.map(({ finding }) => finding))
  const outcome = effects.length + orphans.length > 0 ? 'warned' : 'allowed'
  return { admission: observationResponse(review, observation), outcome, faults }
}

/** Sends what went wrong as JSON. A fault in sluice is logged, and its details are not sent. */
function failing(log: Log, numbers: Numbers): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    if (error instanceof ClientGone) return
    const problem = error instanceof HttpError ? error : asProblem(error)
    numbers.requestError(problem.status)
    if (problem.status >= 500) log.error({ path: request.path, error }, 'a review failed')
    else log.debug({ path: request.path, status: problem.status, reason: problem.message }, 'no review')
    sendStatus(response, problem)
  }
}

/** Express describes what is wrong with a URL by a status. */
function asProblem(error: unknown): HttpError {
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500
  if (status >= 400 && status < 500) return new HttpError(status, 'the request cannot be read')
  return new HttpError(500, 'a fault in sluice; its log has the details')
}
