import { rule } from '../../src/gateway/rule.ts'
import { isRouteKind } from '../../src/gateway/objects/policy.ts'
import { manifest, target } from './manifest.ts'

/** nginx keeps a Gateway's directives at http and a route's at location: one policy cannot be both. */
export default rule({
  id: 'gateway/mixed-target-kinds',
  severity: 'error',
  judges: 'RateLimitPolicy',
  summary: 'A policy targets Gateways or routes, never both.',
  why: "A Gateway's directives are written at nginx's http context, a route's at its locations. One policy is rendered in one place, so the API server refuses a mixture.",
  remedy: 'Split it: one policy for the Gateway, one for the routes.',
  source: 'specification of RateLimitPolicy, "Resources and their fields", rule 2',
  messages: { mixed: '{kind} "{name}" cannot stand beside Gateway "{gateway}" in one policy' },
  examples: {
    bad: manifest({ targets: [target('Gateway', 'shop'), target('HTTPRoute', 'coffee')] }),
    good: manifest({ targets: [target('Gateway', 'shop')] }),
  },
  check({ targets }, { report }) {
    const gateway = targets.find(({ kind }) => kind.value === 'Gateway')
    if (!gateway) return
    for (const { kind, name } of targets)
      if (kind.value && isRouteKind(kind.value))
        report('mixed', kind, { kind: kind.value, name: name.value ?? '', gateway: gateway.name.value ?? '' })
  },
})
