/** A plan at work: batches of requests in, what became of them out. */
import type { Batch } from './batch.ts'
import type { RequestSink } from './bucket-of-second.ts'
import { createIntake } from './intake.ts'
import { createKeyTable, type KeyTable } from './key-table.ts'
import type { Plan } from './plan.ts'
import { createScenarioRun, type ScenarioRun, type Settled } from './scenario-run.ts'
import { createSequencer } from './sequencer.ts'

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
  readonly setBacks: number
}

export function createPlanRun({ plan, pageSize, spread, onSettled }: PlanRunOptions): PlanRun {
  const tables = plan.expressions.map(createKeyTable)
  const intake = createIntake(plan, tables)
  const scenarios = plan.scenarios.map((_, scenario) =>
    createScenarioRun({
      plan,
      scenario,
      keys: tables,
      pageSize,
      onSettled: (settled) => onSettled(scenario, settled, tables),
    }),
  )
  let requests = 0
  const sink: RequestSink = (code, at) => {
    for (let scenario = 0; scenario < scenarios.length; scenario += 1) scenarios[scenario]?.decide(requests, code, at)
    requests += 1
    intake.letGo(code, at.keys, at.at)
  }
  const sequencer = spread === 'ordered' ? undefined : createSequencer({ spread, keyCount: intake.keyCount, sink })
  return {
    take(reader, batch) {
      const { times, codes, keys } = intake.take(reader, batch)
      let at = 0
      for (let request = 0; request < codes.length; request += 1) {
        const [time, code] = [times[request] ?? 0, codes[request] ?? 0]
        if (sequencer) sequencer.put(time, code, keys, at)
        else sink(code, { time, keys, at })
        at += intake.keyCount(code)
      }
      sequencer?.loggedUntil(batch.latest)
    },
    finish() {
      sequencer?.finish()
      for (const scenario of scenarios) {
        scenario.finish()
        scenario.limits.close()
      }
    },
    scenarios,
    get setBacks() {
      return sequencer?.setBacks ?? 0
    },
  }
}
