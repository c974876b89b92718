/**
 * `sluice effective --uncovered`: the routes that have no limit at all. The JSON of the result is a contract, version 1
 * (schemas/effective.schema.json): members may be added, none changes.
 */
import { type Coverage, coverageOf } from '../gateway/force/coverage.ts'
import type { RouteView } from '../gateway/objects/gateways-and-routes.ts'
import type { RouteKind } from '../gateway/objects/policy.ts'
import { namespaceName } from '../kubernetes/metadata.ts'
import { eachOnce, type NotJudged, type Sources } from '../project/source.ts'
import type { Settings } from '../settings/settings.ts'
import { compareText } from '../text/order.ts'
import type { QueryResult } from './find.ts'
import { type PolicyName, policyName } from './limit.ts'
import { forceContext, type QueryWorld, type QueryWorldOptions, queryWorlds } from './query-world.ts'

/** A route without any limit. */
type UncoveredRoute = {
  readonly kind: RouteKind
  readonly namespace: string
  readonly name: string
  /** The world of the settings that it belongs to; null where the settings define none. */
  readonly world: string | null
  /** False where objects that are not known may limit it. */
  readonly certain: boolean
  /** The Gateways that serve it, or may. */
  readonly gateways: readonly { readonly namespace: string; readonly name: string }[]
  /** Policies on it or on its Gateways that are not in force there, and why, as the end of a sentence. */
  readonly notInForce: readonly (PolicyName & { readonly message: string })[]
}

/** The result of the query. Its JSON is a contract, version 1. */
export type UncoveredResult = {
  readonly version: 1
  /** Sorted by world, namespace, kind and name. */
  readonly uncovered: readonly UncoveredRoute[]
  /** How many routes there are of each other state. */
  readonly others: Readonly<Record<Exclude<Coverage['state'], 'uncovered'>, number>>
  readonly notJudged: readonly NotJudged[]
}

export type UncoveredOptions = QueryWorldOptions & {
  readonly settings: Settings
  /** The one world to look in; default: all. */
  readonly world?: string | undefined
}

/** Finds the routes without any limit. */
export function queryUncovered(sources: Sources, options: UncoveredOptions): QueryResult<UncoveredResult> {
  const all = queryWorlds(sources, options)
  const worlds = options.world === undefined ? all : all.filter(({ name }) => name === options.world)
  const notJudged = eachOnce(worlds.flatMap((world) => world.notJudged))
  if (worlds.length === 0 && options.world !== undefined)
    return { ok: false, problem: `there is no world "${options.world}"`, notJudged: [] }
  const others = { covered: 0, exempt: 0, redirects: 0, unserved: 0 }
  const uncovered = worlds.flatMap((queryWorld) =>
    queryWorld.objects.routes.flatMap((route): UncoveredRoute[] => {
      const context = { ...forceContext(queryWorld, options.settings), composition: options.settings.composition }
      const coverage = coverageOf(route, context)
      if (coverage.state !== 'uncovered') {
        others[coverage.state] += 1
        return []
      }
      return [describe(route, coverage, queryWorld)]
    }),
  )
  return { ok: true, value: { version: 1, uncovered: uncovered.sort(inOrder), others, notJudged } }
}

const describe = (
  { identity: { kind, namespace, name = '' } }: RouteView,
  { isCertain, gateways, powerless }: Extract<Coverage, { state: 'uncovered' }>,
  { name: world }: QueryWorld,
): UncoveredRoute => ({
  kind,
  namespace: namespaceName(namespace),
  name,
  world: world || null,
  certain: isCertain,
  gateways: gateways.map((gateway) => ({ namespace: namespaceName(gateway.namespace), name: gateway.name })),
  notInForce: powerless.map(({ policy, words }) => ({ ...policyName(policy), message: words })),
})

const inOrder = (a: UncoveredRoute, b: UncoveredRoute): number =>
  compareText(a.world ?? '', b.world ?? '') ||
  compareText(a.namespace, b.namespace) ||
  compareText(a.kind, b.kind) ||
  compareText(a.name, b.name)
