import { coverageOf, UNLIMITED } from '../../src/gateway/force/coverage.ts'
import { rule } from '../../src/gateway/rule.ts'
import { shorten } from '../describe.ts'
import { gateway, manifest, route, target } from './manifest.ts'

const PARENT = 'parentRefs: [{ name: shop }]'

/** What nobody has limited is found by the first client that sends too much. */
export default rule({
  id: 'gateway/route-without-limit',
  severity: 'warning',
  isOff: true,
  judges: ['HTTPRoute', 'GRPCRoute'],
  since: '0.2',
  reads: ['gateways', 'routes', 'namespaces', 'policies', 'variables', 'definitions', 'composition', 'conflict'],
  summary: 'A route has a limit, its own or that of its Gateway. Off by default.',
  why: 'A route without any limit takes as many requests as its clients send. It is off by default, as not every team limits every route; with it on, what is meant to have no limit says so.',
  remedy: `Target the route, or its Gateway, with a RateLimitPolicy. If it is meant to have no limit, give it the annotation ${UNLIMITED} with the reason.`,
  source: 'specification of RateLimitPolicy, "What the service does"',
  messages: {
    none: 'no policy limits {kind} "{name}" or Gateway "{gateway}"',
    powerless: {
      text: 'nothing limits {kind} "{name}": policy "{policy}" is not in force there, as {words}',
      remedy: `Correct policy "{policy}". If the route is meant to have no limit, give it the annotation ${UNLIMITED} with the reason.`,
    },
  },
  examples: () => ({
    bad: manifest({ beside: [gateway('shop'), route('coffee', PARENT), route('tea', PARENT)] }),
    good: manifest({
      targets: [target('Gateway', 'shop')],
      beside: [gateway('shop'), route('coffee', PARENT), route('tea', PARENT)],
    }),
    settings: { rules: { 'gateway/route-without-limit': 'warning' } },
  }),
  check(view, context) {
    const { gateways, routes, namespaces, policies, variables, definitions, composition, conflict } = context
    const coverage = coverageOf(view, {
      gateways,
      routes,
      namespaces,
      policies,
      variables,
      definitions,
      composition,
      conflict,
    })
    if (coverage.state !== 'uncovered' || !coverage.isCertain) return
    const [gateway] = coverage.gateways
    const [powerless] = coverage.powerless
    const data = { kind: view.identity.kind, name: shorten(view.identity.name ?? '') }
    if (!powerless) context.report('none', view.metadata.name, { ...data, gateway: gateway?.name ?? '' })
    else {
      const policy = shorten(powerless.policy.identity.name ?? '')
      context.report('powerless', view.metadata.name, { ...data, policy, words: powerless.words })
    }
  },
})
