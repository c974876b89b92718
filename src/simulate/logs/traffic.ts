/** The traffic of a simulation: logs, or a shape. */
import type { VariablePlatform } from '../../nginx/variables.ts'
import { openLog } from '../../traffic/log.ts'
import type { Shape } from '../../traffic/shape.ts'
import type { Variables } from '../../traffic/variables.ts'
import type { Plan } from '../core/plan.ts'
import type { PlanRun } from '../core/run-plan.ts'
import type { TrafficOutcome } from '../report/report.ts'
import { type ShapedTarget, shapeBatches, shapeVariables } from '../scenario/shape-batches.ts'
import { type Logs, type Reading, readLogs } from './logs.ts'

/** Requests that were logged. */
export type LogTraffic = Logs & {
  readonly type: 'log'
  /** How the requests of one second are taken, where the log knows no finer time. */
  readonly spread: 'even' | 'none'
  /** Lines that may be unreadable before reading ends. */
  readonly maxBadLines: number
  /** How many other threads read. */
  readonly threads: number
  /** False to read every line in full, which takes longer. */
  readonly quick: boolean
  /** Hears of bytes of the logs that were taken up, and of lines that were read. */
  onBytes(bytes: number): void
  onLines(lines: number): void
}

/** Requests that nobody has logged. */
export type ShapeTraffic = {
  readonly type: 'shape'
  readonly shape: Shape
  readonly target: ShapedTarget
  /** As the user wrote it. */
  readonly name: string
}

export type Traffic = LogTraffic | ShapeTraffic

/** The variables of its requests; `constants` win. */
export const variablesOf = (traffic: Traffic, constants: ReadonlyMap<string, string>): Variables =>
  traffic.type === 'log' ? openLog(traffic.kind, constants).variables : shapeVariables(traffic.target, constants)

/** What feeding needs beside the traffic. */
export type FeedOptions = {
  readonly plan: Plan
  readonly platform: VariablePlatform
  readonly constants: ReadonlyMap<string, string>
}

const NOTHING_READ: Reading = { lines: 0, unreadable: 0, examples: [], broken: [], gaveUp: false }

/** Hands all requests to a plan at work. Throws what the operating system throws when logs are read. */
export async function feed(
  traffic: Traffic,
  run: PlanRun,
  { plan, platform, constants }: FeedOptions,
): Promise<Reading> {
  if (traffic.type === 'log') {
    const encoder = { kind: traffic.kind, constants: [...constants], plan, platform, quick: traffic.quick }
    return await readLogs({ ...traffic, encoder }, run)
  }
  const variables = shapeVariables(traffic.target, constants)
  for (const batch of shapeBatches(traffic.shape, { plan, platform, variables })) run.take(0, batch)
  return NOTHING_READ
}

/** The traffic by its name. */
export const describeTraffic = (traffic: Traffic): Pick<TrafficOutcome, 'type' | 'name' | 'files'> => ({
  type: traffic.type,
  name: traffic.type === 'log' ? traffic.kind.name : traffic.name,
  files: traffic.type === 'log' ? traffic.inputs.map(({ name }) => name) : [],
})
