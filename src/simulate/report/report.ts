/** The report of a simulation. Its JSON is a contract, version 1: see schemas/simulate.schema.json. */
import type { Composition } from '../../gateway/effective/effective.ts'
import type { NotJudged } from '../../project/source.ts'
import type { WaitSummary } from '../core/waits.ts'

/** Numbers of requests by outcome. The last four add up to the first. */
export type Totals = {
  readonly requests: number
  /** Went on at once, also where only a dry run would have delayed or rejected them. */
  readonly passed: number
  readonly delayed: number
  readonly rejected: number
  /** Matched no route, or were answered with 400 before nginx looks at limits. */
  readonly unmatched: number
}

/** A key of which a limit rejected requests, or would have without the dry run, with the outcomes of its requests. */
type RejectedKey = {
  readonly key: string
  readonly rejected: number
  readonly delayed: number
  readonly passed: number
}

/** One limit, described as in the report of `sluice effective`, and the outcomes of its requests. */
export type LimitOutcome = {
  /** The zero-based position in the policy's `rules`. */
  readonly index: number
  /** The name of the zone. */
  readonly zone: string
  readonly zoneBytes: number
  /** Keys that the zone holds at most; null where that is not known. */
  readonly zoneMaxKeys: number | null
  /** The key as written. */
  readonly key: string
  /** The rate as written: `10r/s`. */
  readonly rate: string
  readonly requestsPerSecond: number
  readonly burst: number
  /** Null where it is not set. */
  readonly delay: number | null
  readonly noDelay: boolean
  /** The settings in force; null where they differ between the routes that share the limit. */
  readonly rejectCode: number | null
  readonly dryRun: boolean | null
  /** Why the limit was not simulated; null where it was. */
  readonly notSimulated: string | null
  /** Requests that reached the limit with a key: passed, delayed, rejected, and rejected by another limit. */
  readonly requests: number
  readonly passed: number
  readonly delayed: number
  readonly rejected: number
  /** Rejected by another limit of the same location. */
  readonly rejectedByOther: number
  /** Came without a value for the key: the limit does not count them. */
  readonly withoutKey: number
  /** What the limit would have done to passed requests without the dry run. */
  readonly delayedDryRun: number
  readonly rejectedDryRun: number
  /** Milliseconds; null where no request was delayed. */
  readonly waits: WaitSummary | null
  /**
   * The most keys that the zone held at once, the keys that it removed early for want of memory, and the requests that
   * were rejected because there was no memory for their key.
   */
  readonly memory: { readonly peakKeys: number; readonly evictedKeys: number; readonly rejected: number }
  /** The keys with the most rejected requests. */
  readonly topRejectedKeys: readonly RejectedKey[]
}

/** The limits of a policy. */
export type PolicyOutcome = {
  readonly namespace: string
  readonly name: string
  readonly limits: readonly LimitOutcome[]
}

/** The requests of a route. */
export type RouteOutcome = Totals & { readonly kind: string; readonly namespace: string; readonly name: string }

/** Requests of one interval by outcome. */
export type TimelineCounts = {
  /** RFC 3339 for logs, seconds since the beginning for shapes. */
  readonly at: string | number
  readonly passed: number
  readonly delayed: number
  readonly rejected: number
  readonly unmatched: number
}

/** Intervals without gaps, and their length in seconds. */
export type Timeline = { readonly interval: number; readonly timeline: readonly TimelineCounts[] }

/** One interval: its requests, and how full buckets were. */
type TimelineOutcome = TimelineCounts & {
  /**
   * The fullest bucket that a request of the interval met, of any key and limit, as a share of its burst: from 0 to 1, in
   * steps of a thousandth. It is 1 where a request did not fit any more, and 0 where no request came or no limit has a burst.
   */
  readonly fill: number
}

/** A key of which one version rejects requests that the other does not, and the limit that rejects them. */
export type ChangedKey = {
  readonly policy: { readonly namespace: string; readonly name: string }
  /** The zero-based position in the policy's `rules`. */
  readonly index: number
  readonly key: string
  readonly requests: number
}

/** Requests that only one version rejects: their number, the number of their keys, and the keys with the most. */
export type ChangedRequests = {
  readonly requests: number
  readonly keys: number
  readonly top: readonly ChangedKey[]
}

/** The difference to the old version. */
export type SimulationComparison = {
  /** The old version on the same traffic; its timeline has the intervals of the report. */
  readonly old: { readonly totals: Totals; readonly timeline: readonly TimelineOutcome[] }
  /** Rejected by the reported version, not by the old one. */
  readonly newlyRejected: ChangedRequests
  /** Rejected by the old version, not by the reported one. */
  readonly noLongerRejected: ChangedRequests
}

/** The traffic that was simulated. */
export type TrafficOutcome = {
  readonly type: 'log' | 'shape'
  /** The format of a log, such as `combined`, or a shape: `20 clients at 5r/s for 60s, steady`. */
  readonly name: string
  readonly files: readonly string[]
  /** Lines that were read, and those of them that could not be read as the format. */
  readonly lines: number
  readonly unreadable: number
  /** The first and the last request: RFC 3339 for logs, seconds since the beginning for shapes; null without requests. */
  readonly from: string | number | null
  readonly to: string | number | null
}

/** The name of a policy: `shop/coffee`. */
export const policyTitle = (
  { namespace, name }: { readonly namespace: string; readonly name: string },
  system: SimulationReport['system'],
): string => (system === 'gateway' || namespace !== '' ? `${namespace}/${name}` : name)

/** The name of a limit in its policy, as its system calls it. */
export const limitLabel = (index: number, system: SimulationReport['system']): string =>
  `${system === 'gateway' ? 'rules' : 'limits'}[${index}]`

/** The whole name of a limit: `shop/coffee rules[0]`. */
export const limitTitle = (
  { policy, index }: Pick<ChangedKey, 'policy' | 'index'>,
  system: SimulationReport['system'],
): string => `${policyTitle(policy, system)} ${limitLabel(index, system)}`

/** The whole report. */
export type SimulationReport = {
  readonly version: 1
  /** Whose limits they are: those of RateLimitPolicies, or of API proxies. */
  readonly system: 'gateway' | 'api-management'
  readonly composition: Composition
  readonly gateway: { readonly namespace: string; readonly name: string } | null
  readonly traffic: TrafficOutcome
  readonly totals: Totals
  /** Why requests are unmatched: no route, or answered with 400 before nginx looks at limits. */
  readonly unmatchedReasons: { readonly noRoute: number; readonly badRequest: number }
  /** Milliseconds that delayed requests waited; null where none was delayed. */
  readonly waits: WaitSummary | null
  /** The routes with the most requests first. */
  readonly routes: readonly RouteOutcome[]
  readonly policies: readonly PolicyOutcome[]
  /** Seconds of an interval of the timeline. */
  readonly interval: number
  readonly timeline: readonly TimelineOutcome[]
  readonly comparison: SimulationComparison | null
  /** What a reader must know to trust the numbers, the most important first. */
  readonly warnings: readonly string[]
  /** What of the manifests is left out, although it may change the numbers; sorted by file and line. */
  readonly notJudged: readonly NotJudged[]
}
