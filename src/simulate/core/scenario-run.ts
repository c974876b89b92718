/** Runs one version of the limits on traffic. */
import {
  DELAYED,
  type Decision,
  decideStage,
  emptyCounters,
  type LimitState,
  PASSED,
  REJECTED,
  type RequestAt,
  type StageState,
} from './decision.ts'
import { createEventQueue, type EventQueue } from './event-queue.ts'
import { FIRST_TEXT, type KeyTable, type MarkKey, NO_KEY } from './keys.ts'
import { BAD_REQUEST, createExpressionsOf, locationInCode, type Plan, type Scenario, UNMATCHED } from './plan.ts'
import { createRejectedKeys, type RejectedKeys } from './rejected-keys.ts'
import { createSlab } from './slab.ts'
import { createWaitHistogram } from './waits.ts'
import { createZoneState, visitKeys } from './zone.ts'

/** The final outcome of a request. */
export type RequestOutcome = {
  /** The request's position in the traffic, from 0. */
  request: number
  /** Milliseconds at which it came. */
  time: number
  location: number
  /** 0 passed, 1 delayed, 2 rejected, 3 matched no route. */
  outcome: number
  /** Milliseconds that it waited altogether. */
  wait: number
  /** The fullest bucket that it met, as in {@link Decision}. */
  fill: number
  /** The limit that rejected it, and the number of its key. */
  limit: LimitState | undefined
  key: number
}

const noOutcome = (): RequestOutcome => ({
  request: 0,
  time: 0,
  location: 0,
  outcome: 0,
  wait: 0,
  fill: 0,
  limit: undefined,
  key: NO_KEY,
})

/** The outcome of requests that match no route. */
export const NOT_MATCHED = 3

/** A scenario that is running. */
export type ScenarioRun = {
  readonly limits: LimitStates
  /** Decides a request; its outcome is reported when it is final. Requests come in the order of their times. */
  decide(request: number, code: number, at: RequestAt): void
  /** Marks every number of an expression's key that is in use. */
  markKeys(expression: number, mark: MarkKey): void
  /** Decides requests that still wait between two hops, and counts the keys. To be called once, at the end. */
  finish(): void
}

/** A request that waits between the hops. */
type PendingRequest = {
  readonly request: number
  readonly time: number
  readonly code: number
  readonly keys: Float64Array
  readonly wait: number
  readonly fill: number
}

/** How a scenario is run. */
type ScenarioRunOptions = {
  readonly plan: Plan
  /** Position of the scenario in the plan. */
  readonly scenario: number
  /** One for each expression. */
  readonly keys: readonly KeyTable[]
  /** Bytes of a memory page. */
  readonly pageSize: number
  /** Called for every request; the object is reused for the next one. */
  onOutcome(outcome: RequestOutcome): void
}

/** Starts to run a scenario of a plan. */
export function createScenarioRun({ plan, scenario, keys, pageSize, onOutcome }: ScenarioRunOptions): ScenarioRun {
  const limits = createLimitStates(plan.scenarios[scenario] ?? plan.scenarios[0], keys, pageSize)
  const codes = createCodeStates(plan, scenario, limits)
  const pending: EventQueue<PendingRequest> = createEventQueue()
  const decision: Decision = { outcome: PASSED, wait: 0, limit: -1, fill: 0 }
  const current = noOutcome()
  const cursor: RequestAt = { time: 0, keys: new Float64Array(0), at: 0 }

  const report = (stage: StageState | undefined, at: RequestAt): void => {
    const isRejected = current.outcome === REJECTED && stage !== undefined
    current.limit = isRejected ? stage.limits[decision.limit] : undefined
    current.key = isRejected ? (at.keys[at.at + (stage.keyPositions[decision.limit] ?? 0)] ?? NO_KEY) : NO_KEY
    onOutcome(current)
  }
  /** The inner hop: the request has waited `current.wait` so far. */
  const decideInner = (stage: StageState | undefined, at: RequestAt): void => {
    if (stage) {
      decideStage(stage, at, decision)
      current.wait += decision.wait
      current.fill = Math.max(current.fill, decision.fill)
      current.outcome = decision.outcome === REJECTED ? REJECTED : current.wait > 0 ? DELAYED : PASSED
    }
    report(stage, at)
  }
  const decidePending = (item: PendingRequest): void => {
    const { stages, location } = codes(item.code)
    Object.assign(current, { request: item.request, time: item.time, location, wait: item.wait, fill: item.fill })
    Object.assign(cursor, { time: item.time + item.wait, keys: item.keys, at: 0 })
    decideInner(stages[1], cursor)
  }
  const decidePendingUntil = (time: number): void => {
    for (let item = pending.take(time); item; item = pending.take(time)) decidePending(item)
  }
  return {
    limits,
    decide(request, code, at) {
      decidePendingUntil(at.time)
      const { stages, location, isMatched, expressions } = codes(code)
      const stage = stages[0]
      current.request = request
      current.time = at.time
      current.location = location
      decision.outcome = PASSED
      decision.wait = 0
      decision.fill = 0
      if (stage) decideStage(stage, at, decision)
      current.outcome = isMatched ? decision.outcome : NOT_MATCHED
      current.wait = decision.wait
      current.fill = decision.fill
      if (stages.length < 2 || decision.outcome === REJECTED) report(stage, at)
      else if (decision.wait === 0) decideInner(stages[1], at)
      else {
        const own = at.keys.slice(at.at, at.at + expressions.length)
        const { wait, fill } = decision
        pending.add(at.time + wait, { request, time: at.time, code, keys: own, wait, fill })
      }
    },
    markKeys(expression, mark) {
      limits.markKeys(expression, mark)
      for (const { code, keys: own } of pending.items()) {
        const number = own[codes(code).expressions.indexOf(expression)] ?? NO_KEY
        if (number >= FIRST_TEXT) mark(number)
      }
    },
    finish() {
      decidePendingUntil(Number.MAX_VALUE)
      limits.countKeys()
    },
  }
}

/** What a code means in a scenario. */
type CodeState = {
  readonly location: number
  readonly isMatched: boolean
  readonly stages: readonly StageState[]
  /** The expressions whose keys such a request carries, in their order. */
  readonly expressions: readonly number[]
}

function createCodeStates(plan: Plan, scenario: number, states: LimitStates): (code: number) => CodeState {
  const expressionsOf = createExpressionsOf(plan)
  const known: (CodeState | undefined)[] = []
  const { limits, locations } = plan.scenarios[scenario] ?? plan.scenarios[0]
  const create = (code: number): CodeState => {
    const location = locationInCode(code, scenario, plan)
    const expressions = expressionsOf(code)
    const stages = (locations[location]?.stages ?? []).map((stage) => {
      const simulated = stage.limits.flatMap((limit) => {
        const state = states.state(limit)
        return state ? [{ state, position: expressions.indexOf(limits[limit]?.expression ?? -1) }] : []
      })
      return {
        limits: simulated.map(({ state }) => state),
        keyPositions: simulated.map(({ position }) => position),
        dryRun: stage.dryRun,
      }
    })
    return { location, isMatched: location !== UNMATCHED && location !== BAD_REQUEST, stages, expressions }
  }
  return (code) => {
    const found = known[code] ?? create(code)
    known[code] = found
    return found
  }
}

/** A limit that a request has reached, and the keys that it has rejected and no longer has in memory. */
export type UsedLimit = { readonly state: LimitState; readonly rejectedKeys: RejectedKeys }

/** The limits of a scenario; the state of each begins when the first request reaches it. */
type LimitStates = {
  /** Undefined for limits that cannot be simulated. */
  state(limit: number): LimitState | undefined
  /** A limit by its position; undefined where no request came. */
  used(limit: number): UsedLimit | undefined
  /** Marks all texts of an expression that zones have in memory. */
  markKeys(expression: number, mark: MarkKey): void
  /** Counts the keys that are still in memory. To be called once, at the end. */
  countKeys(): void
}

/** `keys` holds a table for each expression; `pageSize` is the platform's memory page in bytes. */
function createLimitStates({ limits }: Scenario, keys: readonly KeyTable[], pageSize: number): LimitStates {
  const used: (UsedLimit | undefined)[] = limits.map(() => undefined)
  const create = (number: number): UsedLimit | undefined => {
    const limit = limits[number]
    const table = keys[limit?.expression ?? -1]
    if (!limit || !table) return undefined
    const rejectedKeys = createRejectedKeys(table)
    const delay = limit.noDelay ? Number.POSITIVE_INFINITY : (limit.delay ?? 0) * 1000
    const state: LimitState = {
      number,
      zone: createZoneState({
        rate: limit.thousandths,
        keys: table,
        slab: createSlab({ bytes: limit.zoneBytes, name: limit.zone, pageSize }),
        onRemove: rejectedKeys.add,
      }),
      burst: limit.burst * 1000,
      delay,
      counters: emptyCounters(),
      waits: createWaitHistogram(),
      entry: 0,
      excess: 0,
    }
    return { state, rejectedKeys }
  }
  return {
    state(number) {
      const known = used[number] ?? create(number)
      used[number] = known
      return known?.state
    },
    used: (number) => used[number],
    markKeys(expression, mark) {
      for (const [number, limit] of used.entries())
        if (limit && limits[number]?.expression === expression) markTexts(limit.state.zone, mark)
    },
    countKeys() {
      for (const limit of used)
        if (limit)
          visitKeys(limit.state.zone, (key, counts) => {
            if (counts.rejected > 0) limit.rejectedKeys.add(key, counts)
          })
    },
  }
}

const markTexts = (zone: LimitState['zone'], mark: MarkKey): void =>
  visitKeys(zone, (key) => {
    if (key >= FIRST_TEXT) mark(key)
  })
