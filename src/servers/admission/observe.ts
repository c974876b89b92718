/** What a change of a Gateway or a route does to the policies around it: said, never refused. */
import { isIgnoredInCluster } from '../../engine/suppression.ts'
import { type GatewayView, type RouteView, readGateway, readRoute } from '../../gateway/objects/gateways-and-routes.ts'
import type { PolicyView } from '../../gateway/objects/policy.ts'
import { recognise } from '../../gateway/objects/recognise.ts'
import { namesGateway } from '../../gateway/routing/attachment.ts'
import type { JsonObject } from '../../json/member.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import type { ClusterView } from '../../world/cluster-view.ts'
import { lookUpTarget } from '../../world/targets.ts'
import type { World } from '../../world/world.ts'
import { type Change, withGateway, withoutOtherTenants, withRoute } from './overlay.ts'
import type { Review } from './review.ts'
import { type Fault, keyOf, type Reviewer, type Told } from './reviewer.ts'

/** Beyond it the answer would be too late: a Gateway may carry thousands of policies. */
const MOST_POLICIES = 200

/** What there is to say of a policy whose surroundings change. */
export type Effect = { readonly policy: string; readonly finding: Told }

export type Observation = {
  /** Policies that lose the last of their targets, by name. */
  readonly orphans: readonly string[]
  readonly effects: readonly Effect[]
  readonly faults: readonly Fault[]
}

const NOTHING: Observation = { orphans: [], effects: [], faults: [] }

/** The world before and after, and the policies of the same namespace that may notice. */
type Turn = { readonly before: World; readonly after: World; readonly policies: readonly PolicyView[] }

/** Compares what the rules say of the policies around an object before and after its change. */
export function observe(review: Review, reviewer: Reviewer, { world }: ClusterView): Observation {
  if (review.subResource !== '') return NOTHING
  const turn = turnOf(review, reviewer.names, world)
  if (!turn) return NOTHING
  const faults: Fault[] = []
  const saidOf = (view: PolicyView, around: World) => {
    const judgement = reviewer.judge({ kind: 'RateLimitPolicy', view, world: around })
    faults.push(...judgement.faults)
    return judgement.findings.filter(
      (one) => one.crossObject && one.severity !== 'info' && !isIgnoredInCluster(view, one),
    )
  }
  const effects = turn.policies.flatMap((view) => {
    const known = new Set(review.operation === 'CREATE' ? [] : saidOf(view, turn.before).map(keyOf))
    const fresh = saidOf(view, turn.after).filter((finding) => !known.has(keyOf(finding)))
    return fresh.map((finding) => ({ policy: nameOf(view), finding }))
  })
  const orphans = turn.policies.filter((view) => isOrphan(view, turn.after) && !isOrphan(view, turn.before))
  return { orphans: orphans.map(nameOf), effects, faults }
}

const nameOf = ({ identity }: PolicyView): string => identity.name ?? ''

/** True where it is certain that none of a policy's targets exists. */
const isOrphan = (view: PolicyView, world: World): boolean => {
  const targets = view.namedTargets
  const { namespace } = view.identity
  return (
    targets.length > 0 && targets.every(({ kind, name }) => lookUpTarget(world, kind, namespace, name) === 'absent')
  )
}

function turnOf({ object, oldObject, namespace }: Review, names: ApiNames, world: World): Turn | undefined {
  const some = object ?? oldObject
  const recognised = some ? recognise(some, names) : undefined
  const both = <View>(read: (object: JsonObject) => View) => ({
    before: oldObject && read(oldObject),
    after: object && read(object),
  })
  if (recognised?.type === 'gateway') {
    const change = both((one) => readGateway(one, namespace))
    return turn(
      change,
      (views) => withGateway(world, views),
      (view) => aroundGateway(view, world),
    )
  }
  if (recognised?.type === 'route') {
    const change = both((one) => readRoute(recognised.kind, one, namespace))
    return turn(
      change,
      (views) => withRoute(world, views),
      (view) => aroundRoute(view, world),
    )
  }
  return undefined
}

/** The world before is as the API server knows it: the watch may be behind. */
function turn<View>(
  { before, after }: Change<View>,
  overlay: (views: Change<View>) => World,
  around: (view: View) => readonly PolicyView[],
): Turn {
  return {
    before: withoutOtherTenants(overlay({ before, after: before })),
    after: withoutOtherTenants(overlay({ before, after })),
    policies: few([before, after].flatMap((view) => (view ? around(view) : []))),
  }
}

const few = (policies: readonly PolicyView[]): readonly PolicyView[] => [...new Set(policies)].slice(0, MOST_POLICIES)

const targeting = (world: World, { kind, namespace, name = '' }: GatewayView['identity']): readonly PolicyView[] => {
  if (kind !== 'Gateway' && kind !== 'HTTPRoute' && kind !== 'GRPCRoute') return []
  return world.policies.targeting(kind, namespace, name).items
}

/** The policies on a Gateway and on its routes. Those of other namespaces belong to others. */
function aroundGateway(gateway: GatewayView, world: World): readonly PolicyView[] {
  const routes = world.routes.attachedTo(gateway).items
  const neighbours = routes.filter(({ identity }) => identity.namespace === gateway.identity.namespace)
  return [gateway, ...neighbours].flatMap(({ identity }) => targeting(world, identity))
}

/** The policies on a route, on its Gateways and on the other routes of those. */
function aroundRoute(route: RouteView, world: World): readonly PolicyView[] {
  const { namespace: own } = route.identity
  const gateways = route.parents.filter(namesGateway).flatMap(({ namespace = own, name = '' }) => {
    const answer = namespace === own ? world.gateways.get(namespace, name) : undefined
    return answer?.state === 'found' ? [answer.value] : []
  })
  return [...targeting(world, route.identity), ...gateways.flatMap((gateway) => aroundGateway(gateway, world))]
}
