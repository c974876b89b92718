/** Manifests to begin with. */
import type { TextSource } from '../../browser.ts'

/** An example: what it shows, and its files. */
export type Example = {
  readonly title: string
  readonly files: readonly TextSource[]
  /** The version before the change that it shows. */
  readonly previous?: readonly TextSource[]
}

const GATEWAY = `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata:
  name: edge
  namespace: shop
spec:
  gatewayClassName: nginx
  listeners:
  - name: http
    port: 80
    protocol: HTTP
`

const route = (name: string): string => `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  name: ${name}
  namespace: shop
spec:
  parentRefs:
  - name: edge
  rules:
  - matches:
    - path: { type: PathPrefix, value: /${name} }
    backendRefs:
    - { name: ${name}, port: 80 }
`

const policy = (name: string, target: string, settings: string): string => `apiVersion: gateway.nginx.org/v1alpha1
kind: RateLimitPolicy
metadata:
  name: ${name}
  namespace: shop
spec:
  targetRefs:
  - group: gateway.networking.k8s.io
    kind: ${target.split('/')[0]}
    name: ${target.split('/')[1]}
  rateLimit:
${settings}`

const limit = (key: string, rate: string, more = ''): string => `    local:
      rules:
      - key: ${key}
        rate: ${rate}
        zoneSize: 10m
${more}`

const SHOP: readonly TextSource[] = [
  { file: 'gateway.yaml', text: GATEWAY },
  { file: 'routes.yaml', text: `${route('coffee')}---\n${route('tea')}` },
]

const BURST = limit('$binary_remote_addr', '10r/s', '        burst: 20\n        delay: 8\n')

/** Where the requests of a simulation go at first. */
export const FIRST_TARGET = 'HTTPRoute/shop/coffee'

export const EXAMPLES: readonly Example[] = [
  {
    title: 'A burst with a delay',
    files: [
      { file: 'coffee.yaml', text: policy('coffee', 'HTTPRoute/coffee', `    rejectCode: 429\n${BURST}`) },
      ...SHOP,
    ],
  },
  {
    title: 'A Gateway and a route of it',
    files: [
      {
        file: 'limits.yaml',
        text: `${policy('edge', 'Gateway/edge', limit('$binary_remote_addr', '50r/s', '        burst: 50\n        noDelay: true\n'))}---
${policy('coffee', 'HTTPRoute/coffee', limit('$http_x_api_key', '5r/s', '        burst: 5\n'))}`,
      },
      ...SHOP,
    ],
  },
  {
    title: 'Two policies in conflict',
    files: [
      {
        file: 'limits.yaml',
        text: `${policy('coffee', 'HTTPRoute/coffee', `    rejectCode: 429\n${limit('$binary_remote_addr', '10r/s')}`)}---
${policy('partners', 'HTTPRoute/coffee', `    rejectCode: 403\n${limit('$http_x_api_key', '2r/s')}`)}`,
      },
      ...SHOP,
    ],
  },
  {
    title: 'A key that changes without its zone',
    files: [
      { file: 'coffee.yaml', text: policy('coffee', 'HTTPRoute/coffee', limit('$http_x_api_key', '10r/s')) },
      ...SHOP,
    ],
    previous: [
      { file: 'coffee.yaml', text: policy('coffee', 'HTTPRoute/coffee', limit('$binary_remote_addr', '10r/s')) },
      ...SHOP,
    ],
  },
  {
    title: 'Mistakes, with fixes',
    files: [
      {
        file: 'coffee.yaml',
        text: policy(
          'coffee',
          'HTTPRoute/coffee',
          `    rejectCode: 200\n${limit('$remote_adr', '10R/S', '        burst: 10\n        delay: 20\n')}`,
        ),
      },
      ...SHOP,
    ],
  },
]
