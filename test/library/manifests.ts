/** A Gateway, a route and a policy, and a log of requests to them. */
import type { TextSource } from '../../src/browser.ts'
import { casesOf } from '../support/cases.ts'

const { cases } = casesOf(import.meta.url)

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
export const GATEWAY = cases<TextSource>('GATEWAY')

/** All that a request meets. */
export const SHOP: readonly TextSource[] = [GATEWAY, policy('1r/s')]

/** Three requests within a second. */
export const LOG = `${[0, 1, 2]
  .map((n) => `198.51.100.7 - - [31/Jan/2026:12:00:00 +0000] "GET /?${n} HTTP/1.1" 200 5 "-" "-"`)
  .join('\n')}\n`

/** A Pod in YAML. */
export const POD = cases<string>('POD')
