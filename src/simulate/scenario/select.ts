/** Selects what is simulated: which world, which Gateway, which route. */
import { effectiveLimits } from '../../gateway/effective/effective.ts'
import { isRouteKind, type TargetKind } from '../../gateway/objects/policy.ts'
import { type FoundTarget, findGateways, findTarget, parseTargetQuery, type QueryResult } from '../../queries/find.ts'
import type { QueryWorld } from '../../queries/query-world.ts'
import type { Settings } from '../../settings/settings.ts'

/** The name of an object. */
export type SelectedTarget = { readonly kind: TargetKind; readonly namespace: string; readonly name: string }

/** Which requests are simulated. */
export type Selection = {
  /** The Gateway that receives the traffic; undefined where the manifests have none. */
  readonly gateway: { readonly namespace: string; readonly name: string } | undefined
  /** The route or Gateway whose limits apply to every request. */
  readonly forced: SelectedTarget | undefined
}

/** The query of a user. */
export type SelectionQuery = {
  /** `KIND/[NS/]NAME`: its limits apply to every request. */
  readonly route: string | undefined
  /** `[NS/]NAME`: it receives the traffic. */
  readonly gateway: string | undefined
  /** Decides between objects of the same name where the query has no namespace. */
  readonly namespace: string | undefined
  readonly world: string | undefined
  /** True for traffic without a target: where there is one route, all requests go there. */
  readonly anywhere: boolean
}

/** The selection and the world that it is from. */
type Selected = { readonly queryWorld: QueryWorld; readonly selection: Selection }

const fail = (problem: string): { ok: false; problem: string } => ({ ok: false, problem })

/** Finds what a query selects. A problem is one line that says how to select it. */
export function select(
  worlds: readonly QueryWorld[],
  query: SelectionQuery,
  settings: Settings,
): QueryResult<Selected> {
  if (query.route !== undefined) return selectRoute(query.route, worlds, query, settings)
  const selected = selectGateway(worlds, query)
  return selected.ok && query.anywhere ? { ok: true, value: withOnlyRoute(selected.value, settings) } : selected
}

/** Where a world has a single route behind the Gateway, all requests go to it. */
function withOnlyRoute({ queryWorld, selection }: Selected, settings: Settings): Selected {
  const { gateway } = selection
  const routes = queryWorld.objects.routes.filter((route) => {
    const behind = effectiveLimits(route, queryWorld.world, settings)
    return !gateway || behind.some((at) => at.namespace === gateway.namespace && at.name === gateway.name)
  })
  const [only, another] = routes
  if (!only || another) return { queryWorld, selection }
  const { kind, namespace = '', name = '' } = only.identity
  return { queryWorld, selection: { gateway, forced: { kind, namespace, name } } }
}

function selectGateway(worlds: readonly QueryWorld[], query: SelectionQuery): QueryResult<Selected> {
  const picked = findGateways(worlds, { ...query, several: true })
  if (picked.ok) {
    const [first, second] = picked.value.chosen
    if (first && second) {
      const names = picked.value.chosen.map(({ gateway: { namespace, name } }) => `${namespace}/${name}`)
      return fail(
        `there are several Gateways; select the one that receives the traffic with --gateway: ${names.join(', ')}`,
      )
    }
    if (first) {
      const { namespace, name } = first.gateway
      const selection = { gateway: { namespace, name }, forced: undefined }
      return { ok: true, value: { queryWorld: first.queryWorld, selection } }
    }
  }
  if (query.gateway !== undefined && !picked.ok) return picked
  return withoutGateway(worlds, query)
}

/** Routes alone, where the manifests have no Gateway. */
function withoutGateway(worlds: readonly QueryWorld[], { world }: SelectionQuery): QueryResult<Selected> {
  const inWorld = worlds.filter(({ name }) => world === undefined || name === world)
  const [queryWorld, another] = inWorld.filter(
    ({ objects }) => objects.routes.length > 0 || objects.policies.length > 0,
  )
  if (another)
    return fail(`there are several worlds; select one with --world: ${inWorld.map(({ name }) => name).join(', ')}`)
  const [target] = queryWorld ? targetsOf(queryWorld) : []
  if (!queryWorld) return fail('the manifests have no RateLimitPolicy and no route; give the paths of your manifests')
  if (queryWorld.objects.routes.length === 0)
    return fail(
      target
        ? `the manifests have no route; add the paths of your routes, or use --route ${target} to send all requests there`
        : 'the manifests have no route; add the paths of your routes',
    )
  return { ok: true, value: { queryWorld, selection: { gateway: undefined, forced: undefined } } }
}

const targetsOf = ({ objects }: QueryWorld): readonly string[] =>
  objects.policies.flatMap(({ view }) =>
    view.targets.flatMap(({ kind, name }) => (kind.value && name.value ? [`${kind.value}/${name.value}`] : [])),
  )

function selectRoute(
  route: string,
  worlds: readonly QueryWorld[],
  query: SelectionQuery,
  settings: Settings,
): QueryResult<Selected> {
  const parsed = parseTargetQuery(route)
  if (!parsed.ok) return parsed
  const found = findTarget(parsed.value, worlds, query)
  if (!found.ok) return found
  const gateway = gatewayOf(found.value, query, settings)
  if (!gateway.ok) return gateway
  const { queryWorld, kind, namespace, name } = found.value
  return { ok: true, value: { queryWorld, selection: { gateway: gateway.value, forced: { kind, namespace, name } } } }
}

/** The Gateway through which requests reach a route: the one in the query, or the only one. */
function gatewayOf(target: FoundTarget, query: SelectionQuery, settings: Settings): QueryResult<Selection['gateway']> {
  const { queryWorld, kind, namespace, name } = target
  if (kind === 'Gateway') return { ok: true, value: { namespace, name } }
  const route = isRouteKind(kind) ? queryWorld.world.routes.get(kind, namespace, name) : undefined
  const behind = route?.state === 'found' ? effectiveLimits(route.value, queryWorld.world, settings) : []
  const names = behind.flatMap((at) => (at.namespace === undefined ? [] : [{ namespace: at.namespace, name: at.name }]))
  const written = (one: Omit<SelectedTarget, 'kind'>) => `${one.namespace}/${one.name}`
  const fitting = names.filter((one) => {
    return query.gateway === undefined || query.gateway === one.name || query.gateway === written(one)
  })
  const [first, second] = fitting
  if (second)
    return fail(
      `${kind} ${namespace}/${name} is behind several Gateways; select one with --gateway: ${names.map(written).join(', ')}`,
    )
  if (!first && query.gateway !== undefined)
    return fail(`${kind} ${namespace}/${name} is not behind a Gateway ${query.gateway}`)
  return { ok: true, value: first }
}

/** The same world in another version of the manifests; the only world there where none has its name. */
export const sameWorld = (worlds: readonly QueryWorld[], { name }: QueryWorld): QueryWorld | undefined =>
  worlds.find((one) => one.name === name) ?? (worlds.length === 1 ? worlds[0] : undefined)
