/**
 * Whether a policy is in force at one of its targets, and why not: the question behind `effective`, `lint`, `status`,
 * `simulate`, `render`, `try` and the page. What is not certain is `unknown`, never a reason. Source: specification of
 * RateLimitPolicy, "States and transitions"; Gateway API, GatewayClass, `parentRefs` and `allowedRoutes`.
 */
import { fullName } from '../../kubernetes/metadata.ts'
import { outcomeOf } from '../conflicts/outcome.ts'
import type { ConflictMode } from '../conflicts/precedence.ts'
import type { GatewayLookups, GatewayName } from '../lookups/lookups.ts'
import type { GatewayView, RouteView } from '../objects/gateways-and-routes.ts'
import { isRouteKind, type NamedTarget, type PolicyView } from '../objects/policy.ts'
import { attachmentOf, type RouteServing, servingOf } from '../routing/attachment.ts'
import { apiRejection } from '../schema/acceptance.ts'
import { describeConflict, describeInvalidity, type Invalidity, KEPT, type Refusal } from '../status/status.ts'
import { stateOfTarget } from './owner.ts'
import { whyDetached } from './words.ts'

/** Why a policy limits nothing at a place. */
export type Reason =
  /** The Gateway, or every Gateway that takes the route, has a class of another controller. */
  | 'other-controller'
  /** A running nginx has refused it. */
  | 'not-accepted'
  | 'target-absent'
  /** No Gateway takes the route. */
  | 'detached'
  /** As `detached`: no listener allows the namespace of the route (`allowedRoutes`). */
  | 'namespace'
  /** The API server or nginx rejects what it says. */
  | 'invalid'
  /** A preferred policy sets the same fields. */
  | 'conflict'

/** Whether a policy is in force; `words` are the end of a sentence, for every command. */
export type Force =
  | { readonly state: 'in-force' }
  | { readonly state: 'unknown' }
  | { readonly state: 'not-in-force'; readonly reason: Reason; readonly words: string }

/** A target of a policy. `gateway`: for a route, the one of its Gateways that is meant; undefined for any of them. */
export type Place = Pick<NamedTarget, 'kind' | 'name'> & { readonly gateway?: GatewayName | undefined }

/** What decides. */
export type ForceContext = GatewayLookups & {
  readonly conflict: ConflictMode
  /** The errors of a policy on its own; undefined for one without. */
  invalidity?(policy: PolicyView): Invalidity | undefined
  /** What a running nginx has said of a policy that it refused. */
  refusal?(policy: PolicyView): Refusal | undefined
}

const IN_FORCE = { state: 'in-force' } as const
const UNKNOWN = { state: 'unknown' } as const

const notInForce = (reason: Reason, words: string): Force => ({ state: 'not-in-force', reason, words })

/** Decides; of several reasons it gives the one that has to go first. */
export function forceOf(policy: PolicyView, place: Place, context: ForceContext): Force {
  const answers = [ofPolicy, ofTarget, ofConflicts, ofNginx, ofRoute].map((ask) => ask(policy, place, context))
  return (
    answers.find(({ state }) => state === 'not-in-force') ??
    answers.find(({ state }) => state === 'unknown') ??
    IN_FORCE
  )
}

type Question = (policy: PolicyView, place: Place, context: ForceContext) => Force

/** The API server stores only what it accepts. Of two with one name it is not known which one it has. */
const ofPolicy: Question = (policy, { kind, name }, { policies, invalidity }) => {
  const rejection = apiRejection(policy)
  if (rejection === undefined)
    return policies.targeting(kind, policy.identity.namespace, name).items.includes(policy) ? IN_FORCE : UNKNOWN
  const known = invalidity?.(policy)
  return notInForce('invalid', known ? describeInvalidity(known) : `the API server rejects it: ${rejection}`)
}

const ofTarget: Question = ({ identity: { namespace } }, { kind, name }, context) => {
  const state = stateOfTarget(context, kind, namespace, name)
  if (state === 'absent') return absent('target-absent', kind, { namespace, name })
  if (state === 'foreign' && !isRouteKind(kind)) return otherController({ namespace, name }, context)
  return state === 'unknown' ? UNKNOWN : IN_FORCE
}

const otherController = (name: GatewayName, { gateways }: ForceContext): Force =>
  notInForce('other-controller', `Gateway ${fullName(name)} ${whyForeign(name, gateways)}`)

function whyForeign({ namespace, name }: GatewayName, gateways: GatewayLookups['gateways']): string {
  const gateway = gateways.get(namespace, name)
  const controller = gateway.state === 'found' ? gateways.controllerOf(gateway.value) : gateway
  return `belongs to another controller${controller.state === 'found' ? ` (${controller.value})` : ''}`
}

const absent = (reason: Reason, kind: string, name: Pick<GatewayName, 'namespace' | 'name'>): Force =>
  notInForce(reason, `${kind} ${fullName(name)} does not exist`)

/** Why no policy is in force at a Gateway, whatever it says, as the end of a sentence; undefined where some may be. */
export function whyOutOfSight(
  name: GatewayName,
  lookups: Pick<GatewayLookups, 'gateways' | 'routes'>,
): string | undefined {
  const state = stateOfTarget(lookups, 'Gateway', name.namespace, name.name)
  if (state === 'absent') return 'does not exist'
  return state === 'foreign' ? whyForeign(name, lookups.gateways) : undefined
}

const ofConflicts: Question = (policy, { kind, name }, context) => {
  const outcome = outcomeOf(policy, context, context.conflict)
  if (outcome.state !== 'rejected') return outcome.state === 'accepted' ? IN_FORCE : UNKNOWN
  const here = outcome.conflicts.find((one) => one.kind === kind && one.name === name) ?? outcome.conflicts[0]
  return notInForce('conflict', here ? `it conflicts with ${describeConflict(here)}` : 'it conflicts with another one')
}

/** A policy with fields that the API server drops is in force without them. */
const ofNginx: Question = (policy, _, { invalidity, refusal }) => {
  const refused = refusal?.(policy)
  if (refused) {
    const isInForce = refused.keeps === 'last-accepted' || (refused.replicas?.have ?? 0) > 0
    return isInForce ? UNKNOWN : notInForce('not-accepted', `nginx refuses it, and ${KEPT.nothing}: ${refused.words}`)
  }
  const known = invalidity?.(policy)
  return known?.rejectedBy === 'nginx' ? notInForce('invalid', describeInvalidity(known)) : IN_FORCE
}

const ofRoute: Question = ({ identity: { namespace } }, { kind, name, gateway }, context) => {
  const route = isRouteKind(kind) ? context.routes.get(kind, namespace, name) : undefined
  if (route?.state !== 'found') return IN_FORCE
  return gateway ? behind(route.value, gateway, context) : served(route.value, context)
}

/** Whether one Gateway takes a route. */
function behind(route: RouteView, name: GatewayName, context: ForceContext): Force {
  const gateway = context.gateways.get(name.namespace, name.name)
  if (gateway.state !== 'found') return gateway.state === 'absent' ? absent('detached', 'Gateway', name) : UNKNOWN
  if (context.gateways.ownerOf(gateway.value) === 'foreign') return otherController(name, context)
  const attachment = attachmentOf(route, gateway.value, context.namespaces)
  if (attachment.state === 'attached') return IN_FORCE
  return attachment.state === 'unknown' ? UNKNOWN : detached(route, gateway.value, attachment)
}

/** Whether any Gateway of ours takes a route. */
function served(route: RouteView, context: ForceContext): Force {
  const serving = servingOf(route, context)
  if (serving.state === 'served') return IN_FORCE
  if (serving.state === 'unknown') return UNKNOWN
  if (serving.state === 'foreign') return otherController(serving.gateway, context)
  if (serving.state === 'orphan') return notInForce('detached', 'its parentRefs name no Gateway')
  if (serving.state === 'absent') return absent('detached', 'Gateway', serving.gateway)
  if (serving.state === 'no-set')
    return notInForce('detached', `${serving.set.kind} ${serving.set.name} does not exist`)
  const { gateway } = serving.gateway
  return gateway.state === 'found' ? detached(route, gateway.value, serving) : UNKNOWN
}

type Rejected = Pick<Extract<RouteServing, { state: 'rejected' }>, 'reason' | 'parent' | 'knownTo'>

const detached = (route: RouteView, { identity }: GatewayView, rejected: Rejected): Force =>
  notInForce(
    rejected.reason === 'namespace' ? 'namespace' : 'detached',
    `Gateway ${fullName(identity)} ${whyDetached(rejected, route)}`,
  )
