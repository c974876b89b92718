/** Which routes have no limit at all: the question behind `gateway/route-without-limit` and `sluice effective --uncovered`. */
import { isObject } from '../../json/member.ts'
import { type EffectiveModes, effectiveLimits } from '../effective/effective.ts'
import type { GatewayName } from '../lookups/lookups.ts'
import type { RouteView } from '../objects/gateways-and-routes.ts'
import type { PolicyView } from '../objects/policy.ts'
import { onlyRedirects } from '../routing/matches.ts'
import { type ForceContext, forceOf } from './force.ts'

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
  const { kind, namespace, name = '' } = route.identity
  const powerless: Powerless[] = []
  for (const path of paths) {
    const places = [
      { home: path.namespace, place: { kind: 'Gateway', name: path.name } as const },
      { home: namespace, place: { kind, name, gateway: path } },
    ]
    for (const { home, place } of places)
      for (const policy of context.policies.targeting(place.kind, home, place.name).items) {
        const force = forceOf(policy, place, context)
        if (force.state === 'not-in-force') powerless.push({ policy, words: force.words })
        else if (policy.limits.length > 0) return { state: 'covered' }
      }
  }
  return {
    state: 'uncovered',
    isCertain: paths.every(({ complete }) => complete),
    gateways: paths.map((path) => ({ namespace: path.namespace, name: path.name })),
    powerless: [...new Map(powerless.map((one) => [one.policy, one])).values()],
  }
}

function isExempt({ object: { metadata } }: RouteView): boolean {
  const { labels, annotations } = isObject(metadata) ? metadata : {}
  return [labels, annotations].some((names) => isObject(names) && Object.hasOwn(names, UNLIMITED))
}
