/** What is simulated, as plain data: threads get a copy of it, and the report is made from it. */
import type { Composition } from '../../gateway/effective/effective.ts'
import type { RouteRow } from '../../gateway/routing/matches.ts'
import type { KeyPart } from '../../limits/key.ts'

/** One limit of a policy with the zone that all targets of the policy share; see `LimitDescription` of the queries. */
export type SimulatedLimit = {
  readonly policy: { readonly namespace: string; readonly name: string }
  /** The zero-based position in the policy's `rules`. */
  readonly index: number
  /** The name of the zone. */
  readonly zone: string
  readonly zoneBytes: number
  /** Keys that the zone holds at most; null where that is not known. */
  readonly zoneMaxKeys: number | null
  /** The key as written. */
  readonly key: string
  readonly parts: readonly KeyPart[]
  /** The rate as written: `10r/s`. */
  readonly rate: string
  readonly requestsPerSecond: number
  /** The rate in thousandths of a request per second. */
  readonly thousandths: number
  /** Requests above the rate that do not get rejected. */
  readonly burst: number
  /** Requests above the rate that pass at once; null where it is not set. */
  readonly delay: number | null
  readonly noDelay: boolean
  /** The settings in force; null where they differ between the routes that share the limit. */
  readonly rejectCode: number | null
  readonly dryRun: boolean | null
  /** The number of its key's expression; undefined for a limit that cannot be simulated. */
  readonly expression: number | undefined
}

/** Limits that nginx checks together: those of one location. */
export type Stage = {
  /** Positions in {@link Scenario.limits}, in the order of the directives. */
  readonly limits: readonly number[]
  readonly dryRun: boolean
}

/** Where requests go: a route behind a Gateway, with its limits. With two stages the first is an outer hop. */
export type PlannedLocation = {
  readonly route: { readonly kind: string; readonly namespace: string; readonly name: string } | undefined
  readonly stages: readonly Stage[]
  /** True for requests that meet other limits on another port, where the traffic does not have the port. */
  readonly isGuess?: boolean
}

/** A match of a route, and the location to which it leads. */
export type LocationRow = RouteRow & {
  readonly location: number
  /** The port on which it answers; undefined stands for every port. */
  readonly port?: number
  /** The same location for requests of which the port is a guess. */
  readonly guessed?: number
}

/** A port on which the Gateway listens. */
export type ListenerPort = { readonly port: number; readonly isTls: boolean }

/** One version of the policies and routes, ready to be simulated. */
export type Scenario = {
  readonly composition: Composition
  readonly limits: readonly SimulatedLimit[]
  /** The first two are {@link UNMATCHED} and {@link BAD_REQUEST}. */
  readonly locations: readonly PlannedLocation[]
  readonly rows: readonly LocationRow[]
  /** The ports of the Gateway, those for HTTPS first, then by number; none where the manifests do not have them. */
  readonly ports: readonly ListenerPort[]
  /** The location of every request, where the user names a route. */
  readonly forced: number | undefined
}

/** The location of requests that match no route. */
export const UNMATCHED = 0
/** The location of requests that nginx answers with 400 before it looks for a route. */
export const BAD_REQUEST = 1

/** The locations that every scenario has. */
export const COMMON_LOCATIONS: readonly PlannedLocation[] = [
  { route: undefined, stages: [] },
  { route: undefined, stages: [] },
]

/** Everything that is simulated on the same traffic: one version, or an old one and a new one. */
export type Plan = {
  /** The distinct keys of all scenarios, by their number. */
  readonly expressions: readonly (readonly KeyPart[])[]
  /** The reported version comes first, then the old one if there is one. */
  readonly scenarios: readonly [Scenario, ...Scenario[]]
}

/** The code of a request: its locations in all scenarios as one number. */
export function encodeLocations(locations: readonly number[], { scenarios }: Plan): number {
  let code = 0
  for (let index = scenarios.length - 1; index >= 0; index -= 1) {
    code = code * (scenarios[index]?.locations.length ?? 1) + (locations[index] ?? 0)
  }
  return code
}

/** The location in one scenario that a code stands for. */
export function locationInCode(code: number, scenario: number, { scenarios }: Plan): number {
  let rest = code
  for (let index = 0; index < scenario; index += 1) rest = Math.floor(rest / (scenarios[index]?.locations.length ?? 1))
  return rest % (scenarios[scenario]?.locations.length ?? 1)
}

/** Finds the expressions whose keys a request with a code carries, in ascending order. Remembers its results. */
export function createExpressionsOf(plan: Plan): (code: number) => readonly number[] {
  const known: (readonly number[] | undefined)[] = []
  return (code) => {
    const found = known[code] ?? expressionsAt(code, plan)
    known[code] = found
    return found
  }
}

function expressionsAt(code: number, plan: Plan): readonly number[] {
  const found = plan.scenarios.flatMap(({ locations, limits }, index) =>
    (locations[locationInCode(code, index, plan)]?.stages ?? []).flatMap((stage) =>
      stage.limits.flatMap((limit) => limits[limit]?.expression ?? []),
    ),
  )
  return [...new Set(found)].sort((a, b) => a - b)
}
