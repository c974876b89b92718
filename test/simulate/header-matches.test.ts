/** Matches with headers, in logs that have those headers. */
import { expect, it } from 'vitest'
import { createShop, json, write } from './shop.ts'

createShop()

const CANARY = `
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: canary, namespace: shop}
spec:
  parentRefs: [{name: edge}]
  rules:
  - matches:
    - path: {type: PathPrefix, value: /coffee}
      headers: [{name: X-Tenant, type: RegularExpression, value: .*}]
`
const VALUES = ['acme', '', 'acme', 'beans']
/** Requests to the route that needs the header, and to the one that does not. */
const ROUTES = [
  { name: 'canary', requests: 3 },
  { name: 'coffee', requests: 1 },
]

it.each([
  ['text', (value: string) => `10.0.0.1 - - [05/Jan/2026:12:00:00 +0000] "GET /coffee HTTP/1.1" 200 "${value || '-'}"`],
  [
    'JSON',
    (value: string) =>
      JSON.stringify({ time: '2026-01-05T12:00:00Z', ip: '10.0.0.1', uri: '/coffee', http_x_tenant: value }),
  ],
])('are found in lines of %s', async (format, lineOf) => {
  write('k8s/canary.yaml', CANARY)
  write('headers.log', VALUES.map((value) => `${lineOf(value)}\n`).join(''))
  const words =
    format === 'text'
      ? ['--log-format', '$remote_addr - $remote_user [$time_local] "$request" $status "$http_x_tenant"']
      : []
  const { routes } = await json('k8s --log headers.log', undefined, words)
  const found = routes.filter(({ requests }: { requests: number }) => requests > 0)
  expect(found).toMatchObject(ROUTES)
})
