import { GATEWAYS } from '../../src/gateway/cel/policy.ts'
import { isRouteKind } from '../../src/gateway/objects/policy.ts'
import { rule } from '../../src/gateway/rule.ts'
import { manifest, target } from './manifest.ts'

/** nginx has the limits of a Gateway in its http context and those of a route in locations: a policy cannot be in both. */
export default rule({
  id: 'gateway/mixed-target-kinds',
  severity: 'error',
  judges: 'RateLimitPolicy',
  summary: 'A policy targets Gateways or routes, not both.',
  why: 'The limits of a Gateway are written into the http context of nginx, those of a route into its locations. One policy is written in only one of these places, so the API server refuses a mixture.',
  remedy: 'Split the policy into one for the Gateway and one for the routes.',
  source: 'specification of RateLimitPolicy, "Resources and their fields", rule 2',
  messages: {
    mixed: '{kind} "{name}" and Gateway "{gateway}" cannot be targets of the same policy',
  },
  cel: {
    each: 'target',
    of: 'policy.targets',
    cases: [
      {
        message: 'mixed',
        at: 'kind',
        when: `target.?kind.orValue('') in ['HTTPRoute', 'GRPCRoute'] && size(${GATEWAYS}) > 0`,
        values: {
          kind: 'target.kind',
          name: "target.?name.orValue('')",
          gateway: `${GATEWAYS}[0].?name.orValue('')`,
        },
      },
    ],
  },
  examples: () => ({
    bad: manifest({ targets: [target('Gateway', 'shop'), target('HTTPRoute', 'coffee')] }),
    good: manifest({ targets: [target('Gateway', 'shop')] }),
  }),
  check({ targets }, { report }) {
    const gateway = targets.find(({ kind }) => kind.value === 'Gateway')
    if (!gateway) return
    for (const { kind, name } of targets)
      if (kind.value && isRouteKind(kind.value))
        report('mixed', kind, { kind: kind.value, name: name.value ?? '', gateway: gateway.name.value ?? '' })
  },
})
