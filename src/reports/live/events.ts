/** What happens to a running nginx and its policies. The members are a contract: see schemas/try.schema.json. */
import type { ReportedFinding } from '../../lint/report.ts'
import type { ConditionChange } from '../../live/conditions.ts'
import type { LimitedRequest } from '../../live/limited.ts'
import type { SimulationReport, Timeline } from '../../simulate/report/report.ts'

/** A listener of a Gateway answers. */
type ListeningEvent = {
  readonly event: 'listening'
  /** `shop/edge` */
  readonly gateway: string
  /** The name of the listener. */
  readonly listener: string
  /** `http://127.0.0.1:18080` */
  readonly url: string
}

/** A version of the manifests is in force, but for what was refused of it. Revisions count from 1. */
type AppliedEvent = { readonly event: 'applied'; readonly revision: number }

/** Something of a version is not in force. */
export type RefusedEvent = {
  readonly event: 'refused'
  readonly revision: number
  /** `shop/coffee`; null where nginx refuses what no policy is to blame for. */
  readonly policy: string | null
  readonly by: 'api-server' | 'nginx'
  /** nginx's own words, or why the API server rejects it. */
  readonly message: string
}

/** A condition in the status of a policy or of its target has changed. */
type ConditionEvent = { readonly event: 'condition' } & ConditionChange

/** nginx delayed or rejected a request. */
type LimitedEvent = { readonly event: 'limited' } & LimitedRequest

/** A finding of the rules that the version before did not have. */
type FindingEvent = { readonly event: 'finding' } & ReportedFinding

/** The outcome of generated traffic, and what a simulation says of the same. */
export type LoadEvent = {
  readonly event: 'load'
  /** The traffic in words. */
  readonly name: string
  readonly url: string
  /** What the running nginx did. */
  readonly nginx: LoadOutcome
  /** What was predicted. */
  readonly simulated: LoadOutcome
}

/** Requests by outcome, in total and over time: `interval` is in seconds, times are seconds since the beginning. */
export type LoadOutcome = Pick<SimulationReport, 'totals'> & Timeline

/** Whatever happens. */
export type LiveEvent =
  | ListeningEvent
  | AppliedEvent
  | RefusedEvent
  | ConditionEvent
  | LimitedEvent
  | FindingEvent
  | LoadEvent
