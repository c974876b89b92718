/** Which routes have no limit at all: the question behind `gateway/route-without-limit` and `sluice effective --uncovered`. */
import { isObject } from '../../json/member.ts'
import { type EffectiveModes, effectiveLimits } from '../effective/effective.ts'
import type { GatewayName } from '../lookups/lookups.ts'
import type { RouteView } from '../objects/gateways-and-routes.ts'
import type { PolicyView } from '../objects/policy.ts'
import { onlyRedirects } from '../routing/matches.ts'
import { type ForceContext, forceOf, type Place } from './force.ts'

/** A label or an annotation of a route that is meant to have no limit; its value is the reason. */
export const UNLIMITED = 'sluice.policy/unlimited'

/** Why a policy on a route or on its Gateway limits nothing there. */
type Powerless = { readonly policy: PolicyView; readonly words: string }

/** What is known of a route. */
export type Coverage =
  /** `exempt`: it is meant to have no limit. `redirects`: nginx answers before it looks at limits. `unserved`: no Gateway of ours serves it. */
  | { readonly state: 'covered' | 'exempt' | 'redirects' | 'unserved' }
  | {
      readonly state: 'uncovered'
      /** False where a policy or a Gateway that is not known may limit it. */
      readonly isCertain: boolean
      /** The Gateways that serve it, or may. */
      readonly gateways: readonly GatewayName[]
      /** Policies that would limit it, and are not in force. */
      readonly powerless: readonly Powerless[]
    }

/** Whether a route has a limit behind some Gateway. Limits in a dry run count: somebody has thought of the route. */
export function coverageOf(route: RouteView, context: ForceContext & EffectiveModes): Coverage {
  if (isExempt(route)) return { state: 'exempt' }
  if (onlyRedirects(route)) return { state: 'redirects' }
  const paths = effectiveLimits(route, context, context).filter(
    ({ isForeign, gateway }) => !isForeign && gateway.state !== 'absent',
  )
  if (paths.length === 0) return { state: 'unserved' }
  const asked = paths.flatMap((path) => policiesBehind(route, path, context))
  if (asked.some(({ policy, words }) => words === undefined && policy.limits.length > 0)) return { state: 'covered' }
  const powerless = asked.flatMap(({ policy, words }) => (words === undefined ? [] : [{ policy, words }]))
  return {
    state: 'uncovered',
    isCertain: paths.every(({ complete }) => complete),
    gateways: paths.map((path) => ({ namespace: path.namespace, name: path.name })),
    powerless: [...new Map(powerless.map((one) => [one.policy, one])).values()],
  }
}

/** The policies on a route and on one of its Gateways, and why they are not in force there. */
function policiesBehind({ identity }: RouteView, gateway: GatewayName, context: ForceContext) {
  const { kind, namespace, name = '' } = identity
  const ask = (place: Place, home: string | undefined) =>
    context.policies.targeting(place.kind, home, place.name).items.map((policy) => {
      const force = forceOf(policy, place, context)
      return { policy, words: force.state === 'not-in-force' ? force.words : undefined }
    })
  return [
    ...ask({ kind: 'Gateway', name: gateway.name }, gateway.namespace),
    ...ask({ kind, name, gateway }, namespace),
  ]
}

function isExempt({ object: { metadata } }: RouteView): boolean {
  const { labels, annotations } = isObject(metadata) ? metadata : {}
  return [labels, annotations].some((names) => isObject(names) && Object.hasOwn(names, UNLIMITED))
}
