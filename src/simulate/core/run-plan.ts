/** Runs a plan: batches of requests in, the outcome of every request out. */
import type { Batch } from './batch.ts'
import { createKeyTable, FIRST_TEXT, isAddressKey, type KeyTable, type MarkKey, NO_KEY } from './keys.ts'
import { createExpressionsOf, type Plan } from './plan.ts'
import { createScenarioRun, type RequestOutcome, type ScenarioRun } from './scenario-run.ts'
import { createSequencer, type RequestSink, visitRequests } from './sequencer.ts'

/** How a plan is run. */
type PlanRunOptions = {
  readonly plan: Plan
  /** Bytes of a memory page. */
  readonly pageSize: number
  /** See `SequencerOptions`; `ordered` for traffic that already is in order of time. */
  readonly spread: 'even' | 'none' | 'ordered' | undefined
  /**
   * Called for every request of every scenario. The object is reused for the next request. `keys` are tables by
   * expression.
   */
  onOutcome(scenario: number, outcome: RequestOutcome, keys: readonly KeyTable[]): void
  /** Texts of keys that a table keeps before those no longer in use are swept out; below, that would not pay. */
  readonly fewestTexts?: number
}

const FEWEST_TEXTS = 2 ** 16
/** The most requests that are held back where their keys are texts, which take memory. */
const MOST_HELD_WITH_TEXTS = 2 ** 18

/** A plan that is running. */
export type PlanRun = {
  /** Takes the batches of all readers in the order of the traffic. Keys in the batch are replaced in place. */
  take(reader: number, batch: Batch): void
  /** Decides the requests that are still held back. To be called once, at the end. */
  finish(): void
  readonly scenarios: readonly [ScenarioRun, ...ScenarioRun[]]
  /** How often the clock was set back by more than a minute. */
  readonly setBacks: number
}

/** Starts to run a plan. */
export function createPlanRun(options: PlanRunOptions): PlanRun {
  const { plan, pageSize, spread, onOutcome, fewestTexts = FEWEST_TEXTS } = options
  const tables = plan.expressions.map(createKeyTable)
  const expressionsOf = createExpressionsOf(plan)
  const keyCount = (code: number): number => expressionsOf(code).length
  const translator = createKeyTranslator(tables, expressionsOf)
  const runOf = (scenario: number): ScenarioRun => {
    const report = (outcome: RequestOutcome) => onOutcome(scenario, outcome, tables)
    return createScenarioRun({ plan, scenario, keys: tables, pageSize, onOutcome: report })
  }
  const [, ...others] = plan.scenarios
  const scenarios = [runOf(0), ...others.map((_, index) => runOf(index + 1))] as const
  let requests = 0
  const sink: RequestSink = (code, at) => {
    for (let scenario = 0; scenario < scenarios.length; scenario += 1) scenarios[scenario]?.decide(requests, code, at)
    requests += 1
  }
  const sequencer = spread === 'ordered' ? undefined : createSequencer({ spread, keyCount, sink, ...heldLimit(plan) })
  /** How many texts a table may have before those that are no longer used are swept out. */
  const mostTexts = tables.map(() => fewestTexts)
  const sweep = (): void => {
    for (const [expression, table] of tables.entries()) {
      if (table.size <= (mostTexts[expression] ?? 0)) continue
      table.sweep((mark) => {
        translator.markKeys(expression, mark)
        sequencer?.visit((code, { keys, at }) =>
          markKey({ expression, expressions: expressionsOf(code), keys, at }, mark),
        )
        for (const scenario of scenarios) scenario.markKeys(expression, mark)
      })
      mostTexts[expression] = Math.max(fewestTexts, table.size * 2)
    }
  }
  return {
    take(reader, batch) {
      translator.translate(reader, batch)
      sweep()
      if (sequencer) sequencer.put(batch)
      else visitRequests([{ ...batch, from: 0, to: batch.codes.length, keyFrom: 0 }], keyCount, sink)
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

const heldLimit = ({ expressions }: Plan) => (expressions.every(isAddressKey) ? {} : { limit: MOST_HELD_WITH_TEXTS })

type HeldRequest = {
  readonly expression: number
  readonly expressions: readonly number[]
  readonly keys: Float64Array
  readonly at: number
}

/** Marks the key that a request has for an expression. */
function markKey({ expression, expressions, keys, at }: HeldRequest, mark: MarkKey): void {
  const position = expressions.indexOf(expression)
  const number = position < 0 ? NO_KEY : (keys[at + position] ?? NO_KEY)
  if (number >= FIRST_TEXT) mark(number)
}

/** Replaces the numbers that each reader gives to keys by those of the tables. */
type KeyTranslator = {
  /** Takes the batches of one reader in the order in which it made them. Replaces the keys in place. */
  translate(reader: number, batch: Batch): void
  /** Marks all texts of an expression that readers may still use. */
  markKeys(expression: number, mark: MarkKey): void
}

function createKeyTranslator(
  tables: readonly KeyTable[],
  expressionsOf: (code: number) => readonly number[],
): KeyTranslator {
  /** By reader and expression: the table's number for each of the reader's texts. */
  const readers: number[][][] = []
  const translationsOf = (reader: number): number[][] => {
    const known = readers[reader] ?? tables.map(() => [])
    readers[reader] = known
    return known
  }
  return {
    translate(reader, batch) {
      const translations = translationsOf(reader)
      if (batch.reset) for (const numbers of translations) numbers.length = 0
      for (const [expression, texts] of batch.newTexts.entries())
        for (const number of tables[expression]?.numbers(texts) ?? []) translations[expression]?.push(number)
      if (translations.some(({ length }) => length > 0)) replaceKeys(batch, translations, expressionsOf)
    },
    markKeys(expression, mark) {
      for (const translations of readers) for (const number of translations?.[expression] ?? []) mark(number)
    },
  }
}

function replaceKeys(
  { codes, keys }: Batch,
  translations: readonly (readonly number[])[],
  expressionsOf: (code: number) => readonly number[],
): void {
  let at = 0
  for (let request = 0; request < codes.length; request += 1) {
    const expressions = expressionsOf(codes[request] ?? 0)
    for (let index = 0; index < expressions.length; index += 1) {
      const key = keys[at] ?? 0
      if (key >= FIRST_TEXT) keys[at] = translations[expressions[index] ?? 0]?.[key - FIRST_TEXT] ?? 0
      at += 1
    }
  }
}
