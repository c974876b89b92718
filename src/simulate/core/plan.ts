/** What is simulated, as plain data: threads are told of it, and a report is made from it. */
import type { Composition } from '../../gateway/effective/effective.ts'
import type { RouteRow } from '../../gateway/routing/matches.ts'
import type { KeyPart } from '../../limits/key.ts'

/** One limit of a policy, with the zone that all its targets share. */
export type SimulatedLimit = {
  readonly policy: { readonly namespace: string; readonly name: string }
  /** Position in the policy, from 0. */
  readonly index: number
  readonly zone: string
  /** As the policy writes it. */
  readonly key: string
  readonly parts: readonly KeyPart[]
  /** As the policy writes it, and in thousandths of a request per second. */
  readonly rateText: string
  readonly rate: number
  /** Requests. */
  readonly burst: number
  /** Requests above the rate that pass at once; Infinity for `noDelay`. */
  readonly delay: number
  readonly zoneBytes: number
  /** The number of its key's expression; undefined for a limit that cannot be simulated. */
  readonly expression: number | undefined
}

/** Limits that nginx checks together: those of one location. */
export type Stage = {
  /** Positions in {@link Scenario.limits}, in the order of the directives. */
  readonly limits: readonly number[]
  readonly dryRun: boolean
}

/** What a request meets: the limits of a route behind a Gateway. With two stages the first is an outer hop. */
export type Place = {
  readonly route: { readonly kind: string; readonly namespace: string; readonly name: string } | undefined
  readonly stages: readonly Stage[]
}

/** A match of a route, and the place to which it leads. */
export type PlacedRow = RouteRow & { readonly place: number }

/** One version of the policies and routes. */
export type Scenario = {
  readonly composition: Composition
  readonly limits: readonly SimulatedLimit[]
  /** The first two are {@link UNMATCHED} and {@link REFUSED}. */
  readonly places: readonly Place[]
  readonly rows: readonly PlacedRow[]
  /** The place of every request, where the user names a route. */
  readonly forced: number | undefined
}

/** The place of requests that meet no route. */
export const UNMATCHED = 0
/** The place of requests that nginx answers with 400 before it looks for a route. */
export const REFUSED = 1

/** The places that every scenario has. */
export const COMMON_PLACES: readonly Place[] = [
  { route: undefined, stages: [] },
  { route: undefined, stages: [] },
]

/** Everything that is simulated on the same traffic: one version, or an old one and a new one. */
export type Plan = {
  /** The distinct keys of all scenarios, by their number. */
  readonly expressions: readonly (readonly KeyPart[])[]
  /** The version that is reported comes first. */
  readonly scenarios: readonly [Scenario, ...Scenario[]]
}

/** The places of a request in all scenarios as one number. */
export function codeOf(places: readonly number[], { scenarios }: Plan): number {
  let code = 0
  for (let index = scenarios.length - 1; index >= 0; index -= 1) {
    code = code * (scenarios[index]?.places.length ?? 1) + (places[index] ?? 0)
  }
  return code
}

/** The place in one scenario that a code stands for. */
export function placeOf(code: number, scenario: number, { scenarios }: Plan): number {
  let rest = code
  for (let index = 0; index < scenario; index += 1) rest = Math.floor(rest / (scenarios[index]?.places.length ?? 1))
  return rest % (scenarios[scenario]?.places.length ?? 1)
}

/** The expressions whose keys a request with this code carries, in ascending order. Remembers what it said. */
export function createExpressionsOf(plan: Plan): (code: number) => readonly number[] {
  const known: (readonly number[] | undefined)[] = []
  return (code) => {
    const found = known[code] ?? expressionsAt(code, plan)
    known[code] = found
    return found
  }
}

function expressionsAt(code: number, plan: Plan): readonly number[] {
  const found = plan.scenarios.flatMap(({ places, limits }, index) =>
    (places[placeOf(code, index, plan)]?.stages ?? []).flatMap((stage) =>
      stage.limits.flatMap((limit) => limits[limit]?.expression ?? []),
    ),
  )
  return [...new Set(found)].sort((a, b) => a - b)
}
