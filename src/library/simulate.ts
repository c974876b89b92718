/** Simulates traffic on the limits of manifests, with the arithmetic of nginx. */

import { isObject } from '../json/member.ts'
import { parseRate } from '../limits/rate.ts'
import type { Source } from '../project/source.ts'
import type { SimulationReport } from '../simulate/report/report.ts'
import { prepareSimulation, type Simulation, simulateLogText, simulateShape } from '../simulate/simulate.ts'
import { MOST_CLIENTS, SHAPES, type ShapeName } from '../traffic/shape.ts'
import { parseDuration, shapeTitle } from '../traffic/shape-text.ts'
import { count, type Members, object, oneOf, pattern, problemsOf, record, string, value } from './check.ts'
import { type Input, inContext, inNamespace, readInput, sourcesCheck } from './input.ts'
import { QUERY_OPTIONS, type QueryOptions } from './queries.ts'
import { failure, failureOf, guarded, type Result, success, withOptionNames } from './result.ts'

/** An access log. */
export type LogTraffic = {
  /** A string, or the bytes of a file that is not packed. */
  readonly log: string | Uint8Array
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

const variable = pattern('the name of a variable, such as http_x_tenant', /^\$?\w+$/)
const duration = value(
  'a time such as "60s", "5m" or "1h"',
  (given) => typeof given === 'string' && parseDuration(given) !== undefined,
)

const LOG = {
  log: value('the text of a log', (given) => typeof given === 'string' || given instanceof Uint8Array),
  name: string,
  logFormat: string,
  field: record(variable, string),
  spread: oneOf(['even', 'none']),
  host: string,
} as const satisfies Members<keyof LogTraffic>

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
    const input = readInput(sources, options, SIMULATE_OPTIONS)
    if (!input.ok) return failure(...wrong, ...input.problems)
    if (wrong.length > 0) return failure(...wrong)
    const prepared = prepare(input.value, options, traffic)
    if (!prepared.ok) return prepared
    const report = isLog(traffic) ? runLog(prepared.value, traffic) : runShape(prepared.value, traffic)
    return report.ok ? success({ ...report.value, warnings: report.value.warnings.map(withOptionNames) }) : report
  })
}

const isLog = (traffic: LogTraffic | ShapeTraffic): traffic is LogTraffic => isObject(traffic) && 'log' in traffic

/** True where the clients ask for a certain place, and not for whatever there is. */
const isAimed = (traffic: LogTraffic | ShapeTraffic): boolean =>
  isLog(traffic) || [traffic.path, traffic.host, traffic.method].some((part) => part !== undefined)

function prepare(
  { sources, settings, closedWorld, kustomize, namespace = 'default' }: Input,
  options: SimulateOptions | undefined,
  traffic: LogTraffic | ShapeTraffic,
): Result<Simulation> {
  const { route, gateway, world, set = {}, compare, top = 10 } = options ?? {}
  const prepared = prepareSimulation(
    {
      sources: inNamespace(sources, namespace),
      old: compare && { sources: inContext(compare, { namespace, kustomize }), name: 'compare' },
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

function runLog(
  simulation: Simulation,
  { log, name, logFormat, field = {}, spread, host }: LogTraffic,
): Result<SimulationReport> {
  const fields = new Map(Object.entries(field).map(([variable, path]) => [variableName(variable), path]))
  const result = simulateLogText(simulation, {
    text: log,
    format: logFormat,
    fields,
    host,
    ...(name === undefined ? {} : { name }),
    ...(spread === undefined ? {} : { spread }),
  })
  return result.ok ? success(result.value.report) : failureOf(result.problem)
}

function runShape(simulation: Simulation, traffic: ShapeTraffic): Result<SimulationReport> {
  const { clients, rate, shape = 'steady', burstEvery = '10s', seed = 1, method = 'GET', path = '/', host } = traffic
  return success(
    simulateShape(simulation, {
      shape: {
        name: shape,
        clients,
        rate: rateOf(rate) ?? 0,
        duration: parseDuration(traffic.for) ?? 0,
        period: parseDuration(burstEvery) ?? 0,
        seed,
      },
      name: shapeTitle(clients, rate, traffic.for, shape),
      target: { method, host, target: path },
    }),
  )
}
