import { rule } from '../../src/engine/rule.ts'
import { isRouteKind } from '../../src/gateway/policy.ts'

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
    bad: `
apiVersion: gateway.nginx.org/v1alpha1
kind: RateLimitPolicy
metadata: { name: everywhere, namespace: shop }
spec:
  targetRefs:
  - { group: gateway.networking.k8s.io, kind: Gateway, name: shop }
  - { group: gateway.networking.k8s.io, kind: HTTPRoute, name: coffee }
  rateLimit:
    local:
      rules:
      - { key: $binary_remote_addr, rate: 10r/s, zoneSize: 10m }
`,
    good: `
apiVersion: gateway.nginx.org/v1alpha1
kind: RateLimitPolicy
metadata: { name: everywhere, namespace: shop }
spec:
  targetRefs:
  - { group: gateway.networking.k8s.io, kind: Gateway, name: shop }
  rateLimit:
    local:
      rules:
      - { key: $binary_remote_addr, rate: 10r/s, zoneSize: 10m }
`,
  },
  check({ targets }, { report }) {
    const gateway = targets.find(({ kind }) => kind.value === 'Gateway')
    if (!gateway) return
    for (const { kind, name } of targets)
      if (kind.value && isRouteKind(kind.value))
        report('mixed', kind, { kind: kind.value, name: name.value ?? '', gateway: gateway.name.value ?? '' })
  },
})
