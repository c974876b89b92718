/**
 * `sluice effective`: every limit that a request to an object meets. Source: specification of RateLimitPolicy, "What
 * the service does".
 */
import type { Settings } from '../engine/settings.ts'
import type { Attachment } from '../gateway/attachment.ts'
import { parentGateways } from '../gateway/attachment.ts'
import type { GatewayView, RouteView } from '../gateway/attachments.ts'
import { type Composition, effectiveLimits, limitsOn } from '../gateway/effective.ts'
import { keyPlatform } from '../gateway/keys.ts'
import { onlyRedirects } from '../gateway/matches.ts'
import { isRouteKind, type PolicyView, type RouteKind, type TargetKind } from '../gateway/policy.ts'
import { type FindOptions, findTarget, type Meant, type Outcome, readAsked } from './find-target.ts'
import type { LimitGlasses, PolicyName } from './limit.ts'
import { policyName } from './limit.ts'
import type { Sight } from './sight.ts'
import { answerStretch, type StretchAnswer } from './stretch.ts'

/** What applies behind one Gateway, or where `gateway` is null as far as nobody knows which Gateways there are. */
export type BehindAnswer = StretchAnswer & {
  readonly gateway: { readonly namespace: string; readonly name: string; readonly inSight: boolean } | null
  /** Whether the Gateway certainly takes the route; `attached` for the Gateway itself. */
  readonly attachment: 'attached' | 'unknown'
  /** The listeners that take it, each with the hostnames under which it answers; an empty one stands for every host. */
  readonly listeners: readonly {
    readonly name: string
    readonly port: number | null
    readonly hostnames: readonly string[]
  }[]
}

/** A policy that targets the object or its Gateway and does not count. */
export type InvalidAnswer = PolicyName & { readonly errors: number; readonly message: string }

/** A route behind the Gateway that is asked about. */
export type AttachedAnswer = {
  readonly kind: RouteKind
  readonly namespace: string
  readonly name: string
  readonly attachment: 'attached' | 'unknown'
  /** Limits of its own. */
  readonly limits: number
  /** True where they replace those of the Gateway. */
  readonly replaces: boolean
}

/** The answer; its JSON is a contract, version 1. */
export type EffectiveAnswer = {
  readonly version: 1
  readonly target: {
    readonly kind: TargetKind
    readonly namespace: string
    readonly name: string
    /** False where only policies name it. */
    readonly inSight: boolean
    /** True for a route of which every rule redirects: nginx answers before it looks at limits. */
    readonly redirects: boolean
  }
  /** The world that it lives in; null where the settings name none. */
  readonly world: string | null
  readonly composition: Composition
  /** False where something that is not in sight may change the answer. */
  readonly complete: boolean
  /** One for each Gateway that may take the route. */
  readonly behind: readonly BehindAnswer[]
  /** Gateways that the route names and that do not take it, and why. */
  readonly refusedBy: readonly (PolicyName & { readonly reason: string })[]
  /** Policies that do not count: no cluster takes them, or no nginx does. */
  readonly invalid: readonly InvalidAnswer[]
  /** For a Gateway: the routes in sight that name it. */
  readonly routes: readonly AttachedAnswer[]
}

export type EffectiveOptions = FindOptions & { readonly settings: Settings }

/** Answers a question such as `HTTPRoute/shop/coffee`, or says in one line why there is no answer. */
export function answerEffective(
  asked: string,
  sights: readonly Sight[],
  options: EffectiveOptions,
): Outcome<EffectiveAnswer> {
  const read = readAsked(asked)
  if (!read.ok) return read
  const found = findTarget(read.value, sights, options)
  return found.ok ? { ok: true, value: answer(found.value, options.settings) } : found
}

function answer(meant: Meant, settings: Settings): EffectiveAnswer {
  const { sight, kind, namespace, name } = meant
  const route = routeOf(meant)
  const behind = isRouteKind(kind) ? behindGateways(meant, route, settings) : [atGateway(meant, settings)]
  const gateway = gatewayOf(meant)
  return {
    version: 1,
    target: {
      kind,
      namespace,
      name,
      inSight: route !== undefined || gateway !== undefined,
      redirects: route !== undefined && onlyRedirects(route),
    },
    world: sight.name || null,
    composition: settings.composition,
    complete: behind.every(({ complete }) => complete),
    behind,
    refusedBy: route ? refusals(route, sight) : [],
    invalid: invalidOn(meant, behind),
    routes: gateway ? routesBehind(gateway, sight, settings) : [],
  }
}

function routeOf({ sight: { world }, kind, namespace, name }: Meant): RouteView | undefined {
  const found = isRouteKind(kind) ? world.routes.get(kind, namespace, name) : undefined
  return found?.state === 'found' ? found.value : undefined
}

function gatewayOf({ sight: { world }, kind, namespace, name }: Meant): GatewayView | undefined {
  const found = kind === 'Gateway' ? world.gateways.get(namespace, name) : undefined
  return found?.state === 'found' ? found.value : undefined
}

/** What limits are looked at with, where these objects are in sight anyway. */
const glassesOf = ({ kind, sight }: Meant, { platform }: Settings, present: readonly string[]): LimitGlasses => ({
  kind,
  platform: { ...keyPlatform(platform, sight.world.variables.defined), pageSize: platform.pageSize },
  present,
})

function behindGateways(meant: Meant, route: RouteView | undefined, settings: Settings): readonly BehindAnswer[] {
  const { sight, kind, name } = meant
  const own = `${kind}/${name}`
  const parents = route ? effectiveLimits(route, sight.world, settings) : []
  if (parents.length === 0) return [nobodyKnows(meant, settings)]
  return parents.map(({ gateway, attachment, ...at }) => ({
    gateway: { namespace: at.namespace ?? '', name: at.name, inSight: gateway.state === 'found' },
    attachment: attachment.state === 'attached' ? 'attached' : 'unknown',
    listeners: listenersOf(attachment),
    ...answerStretch(at, glassesOf(meant, settings, [own, `Gateway/${at.name}`])),
  }))
}

/** What a route's own policies make where no Gateway that could take it is in sight. */
const nobodyKnows = (meant: Meant, settings: Settings): BehindAnswer => ({
  gateway: null,
  attachment: 'unknown',
  listeners: [],
  ...alone(meant, settings),
  complete: false,
})

function atGateway(meant: Meant, settings: Settings): BehindAnswer {
  const gateway = gatewayOf(meant)
  const listeners = (gateway?.listeners ?? []).map(({ name = '', port = null, hostname = '' }) => ({
    name,
    port,
    hostnames: [hostname],
  }))
  return {
    gateway: { namespace: meant.namespace, name: meant.name, inSight: gateway !== undefined },
    attachment: 'attached',
    listeners,
    ...alone(meant, settings),
  }
}

function alone(meant: Meant, settings: Settings): StretchAnswer {
  const { sight, kind, namespace, name } = meant
  const level = limitsOn({ kind, namespace, name }, sight.world.policies, settings.conflict)
  return answerStretch({ ...level, lifted: [] }, glassesOf(meant, settings, [`${kind}/${name}`]))
}

const listenersOf = (attachment: Attachment): BehindAnswer['listeners'] =>
  attachment.state !== 'attached'
    ? []
    : attachment.via.map(({ listener: { name = '', port = null }, hostnames }) => ({ name, port, hostnames }))

const refusals = (route: RouteView, { world }: Sight): EffectiveAnswer['refusedBy'] =>
  parentGateways(route, world).flatMap(({ namespace = '', name, attachment }) =>
    attachment.state === 'refused' ? [{ namespace, name, reason: attachment.reason }] : [],
  )

/** The policies on the object or on one of its Gateways that do not count. */
function invalidOn({ sight, kind, namespace, name }: Meant, behind: readonly BehindAnswer[]): readonly InvalidAnswer[] {
  const gateways = behind.flatMap(({ gateway }) => (gateway ? [{ kind: 'Gateway', ...gateway }] : []))
  const objects = [{ kind: String(kind), namespace, name }, ...gateways]
  const isConcerned = ({ identity, targets }: PolicyView) =>
    targets.some((target) =>
      objects.some(
        (object) =>
          object.namespace === identity.namespace &&
          object.kind === target.kind.value &&
          object.name === target.name.value,
      ),
    )
  return [...sight.invalid].flatMap(([policy, invalidity]) =>
    isConcerned(policy) ? [{ ...policyName(policy), ...invalidity }] : [],
  )
}

function routesBehind(gateway: GatewayView, sight: Sight, settings: Settings): readonly AttachedAnswer[] {
  const { items } = sight.world.routes.attachedTo(gateway)
  return items.flatMap((route) => {
    const { kind, namespace = '', name = '' } = route.identity
    const here = effectiveLimits(route, sight.world, settings).find(
      (at) => at.gateway.state === 'found' && at.gateway.value === gateway,
    )
    if (!here) return []
    const own = here.limits.filter(({ level }) => level === 'route').length
    const attachment = here.attachment.state === 'attached' ? ('attached' as const) : ('unknown' as const)
    return [{ kind, namespace, name, attachment, limits: own, replaces: here.lifted.length > 0 }]
  })
}
