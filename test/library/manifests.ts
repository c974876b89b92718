/** A Gateway, a route and a policy, and a log of requests to them. */
import type { TextSource } from '../../src/browser.ts'

/** A policy whose rate, burst or key may be wrong. */
export const policy = (rate: string, more = ''): TextSource => ({
  file: 'policy.yaml',
  text: `apiVersion: gateway.nginx.org/v1alpha1
kind: RateLimitPolicy
metadata: { name: coffee, namespace: shop }
spec:
  targetRefs:
  - { group: gateway.networking.k8s.io, kind: HTTPRoute, name: coffee }
  rateLimit:
    local:
      rules:
      - { key: $binary_remote_addr, rate: ${rate}, zoneSize: 10m${more} }
`,
})

/** A Gateway and a route. */
export const GATEWAY: TextSource = {
  file: 'gateway.yaml',
  text: `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: edge, namespace: shop }
spec:
  gatewayClassName: nginx
  listeners: [{ name: http, port: 80, protocol: HTTP }]
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: coffee, namespace: shop }
spec:
  parentRefs: [{ name: edge }]
  rules: [{ backendRefs: [{ name: coffee, port: 80 }] }]
`,
}

/** All that a request meets. */
export const SHOP: readonly TextSource[] = [GATEWAY, policy('1r/s')]

/** Three requests within a second. */
export const LOG = `${[0, 1, 2]
  .map((n) => `198.51.100.7 - - [31/Jan/2026:12:00:00 +0000] "GET /?${n} HTTP/1.1" 200 5 "-" "-"`)
  .join('\n')}\n`

/** A Pod in YAML. */
export const POD = `apiVersion: v1
kind: Pod
metadata: { name: web }
spec:
  containers:
  - name: web
    image: web:1
    ports:
    - containerPort: 80
`
