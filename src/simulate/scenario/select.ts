/** What the user means: which world, whose traffic, which route. */

import { effectiveLimits } from '../../gateway/effective/effective.ts'
import { isRouteKind } from '../../gateway/objects/policy.ts'
import { type FoundTarget, findGateways, findTarget, parseTargetQuery, type QueryResult } from '../../queries/find.ts'
import type { QueryWorld } from '../../queries/query-world.ts'
import type { Settings } from '../../settings/settings.ts'
import type { ObjectName, Selection } from './scenario.ts'

/** What the user says. */
export type Question = {
  /** `KIND/[NS/]NAME`: every request meets it. */
  readonly route: string | undefined
  /** `[NS/]NAME`. */
  readonly gateway: string | undefined
  readonly namespace: string | undefined
  readonly world: string | undefined
  /** True for traffic that does not say where it goes: where there is one route, it goes there. */
  readonly anywhere: boolean
}

export type Selected = { readonly sight: QueryWorld; readonly selection: Selection }

const refuse = (problem: string): { ok: false; problem: string } => ({ ok: false, problem })

/** Finds what is meant, or says in one line what must be said more clearly. */
export function select(sights: readonly QueryWorld[], question: Question, settings: Settings): QueryResult<Selected> {
  if (question.route !== undefined) return selectRoute(question.route, sights, question, settings)
  const selected = selectGateway(sights, question)
  return selected.ok && question.anywhere ? { ok: true, value: withOnlyRoute(selected.value, settings) } : selected
}

/** Where a world has a single route behind the Gateway, all requests meet it. */
function withOnlyRoute({ sight, selection }: Selected, settings: Settings): Selected {
  const { gateway } = selection
  const routes = sight.objects.routes.filter((route) => {
    const behind = effectiveLimits(route, sight.world, settings)
    return !gateway || behind.some((at) => at.namespace === gateway.namespace && at.name === gateway.name)
  })
  const [only, another] = routes
  if (!only || another) return { sight, selection }
  const { kind, namespace = '', name = '' } = only.identity
  return { sight, selection: { gateway, forced: { kind, namespace, name } } }
}

function selectGateway(sights: readonly QueryWorld[], question: Question): QueryResult<Selected> {
  const picked = findGateways(sights, { ...question, several: true })
  if (picked.ok) {
    const [first, second] = picked.value.chosen
    if (first && second) {
      const names = picked.value.chosen.map(({ gateway: { namespace, name } }) => `${namespace}/${name}`)
      return refuse(`whose traffic is it? --gateway picks one of ${names.join(', ')}`)
    }
    if (first) {
      const { namespace, name } = first.gateway
      return {
        ok: true,
        value: { sight: first.queryWorld, selection: { gateway: { namespace, name }, forced: undefined } },
      }
    }
  }
  if (question.gateway !== undefined && !picked.ok) return picked
  return withoutGateway(sights, question)
}

/** Routes alone: nobody knows their Gateway, and nothing is asked about it. */
function withoutGateway(sights: readonly QueryWorld[], { world }: Question): QueryResult<Selected> {
  const inWorld = sights.filter(({ name }) => world === undefined || name === world)
  const [sight, another] = inWorld.filter(({ objects }) => objects.routes.length > 0 || objects.policies.length > 0)
  if (another)
    return refuse(`there are several worlds; --world picks one of ${inWorld.map(({ name }) => name).join(', ')}`)
  const [target] = sight ? targetsOf(sight) : []
  if (!sight) return refuse('no RateLimitPolicy and no route in these files; name the paths of your manifests')
  if (sight.objects.routes.length === 0)
    return refuse(
      `no route is in sight that requests could meet; ${target ? `--route ${target} has all meet that` : 'name its paths too'}`,
    )
  return { ok: true, value: { sight, selection: { gateway: undefined, forced: undefined } } }
}

const targetsOf = ({ objects }: QueryWorld): readonly string[] =>
  objects.policies.flatMap(({ view }) =>
    view.targets.flatMap(({ kind, name }) => (kind.value && name.value ? [`${kind.value}/${name.value}`] : [])),
  )

function selectRoute(
  route: string,
  sights: readonly QueryWorld[],
  question: Question,
  settings: Settings,
): QueryResult<Selected> {
  const asked = parseTargetQuery(route)
  if (!asked.ok) return asked
  const found = findTarget(asked.value, sights, question)
  if (!found.ok) return found
  const gateway = gatewayOf(found.value, question, settings)
  if (!gateway.ok) return gateway
  const { queryWorld: sight, kind, namespace, name } = found.value
  return { ok: true, value: { sight, selection: { gateway: gateway.value, forced: { kind, namespace, name } } } }
}

/** The Gateway through which requests come to a route: the one that is named, or the only one. */
function gatewayOf(meant: FoundTarget, question: Question, settings: Settings): QueryResult<Selection['gateway']> {
  const { queryWorld: sight, kind, namespace, name } = meant
  if (kind === 'Gateway') return { ok: true, value: { namespace, name } }
  const route = isRouteKind(kind) ? sight.world.routes.get(kind, namespace, name) : undefined
  const behind = route?.state === 'found' ? effectiveLimits(route.value, sight.world, settings) : []
  const names = behind.flatMap((at) => (at.namespace === undefined ? [] : [{ namespace: at.namespace, name: at.name }]))
  const written = (one: Omit<ObjectName, 'kind'>) => `${one.namespace}/${one.name}`
  const fitting = names.filter((one) => {
    return question.gateway === undefined || question.gateway === one.name || question.gateway === written(one)
  })
  const [first, second] = fitting
  if (second)
    return refuse(
      `${kind} ${namespace}/${name} is behind several Gateways; --gateway picks one of ${names.map(written).join(', ')}`,
    )
  if (!first && question.gateway !== undefined)
    return refuse(`${kind} ${namespace}/${name} is not behind a Gateway ${question.gateway}`)
  return { ok: true, value: first }
}

/** The same world in another version of the files; its only one where none has the name. */
export const sameWorld = (sights: readonly QueryWorld[], { name }: QueryWorld): QueryWorld | undefined =>
  sights.find((sight) => sight.name === name) ?? (sights.length === 1 ? sights[0] : undefined)
