/** Manifests and proxies whose limits the tests of the simulation try. */
import { readFileSync } from 'node:fs'
import type { TextSource } from '../../src/browser.ts'

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')
const GATEWAY = read('simulation-gateway.yaml')

const policy = (name: string, target: string, limits: string, more = ''): string => `---
apiVersion: gateway.nginx.org/v1alpha1
kind: RateLimitPolicy
metadata: { name: ${name}, namespace: shop }
spec:
  targetRefs: [{ group: gateway.networking.k8s.io, kind: ${target.split('/')[0]}, name: ${target.split('/')[1]} }]
  rateLimit: { ${more}local: { rules: [${limits}] } }
`

const source = (text: string, file = 'shop.yaml'): readonly TextSource[] => [{ file, text }]

/** A shop whose route for coffee has the given limits. */
export const shop = (limits: string, more = ''): readonly TextSource[] =>
  source(GATEWAY + policy('coffee', 'HTTPRoute/coffee', limits, more))

/** A limit for the whole Gateway, and one for a route behind it. */
export const STACKED = source(
  GATEWAY +
    policy('edge', 'Gateway/edge', '{ key: $binary_remote_addr, rate: 20r/s, burst: 40, zoneSize: 10m }') +
    policy('coffee', 'HTTPRoute/coffee', '{ key: $binary_remote_addr, rate: 4r/s, burst: 9, delay: 3, zoneSize: 10m }'),
)

/** The body of an API proxy with two limits. */
export const PROXY = source(read('simulation-proxy.json'), 'proxy.json')
