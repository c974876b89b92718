import { GATEWAYS } from '../../src/gateway/cel/policy.ts'
import { isRouteKind } from '../../src/gateway/objects/policy.ts'
import { rule } from '../../src/gateway/rule.ts'
import { joinItems } from '../describe.ts'
import { manifest, target } from './manifest.ts'

/** CEL: the routes that a policy targets, each once. */
const ROUTES = `policy.targets.filter(route, route.?kind.orValue('') in ['HTTPRoute', 'GRPCRoute'] && route.?name.orValue('') != ''
    && !policy.targets.exists(other, other.index < route.index && other.?kind == route.?kind && other.?name == route.?name))`

/** A zone belongs to the policy, not to its routes. (Gateways do not share zones: each has its own nginx.) */
export default rule({
  id: 'gateway/shared-budget',
  severity: 'info',
  judges: 'RateLimitPolicy',
  summary: 'A policy targets one route, unless its routes should share one budget.',
  why: 'A zone belongs to a policy and counts the requests of all its routes together. A client that uses up the rate on one route is rejected on the others, too.',
  remedy: 'Write one policy for each route. Ignore this if the routes should share one budget.',
  source: 'specification of RateLimitPolicy, "Resources and their fields", rule 1',
  messages: { shared: '{count} routes share one budget for each limit: {routes}' },
  cel: {
    cases: [
      {
        message: 'shared',
        at: 'spec.targetRefs',
        when: `size(policy.limits) > 0 && size(${ROUTES}) > 1 && size(${GATEWAYS}) == 0`,
        values: {
          count: `string(size(${ROUTES}))`,
          routes: `[${ROUTES}.map(target, target.kind + ' "' + target.name + '"').join(', ')].map(text,
    text.substring(0, text.lastIndexOf(', ')) + ' and ' + text.substring(text.lastIndexOf(', ') + 2))[0]`,
        },
      },
    ],
  },
  examples: () => ({
    bad: manifest({ targets: [target('HTTPRoute', 'coffee'), target('HTTPRoute', 'tea')] }),
    good: manifest({ targets: [target('HTTPRoute', 'coffee')] }),
  }),
  check({ targets, targetRefs, limits }, { report }) {
    if (limits.length === 0 || targets.length < 2) return
    const routes = new Set(
      targets.flatMap(({ kind, name }) =>
        kind.value && isRouteKind(kind.value) && name.value ? [`${kind.value} "${name.value}"`] : [],
      ),
    )
    const isMixed = targets.some(({ kind }) => kind.value === 'Gateway')
    if (routes.size < 2 || isMixed) return
    report('shared', targetRefs, { count: routes.size, routes: joinItems([...routes]) })
  },
})
