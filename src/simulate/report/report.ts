/** What comes out of a simulation. Its JSON is a contract, version 1. */
import type { Composition } from '../../gateway/effective/effective.ts'
import type { WaitSummary } from '../core/waits.ts'

/** Requests by what became of them. The last four add up to the first. */
export type Totals = {
  readonly requests: number
  /** Went on at once, also where only a dry run would have held them. */
  readonly passed: number
  readonly delayed: number
  readonly rejected: number
  /** Met no route, or were no requests that nginx looks at limits for. */
  readonly unmatched: number
}

/** A key that a limit refused, or in a dry run would have refused. */
export type RefusedKey = {
  readonly key: string
  readonly rejected: number
  readonly delayed: number
  readonly passed: number
}

/** One limit. */
export type LimitOutcome = {
  /** Position in the policy, from 0. */
  readonly rule: number
  readonly zone: string
  /** As the policy writes them. */
  readonly key: string
  readonly rate: string
  readonly burst: number
  readonly delay: number | null
  readonly noDelay: boolean
  /** Why it was not simulated; null where it was. */
  readonly notSimulated: string | null
  /** Requests that reached it with a key: passed, delayed, rejected and refused by another limit. */
  readonly requests: number
  readonly passed: number
  readonly delayed: number
  readonly rejected: number
  /** Refused by another limit of the same location. */
  readonly refusedByOther: number
  /** Came without a value for the key, which the limit lets pass. */
  readonly withoutKey: number
  /** Milliseconds; null where nobody waited. */
  readonly waits: WaitSummary | null
  /** What a dry run would have done to requests that passed. */
  readonly dryRun: { readonly delayed: number; readonly rejected: number }
  /** Distinct keys that the zone held at once, and those that it forgot by force for want of memory. */
  readonly memory: { readonly peakKeys: number; readonly evicted: number; readonly refused: number }
  readonly topRefusedKeys: readonly RefusedKey[]
}

export type PolicyOutcome = {
  readonly namespace: string
  readonly name: string
  readonly limits: readonly LimitOutcome[]
}

export type RouteOutcome = Totals & { readonly kind: string; readonly namespace: string; readonly name: string }

/** Requests of one interval. */
export type TimelineOutcome = {
  /** RFC 3339 for logs, seconds since the beginning for shapes. */
  readonly at: string | number
  readonly passed: number
  readonly delayed: number
  readonly rejected: number
  readonly unmatched: number
}

/** Requests that one version refuses and the other lets pass, by the limit that refuses and the key. */
export type ChangedKey = {
  readonly policy: string
  readonly rule: number
  readonly key: string
  readonly requests: number
}

export type Comparison = {
  readonly old: { readonly totals: Totals }
  readonly newlyRefused: { readonly requests: number; readonly keys: number; readonly top: readonly ChangedKey[] }
  readonly noLongerRefused: { readonly requests: number; readonly keys: number; readonly top: readonly ChangedKey[] }
}

/** What the traffic was. */
export type TrafficOutcome = {
  readonly type: 'log' | 'shape'
  /** As people call it: `combined`, or `20 clients at 5r/s for 60s, steady`. */
  readonly name: string
  readonly files: readonly string[]
  /** Lines that were looked at, and those that could not be read. */
  readonly lines: number
  readonly unreadable: number
  readonly from: string | number | null
  readonly to: string | number | null
}

export type SimulationReport = {
  readonly version: 1
  readonly composition: Composition
  readonly gateway: { readonly namespace: string; readonly name: string } | null
  readonly traffic: TrafficOutcome
  readonly totals: Totals
  /** Why requests are unmatched: no route, or answered with 400 before limits are looked at. */
  readonly unmatched: { readonly noRoute: number; readonly invalid: number }
  /** Milliseconds that delayed requests waited; null where none did. */
  readonly waits: WaitSummary | null
  readonly routes: readonly RouteOutcome[]
  readonly policies: readonly PolicyOutcome[]
  /** Seconds of an interval of the timeline. */
  readonly interval: number
  readonly timeline: readonly TimelineOutcome[]
  readonly comparison: Comparison | null
  readonly warnings: readonly string[]
}
