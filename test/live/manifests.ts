/** Manifests of a small shop, and the world that they make. */
import { takeWorld } from '../../src/live/world.ts'
import { objectsOf } from '../../src/project/worlds.ts'
import { namedWorlds } from '../../src/queries/query-world.ts'
import { DEFAULT_SETTINGS, type Settings } from '../../src/settings/settings.ts'

/** A Gateway in the namespace `shop` with a listener for HTTP. */
export const gateway = (name = 'edge', listeners = '[{ name: http, port: 80, protocol: HTTP }]'): string => `---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: ${name}, namespace: shop }
spec: { gatewayClassName: nginx, listeners: ${listeners} }
`

/** A route to `/NAME` behind a Gateway. */
export const route = (
  name: string,
  { kind = 'HTTPRoute', parent = 'edge', match = `path: { value: /${name} }` } = {},
): string => `---
apiVersion: gateway.networking.k8s.io/v1
kind: ${kind}
metadata: { name: ${name}, namespace: shop }
spec:
  parentRefs: [{ name: ${parent} }]
  rules: [{ matches: [{ ${match} }], backendRefs: [{ name: web, port: 80 }] }]
`

/** A policy on the route of its name. `limit`: `key: $uri, rate: 1r/m`. */
export const policy = (
  name: string,
  limit: string,
  { settings = '', target = name, kind = 'HTTPRoute', created = '', size = '32k' } = {},
): string => `---
apiVersion: gateway.nginx.org/v1alpha1
kind: RateLimitPolicy
metadata: { name: ${name}, namespace: shop${created && `, creationTimestamp: "${created}"`} }
spec:
  targetRefs: [{ group: gateway.networking.k8s.io, kind: ${kind}, name: ${target} }]
  rateLimit: { ${settings}${settings && ', '}local: { rules: [{ zoneSize: ${size}, ${limit} }] } }
`

/** The world of manifests, of which there are no others. */
export function worldOf(text: string, settings: Settings = DEFAULT_SETTINGS) {
  const [world] = namedWorlds([{ file: 'shop.yaml', text }], { settings, closedWorld: true })
  if (!world) throw new Error('no manifests')
  return takeWorld(objectsOf(world.objects.collected, { closed: true }), settings)
}
