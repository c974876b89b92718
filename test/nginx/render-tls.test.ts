/** HTTPS listeners, with HTTP and gRPC on one port, by name and by wildcard. */
import { credentials } from '@grpc/grpc-js'
import { afterAll, expect, test } from 'vitest'
import { gateway, perClient, policy, route } from '../gateway/objects.ts'
import { createGrpcClient, type GrpcClient } from './backends.ts'
import { statusByTls } from './requests.ts'
import { running } from './running-gateway.ts'
import { describeNginx } from './with-nginx.ts'

const HTTPS = { name: 'https', port: 443, protocol: 'HTTPS', hostname: '*.beans.example' }
const web = { backendRefs: [{ name: 'web', port: 80 }] }
const orders = { backendRefs: [{ name: 'orders', port: 9000 }] }

describeNginx('an HTTPS listener', (program) => {
  const now = running(program, {
    gateway: gateway('shop', [HTTPS]),
    routes: [
      route('menu', { hostnames: ['menu.beans.example'], rules: [web] }),
      route('rest', { rules: [web] }),
      route('orders', { hostnames: ['orders.beans.example'], rules: [orders] }, 'GRPCRoute'),
    ],
    policies: [
      policy('edge', { on: ['Gateway shop'], limits: [perClient('1r/m', { key: '$http_x_edge' })] }),
      ...['HTTPRoute menu', 'GRPCRoute orders'].map((target, index) =>
        policy(`own-${index}`, {
          on: [target],
          limits: [perClient('1r/m', { key: '$http_x_own' })],
          settings: { rejectCode: 429 },
        }),
      ),
    ],
  })
  let client: GrpcClient | undefined
  afterAll(() => client?.close())

  test.each([
    { host: 'menu.beans.example', codes: [200, 429] },
    { host: 'deep.and.wide.beans.example', codes: [200, 200] },
    { host: 'beans.example', codes: [404, 404] },
  ])('answers $host', async ({ host, codes }) =>
    expect([await ask(now().tlsPort, host), await ask(now().tlsPort, host)]).toEqual(codes),
  )

  test('answers gRPC beside it, through the hop', async () => {
    client = createGrpcClient(now().tlsPort, credentials.createSsl(null, null, null, { rejectUnauthorized: false }))
    const seen = [await client.call({ 'x-own': 'a' }), await client.call({ 'x-own': 'a' })]
    expect(seen).toMatchObject([
      { code: 200, grpc: 0 },
      { code: 429, grpc: 14 },
    ])
    expect(now().backends.orders.heard).toHaveLength(1)
  })
})

const ask = (port: number, host: string): Promise<number> =>
  statusByTls(port, { servername: host, headers: { host, 'x-own': host } })
