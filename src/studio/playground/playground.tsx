/** Manifests in an editor, and what they mean, while one types. */
import { useEffect, useState } from 'preact/hooks'
import { library } from '../library/library.ts'
import { Simulation } from '../simulation/simulation.tsx'
import type { ViewProps } from '../view.ts'

const SOURCES = [
  {
    file: 'shop.yaml',
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
  rules: [{ matches: [{ path: { type: PathPrefix, value: /coffee } }] }]
---
apiVersion: gateway.nginx.org/v1alpha1
kind: RateLimitPolicy
metadata: { name: coffee, namespace: shop }
spec:
  targetRefs: [{ group: gateway.networking.k8s.io, kind: HTTPRoute, name: coffee }]
  rateLimit:
    rejectCode: 429
    local:
      rules: [{ key: $binary_remote_addr, rate: 4r/s, burst: 20, delay: 8, zoneSize: 10m }]
`,
  },
]

export function Playground(_props: ViewProps) {
  const [count, setCount] = useState<number>()
  useEffect(() => {
    void library()
      .rules()
      .then((all) => setCount(all.length))
  }, [])
  return (
    <>
      <h1>Playground</h1>
      <p role="status">{count === undefined ? 'Loading the rules …' : `${count} rules`}</p>
      <Simulation sources={SOURCES} route={undefined} />
    </>
  )
}
