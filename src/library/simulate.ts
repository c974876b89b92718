/** Simulates traffic on the limits of manifests, with the arithmetic of nginx. */

import { isObject } from '../json/member.ts'
import { parseRate } from '../limits/rate.ts'
import type { Source } from '../project/source.ts'
import { type LogStream, simulateLogStream, simulateLogText } from '../simulate/log-text.ts'
import type { SimulationReport } from '../simulate/report/report.ts'
import { prepareSimulation, type Simulation, simulateShape } from '../simulate/simulate.ts'
import { MOST_CLIENTS, MOST_REQUESTS, requestsOf, SHAPES, type Shape, type ShapeName } from '../traffic/shape.ts'
import { parseDuration, shapeTitle } from '../traffic/shape-text.ts'
import { count, type Members, object, oneOf, pattern, problemsOf, record, string, value } from './check.ts'
import { type Input, inContext, inNamespace, readInput, sourcesCheck } from './input.ts'
import { QUERY_OPTIONS, type QueryOptions } from './queries.ts'
import { failure, failureOf, guarded, type Problem, type Result, success, withOptionNames } from './result.ts'

/** How an access log is read. */
type LogOptions = {
  /** The name in messages and in the report. Default: `log`. */
  readonly name?: string | undefined
  /** `combined`, `json` …, or the text of a `log_format`. Default: detected. */
  readonly logFormat?: string | undefined
  /** The fields of JSON lines by variable: `{ remote_addr: 'client.ip' }`. */
  readonly field?: Readonly<Record<string, string>> | undefined
  /** For logs of whole seconds: requests are spread over the second, or all come at its beginning. Default: `even`. */
  readonly spread?: 'even' | 'none' | undefined
  /** The host of all requests, where the log does not have it. */
  readonly host?: string | undefined
}

/** An access log. */
export type LogTraffic = LogOptions & {
  /** A string, or the bytes of a file that is not packed. */
  readonly log: string | Uint8Array
}

/** An access log in parts, which may be larger than memory. */
export type LogStreamTraffic = LogOptions & {
  /** The bytes of a log that is not packed, cut anywhere. Each part is let go before the next one is asked for. */
  readonly chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/** Made-up clients. */
export type ShapeTraffic = {
  readonly clients: number
  /** Of each client: `5r/s`, `30r/m`. */
  readonly rate: string
  /** `60s`, `5m`. */
  readonly for: string
  /** Default: `steady`. */
  readonly shape?: ShapeName | undefined
  /** The time between two bursts of a client, for the shape `burst`. Default: `10s`. */
  readonly burstEvery?: string | undefined
  /** The seed of random numbers. Default: 1. */
  readonly seed?: number | undefined
  readonly method?: string | undefined
  /** With arguments if there are any. Default: `/`. */
  readonly path?: string | undefined
  readonly host?: string | undefined
}

/** What is simulated. */
export type SimulateOptions = QueryOptions & {
  /** `KIND/[NS/]NAME`, also `Proxy/NAME`: all requests go there. */
  readonly route?: string | undefined
  /** `[NS/]NAME`: the Gateway that receives the traffic, where there are several. */
  readonly gateway?: string | undefined
  /** Variables of all requests, with or without `$`: `{ http_x_tenant: 'acme' }`. */
  readonly set?: Readonly<Record<string, string>> | undefined
  /** Another version of the manifests, to compare with. */
  readonly compare?: readonly Source[] | undefined
  /** How many rejected keys the report names of each limit. Default: 10. */
  readonly top?: number | undefined
}

const isIterable = (given: unknown): boolean =>
  typeof given === 'object' && given !== null && (Symbol.asyncIterator in given || Symbol.iterator in given)

const variable = pattern('the name of a variable, such as http_x_tenant', /^\$?\w+$/)
const duration = value(
  'a time such as "60s", "5m" or "1h"',
  (given) => typeof given === 'string' && parseDuration(given) !== undefined,
)

const LOG_OPTIONS = {
  name: string,
  logFormat: string,
  field: record(variable, string),
  spread: oneOf(['even', 'none']),
  host: string,
} as const satisfies Members<keyof LogOptions>

const LOG = {
  ...LOG_OPTIONS,
  log: value('the text of a log', (given) => typeof given === 'string' || given instanceof Uint8Array),
} as const satisfies Members<keyof LogTraffic>

const LOG_STREAM = {
  ...LOG_OPTIONS,
  chunks: value('an iterable of byte arrays', isIterable),
} as const satisfies Members<keyof LogStreamTraffic>

const SHAPE = {
  clients: count(1, MOST_CLIENTS),
  rate: value('a rate such as "5r/s" or "30r/m"', (given) => typeof given === 'string' && rateOf(given) !== undefined),
  for: duration,
  shape: oneOf(SHAPES),
  burstEvery: duration,
  seed: count(0, 2 ** 32 - 1),
  method: string,
  path: string,
  host: string,
} as const satisfies Members<keyof ShapeTraffic>

const SIMULATE_OPTIONS = {
  ...QUERY_OPTIONS,
  route: string,
  gateway: string,
  set: record(variable, string),
  compare: sourcesCheck,
  top: count(0, 10_000),
} as const satisfies Members<keyof SimulateOptions>

/** Thousandths of a request per second. */
function rateOf(text: string): number | undefined {
  const rate = parseRate(text)?.thousandths
  return rate !== undefined && rate >= 1 && rate <= 1e9 ? rate : undefined
}

/**
 * Runs the requests of a log (`{ log }`) or of made-up clients (`{ clients, rate, for }`) through the limits. Manifests
 * that name no namespace are in `default`, as in a cluster. The value is that of `sluice simulate --format json`.
 */
export function simulate(
  sources: readonly Source[],
  traffic: LogTraffic | ShapeTraffic,
  options?: SimulateOptions,
): Result<SimulationReport> {
  return guarded(() => {
    const wrong = problemsOf(
      isLog(traffic) ? object(LOG, ['log']) : object(SHAPE, ['clients', 'rate', 'for']),
      traffic,
      'traffic',
    )
    const prepared = prepareChecked(wrong, sources, traffic, options)
    if (!prepared.ok) return prepared
    return withNames(isLog(traffic) ? runLog(prepared.value, traffic) : runShape(prepared.value, traffic))
  })
}

/**
 * Runs the requests of a log that comes in parts, such as a file that is larger than memory, through the limits. The
 * value is that of {@link simulate} for the whole log. What reading the parts throws is a problem of the result.
 */
export async function simulateStream(
  sources: readonly Source[],
  traffic: LogStreamTraffic,
  options?: SimulateOptions,
): Promise<Result<SimulationReport>> {
  const prepared = guarded(() =>
    prepareChecked(problemsOf(object(LOG_STREAM, ['chunks']), traffic, 'traffic'), sources, traffic, options),
  )
  if (!prepared.ok) return prepared
  let unread: unknown
  const chunks = untilFailure(traffic.chunks, (error) => {
    unread = error
  })
  try {
    const result = await simulateLogStream(prepared.value, { ...logOptions(traffic), chunks })
    if (unread !== undefined)
      return failure({ path: 'traffic.chunks', message: `the log cannot be read: ${reasonOf(unread)}` })
    return withNames(result.ok ? success(result.value.report) : failureOf(result.problem))
  } catch (error) {
    return guarded(() => {
      throw error
    })
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Chunks up to the one that cannot be read. */
async function* untilFailure(chunks: LogStream['chunks'], onFailure: (error: unknown) => void): LogStream['chunks'] {
  try {
    for await (const chunk of chunks) {
      if (!(chunk instanceof Uint8Array)) throw new TypeError('a part of it is not an array of bytes')
      yield chunk
    }
  } catch (error) {
    onFailure(error ?? 'no reason is given')
  }
}

/** Options of the command line in the words of the library. */
const withNames = (result: Result<SimulationReport>): Result<SimulationReport> =>
  result.ok ? success({ ...result.value, warnings: result.value.warnings.map(withOptionNames) }) : result

/** `wrong`: what is wrong with the traffic. */
function prepareChecked(
  wrong: readonly Problem[],
  sources: readonly Source[],
  traffic: Traffic,
  options: SimulateOptions | undefined,
): Result<Simulation> {
  const input = readInput(sources, options, SIMULATE_OPTIONS)
  if (!input.ok) return failure(...wrong, ...input.problems)
  return wrong.length > 0 ? failure(...wrong) : prepare(input.value, options, traffic)
}

type Traffic = LogTraffic | LogStreamTraffic | ShapeTraffic

const isLog = (traffic: LogTraffic | ShapeTraffic): traffic is LogTraffic => isObject(traffic) && 'log' in traffic

/** True where the clients ask for a certain place, and not for whatever there is. */
const isAimed = (traffic: Traffic): boolean =>
  'log' in traffic ||
  'chunks' in traffic ||
  [traffic.path, traffic.host, traffic.method].some((part) => part !== undefined)

function prepare(
  { sources, texts, settings, closedWorld, kustomize, namespace = 'default' }: Input,
  options: SimulateOptions | undefined,
  traffic: Traffic,
): Result<Simulation> {
  const { route, gateway, world, set = {}, compare, top = 10 } = options ?? {}
  const prepared = prepareSimulation(
    {
      sources: { sources: inNamespace(sources, namespace), texts },
      old: compare && { sources: inContext(compare, { namespace, kustomize, texts }), name: 'compare' },
      closedWorld,
      settings,
      route,
      gateway,
      namespace,
      world,
      anywhere: !isAimed(traffic),
    },
    { constants: new Map(Object.entries(set).map(([name, text]) => [variableName(name), text])), top },
  )
  return prepared.ok ? success(prepared.value) : failureOf(prepared.problem, prepared.notJudged)
}

const variableName = (name: string): string => name.replace(/^\$/, '').toLowerCase()

function runLog(simulation: Simulation, { log, ...options }: LogTraffic): Result<SimulationReport> {
  const result = simulateLogText(simulation, { ...logOptions(options), text: log })
  return result.ok ? success(result.value.report) : failureOf(result.problem)
}

function logOptions({ name, logFormat, field = {}, spread, host }: LogOptions) {
  return {
    format: logFormat,
    fields: new Map(Object.entries(field).map(([variable, path]) => [variableName(variable), path])),
    host,
    ...(name === undefined ? {} : { name }),
    ...(spread === undefined ? {} : { spread }),
  }
}

function runShape(simulation: Simulation, traffic: ShapeTraffic): Result<SimulationReport> {
  const { clients, rate, shape = 'steady', burstEvery = '10s', seed = 1, method = 'GET', path = '/', host } = traffic
  const made: Shape = {
    name: shape,
    clients,
    rate: rateOf(rate) ?? 0,
    duration: parseDuration(traffic.for) ?? 0,
    period: parseDuration(burstEvery) ?? 0,
    seed,
  }
  const requests = requestsOf(made)
  if (requests > MOST_REQUESTS)
    return failure({
      path: 'traffic',
      message: `${requests.toLocaleString('en')} requests are more than ${MOST_REQUESTS.toLocaleString('en')}: choose a shorter time, a lower rate or fewer clients`,
    })
  const name = shapeTitle(clients, rate, traffic.for, shape)
  return success(simulateShape(simulation, { shape: made, name, target: { method, host, target: path } }))
}
