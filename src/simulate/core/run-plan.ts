/** A plan at work: batches of requests in, what became of them out. */

import { type RequestSink, visitRuns } from '../logs/bucket-of-second.ts'
import { createSequencer } from '../logs/sequencer.ts'
import type { Batch } from './batch.ts'
import { FIRST_TEXT, NO_KEY } from './dictionary.ts'
import { createIntake } from './intake.ts'
import { createKeyTable, type KeyTable } from './key-table.ts'
import { createExpressionsOf, type Plan } from './plan.ts'
import { createScenarioRun, type ScenarioRun, type Settled } from './scenario-run.ts'

export type PlanRunOptions = {
  readonly plan: Plan
  /** Bytes of a memory page. */
  readonly pageSize: number
  /** See `SequencerOptions`; `ordered` for traffic that is in order as it comes. */
  readonly spread: 'even' | 'none' | 'ordered' | undefined
  /** Hears of every request of every scenario; the object is used again. `keys` are tables by expression. */
  onSettled(scenario: number, settled: Settled, keys: readonly KeyTable[]): void
}

export type PlanRun = {
  /** Takes the batches of a reader in the order of the traffic. */
  take(reader: number, batch: Batch): void
  /** Decides what is still held back. Nothing may be taken afterwards. */
  finish(): void
  readonly scenarios: readonly ScenarioRun[]
  /** How often the clock was set back by more than a minute. */
  readonly setBacks: number
}

export function createPlanRun({ plan, pageSize, spread, onSettled }: PlanRunOptions): PlanRun {
  const tables = plan.expressions.map(createKeyTable)
  const expressionsOf = createExpressionsOf(plan)
  const keyCount = (code: number): number => expressionsOf(code).length
  const intake = createIntake(tables, expressionsOf)
  const scenarios = plan.scenarios.map((_, scenario) => {
    const settle = (settled: Settled) => onSettled(scenario, settled, tables)
    return createScenarioRun({ plan, scenario, keys: tables, pageSize, onSettled: settle })
  })
  let requests = 0
  const sink: RequestSink = (code, at) => {
    for (let scenario = 0; scenario < scenarios.length; scenario += 1) scenarios[scenario]?.decide(requests, code, at)
    requests += 1
  }
  const sequencer = spread === 'ordered' ? undefined : createSequencer({ spread, keyCount, sink })
  const sweep = (): void => {
    for (const [expression, table] of tables.entries())
      table.sweep((name) => {
        intake.nameKeys(expression, name)
        sequencer?.visit((code, { keys, at }) =>
          nameOne({ expression, expressions: expressionsOf(code), keys, at }, name),
        )
        for (const scenario of scenarios) scenario.nameKeys(expression, name)
      })
  }
  return {
    take(reader, batch) {
      const isReset = intake.take(reader, batch)
      if (isReset) sweep()
      if (sequencer) sequencer.put(batch)
      else visitRuns([{ ...batch, from: 0, to: batch.codes.length, keyFrom: 0 }], keyCount, sink)
    },
    finish() {
      sequencer?.finish()
      for (const scenario of scenarios) scenario.finish()
    },
    scenarios,
    get setBacks() {
      return sequencer?.setBacks ?? 0
    },
  }
}

type Held = {
  readonly expression: number
  readonly expressions: readonly number[]
  readonly keys: Float64Array
  readonly at: number
}

/** Names the key that a request has for an expression. */
function nameOne({ expression, expressions, keys, at }: Held, name: (number: number) => void): void {
  const position = expressions.indexOf(expression)
  const number = position < 0 ? NO_KEY : (keys[at + position] ?? NO_KEY)
  if (number >= FIRST_TEXT) name(number)
}
