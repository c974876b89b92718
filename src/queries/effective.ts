/**
 * `sluice effective`: every limit that a request to an object meets. Source: specification of RateLimitPolicy, "What
 * the service does".
 */

import { effectiveLimits, limitsOn } from '../gateway/effective/effective.ts'
import { keyPlatform } from '../gateway/keys/keys.ts'
import type { GatewayView, RouteView } from '../gateway/objects/gateways-and-routes.ts'
import { isRouteKind, type PolicyView } from '../gateway/objects/policy.ts'
import { type Attachment, parentGateways, servingOf } from '../gateway/routing/attachment.ts'
import { onlyRedirects } from '../gateway/routing/matches.ts'
import type { Settings } from '../settings/settings.ts'
import type { AttachedAnswer, BehindAnswer, EffectiveAnswer, InvalidAnswer } from './effective-result.ts'
import { type FindOptions, findTarget, type Meant, type Outcome, readAsked } from './find-target.ts'
import { type LimitGlasses, policyName } from './limit.ts'
import type { Sight } from './query-world.ts'
import { answerStretch, type StretchAnswer } from './request-path.ts'

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
    closedWorld: sight.closedWorld,
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

/** What limits are looked at with. */
const glassesOf = ({ kind, name, sight }: Meant, { platform }: Settings): LimitGlasses => ({
  kind,
  self: `${kind}/${name}`,
  platform: { ...keyPlatform(platform, sight.world.variables.defined), pageSize: platform.pageSize },
})

function behindGateways(meant: Meant, route: RouteView | undefined, settings: Settings): readonly BehindAnswer[] {
  const named = route ? effectiveLimits(route, meant.sight.world, settings) : []
  const parents = named.filter(({ gateway }) => gateway.state !== 'absent')
  if (parents.length === 0) return [withoutGateway(meant, route, settings)]
  return parents.map(({ gateway, attachment, ...at }) => ({
    gateway: { namespace: at.namespace ?? '', name: at.name, inSight: gateway.state === 'found' },
    attachment: attachment.state === 'attached' ? 'attached' : 'unknown',
    listeners: listenersOf(attachment),
    ...answerStretch(at, glassesOf(meant, settings)),
  }))
}

/** What a route's own policies make where no Gateway takes it, or where nobody knows which ones there are. */
function withoutGateway(meant: Meant, route: RouteView | undefined, settings: Settings): BehindAnswer {
  const isUnserved = route !== undefined && servingOf(route, meant.sight.world).state !== 'unknown'
  const own = alone(meant, settings)
  return {
    gateway: null,
    attachment: isUnserved ? 'refused' : 'unknown',
    listeners: [],
    ...own,
    complete: isUnserved && own.complete,
  }
}

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
  return answerStretch({ ...level, lifted: [] }, glassesOf(meant, settings))
}

const listenersOf = (attachment: Attachment): BehindAnswer['listeners'] =>
  attachment.state !== 'attached'
    ? []
    : attachment.listeners.map(({ listener: { name = '', port = null }, hostnames }) => ({ name, port, hostnames }))

const refusals = (route: RouteView, { world }: Sight): EffectiveAnswer['refusedBy'] =>
  parentGateways(route, world).flatMap(({ namespace = '', name, gateway, attachment }) => {
    if (gateway.state === 'absent') return [{ namespace, name, reason: 'absent' }]
    return attachment.state === 'rejected' ? [{ namespace, name, reason: attachment.reason }] : []
  })

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
