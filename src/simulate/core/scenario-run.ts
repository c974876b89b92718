/** One version of the limits at work on traffic. */

import {
  DELAYED,
  decideStage,
  type LimitState,
  PASSED,
  REJECTED,
  type RequestAt,
  type StageState,
  type Verdict,
} from './decision.ts'
import { FIRST_TEXT, NO_KEY } from './dictionary.ts'
import { type Agenda, createAgenda } from './event-queue.ts'
import type { KeyTable } from './key-table.ts'
import { createLimitStates, type LimitStates } from './limit-states.ts'
import { createExpressionsOf, type Plan, placeOf, REFUSED, UNMATCHED } from './plan.ts'

/** What has become of a request in the end. */
export type Settled = {
  /** The request's place in the traffic, from 0. */
  request: number
  /** Milliseconds at which it came. */
  time: number
  place: number
  /** 0 passed, 1 delayed, 2 rejected, 3 met no route. */
  outcome: number
  /** Milliseconds that it waited altogether. */
  wait: number
  /** The limit that refused it, and the number of its key. */
  limit: LimitState | undefined
  key: number
}

/** The outcome of requests that meet no route. */
export const NOT_MATCHED = 3

export type ScenarioRun = {
  readonly limits: LimitStates
  /** Decides a request; what becomes of it is told when it is certain. Requests come in the order of their times. */
  decide(request: number, code: number, at: RequestAt): void
  /** Names every number of an expression's key that is remembered or on its way. */
  nameKeys(expression: number, name: (number: number) => void): void
  /** Decides what is still on its way from an outer hop, and counts the keys. To be called once, at the end. */
  finish(): void
}

/** What waits between the hops. */
type OnTheWay = {
  readonly request: number
  readonly time: number
  readonly code: number
  readonly keys: Float64Array
  readonly wait: number
}

/** What a run is made of. */
export type RunOptions = {
  readonly plan: Plan
  /** Position of the scenario in the plan. */
  readonly scenario: number
  /** One for each expression. */
  readonly keys: readonly KeyTable[]
  /** Bytes of a memory page. */
  readonly pageSize: number
  /** Hears of every request; the object is used again. */
  onSettled(settled: Settled): void
}

export function createScenarioRun({ plan, scenario, keys, pageSize, onSettled }: RunOptions): ScenarioRun {
  const limits = createLimitStates(plan.scenarios[scenario] ?? plan.scenarios[0], keys, pageSize)
  const codes = createCodeStates(plan, scenario, limits)
  const agenda: Agenda<OnTheWay> = createAgenda()
  const verdict: Verdict = { outcome: PASSED, wait: 0, limit: -1 }
  const settled: Settled = { request: 0, time: 0, place: 0, outcome: 0, wait: 0, limit: undefined, key: NO_KEY }
  const cursor: RequestAt = { time: 0, keys: new Float64Array(0), at: 0 }

  const settle = (stage: StageState | undefined, at: RequestAt): void => {
    const isRejected = settled.outcome === REJECTED && stage !== undefined
    settled.limit = isRejected ? stage.limits[verdict.limit] : undefined
    settled.key = isRejected ? (at.keys[at.at + (stage.keyPositions[verdict.limit] ?? 0)] ?? NO_KEY) : NO_KEY
    onSettled(settled)
  }
  /** The inner hop: the request has waited `settled.wait` so far. */
  const decideInner = (stage: StageState | undefined, at: RequestAt): void => {
    if (stage) {
      decideStage(stage, at, verdict)
      settled.wait += verdict.wait
      settled.outcome = verdict.outcome === REJECTED ? REJECTED : settled.wait > 0 ? DELAYED : PASSED
    }
    settle(stage, at)
  }
  const arrive = (item: OnTheWay): void => {
    const { stages, place } = codes(item.code)
    Object.assign(settled, { request: item.request, time: item.time, place, wait: item.wait })
    Object.assign(cursor, { time: item.time + item.wait, keys: item.keys, at: 0 })
    decideInner(stages[1], cursor)
  }
  const arriveUntil = (time: number): void => {
    while (agenda.next() <= time) {
      const item = agenda.take()
      if (item) arrive(item)
    }
  }
  return {
    limits,
    decide(request, code, at) {
      if (agenda.next() <= at.time) arriveUntil(at.time)
      const { stages, place, isMatched, expressions } = codes(code)
      const stage = stages[0]
      settled.request = request
      settled.time = at.time
      settled.place = place
      verdict.outcome = PASSED
      verdict.wait = 0
      if (stage) decideStage(stage, at, verdict)
      settled.outcome = isMatched ? verdict.outcome : NOT_MATCHED
      settled.wait = verdict.wait
      if (stages.length < 2 || verdict.outcome === REJECTED) settle(stage, at)
      else if (verdict.wait === 0) decideInner(stages[1], at)
      else {
        const own = at.keys.slice(at.at, at.at + expressions.length)
        agenda.put(at.time + verdict.wait, { request, time: at.time, code, keys: own, wait: verdict.wait })
      }
    },
    nameKeys(expression, name) {
      limits.nameKeys(expression, name)
      for (const { code, keys: own } of agenda.items()) {
        const number = own[codes(code).expressions.indexOf(expression)] ?? NO_KEY
        if (number >= FIRST_TEXT) name(number)
      }
    },
    finish() {
      arriveUntil(Number.MAX_VALUE)
      limits.close()
    },
  }
}

/** What a code means to a scenario. */
type CodeState = {
  readonly place: number
  readonly isMatched: boolean
  readonly stages: readonly StageState[]
  /** The expressions whose keys such a request carries, in their order. */
  readonly expressions: readonly number[]
}

function createCodeStates(plan: Plan, scenario: number, states: LimitStates): (code: number) => CodeState {
  const expressionsOf = createExpressionsOf(plan)
  const known: (CodeState | undefined)[] = []
  const { limits, places } = plan.scenarios[scenario] ?? plan.scenarios[0]
  const begin = (code: number): CodeState => {
    const place = placeOf(code, scenario, plan)
    const expressions = expressionsOf(code)
    const stages = (places[place]?.stages ?? []).map((stage) => {
      const simulated = stage.limits.filter((limit) => limits[limit]?.expression !== undefined)
      return {
        limits: simulated.flatMap((limit) => states.state(limit) ?? []),
        keyPositions: simulated.map((limit) => expressions.indexOf(limits[limit]?.expression ?? -1)),
        dryRun: stage.dryRun,
      }
    })
    return { place, isMatched: place !== UNMATCHED && place !== REFUSED, stages, expressions }
  }
  return (code) => {
    const found = known[code] ?? begin(code)
    known[code] = found
    return found
  }
}
