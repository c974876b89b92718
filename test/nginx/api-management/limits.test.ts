/** What the limits of API proxies do to requests. Source: specification of the API management rate limit policy. */
import { describe, expect, test } from 'vitest'
import { isOlder } from '../../../src/nginx/version.ts'
import { createGrpcClient } from '../backends.ts'
import { describeNginx } from '../with-nginx.ts'
import { limiting, serving } from './serving.ts'

const REJECTION = (code: number, message: string) => JSON.stringify({ message, status: String(code) })

describeNginx('the limits of API proxies', (program) => {
  describe('by key', () => {
    const now = serving(program, ({ web }) => {
      const by = (rateLimitBy: string, more = {}) => ({
        name: rateLimitBy,
        proxyConfig: {
          ingress: { basePath: `/${rateLimitBy}` },
          backends: [web],
          policies: { 'rate-limit': [limiting([{ rate: '1r/s', rateLimitBy, zoneSize: '1M' }], more)] },
        },
      })
      const limit = { rate: '1r/s', rateLimitBy: 'client.ip', zoneSize: '1M' }
      return {
        proxies: {
          1: by('uri'),
          2: by('client.ip', { returnCode: 503 }),
          444: { ...by('uri', { returnCode: 444 }), version: 'v444' },
          495: { ...by('uri', { returnCode: 495 }), version: 'v495' },
          599: { ...by('uri', { returnCode: 599 }), version: 'v599' },
          3: by('consumer', { returnCode: 420 }),
          4: {
            name: 'several',
            proxyConfig: {
              ingress: { basePath: '/several' },
              backends: [web],
              policies: {
                'rate-limit': [
                  limiting([{ ...limit, throttle: { burst: 5, noDelay: true } }]),
                  limiting([
                    { ...limit, rateLimitBy: 'uri', throttle: { burst: 1, noDelay: true } },
                    { ...limit, rateLimitBy: 'uri', throttle: { burst: 9, noDelay: true } },
                  ]),
                ],
              },
            },
          },
          5: {
            name: 'routes',
            proxyConfig: {
              ingress: {
                basePath: '/routes',
                routes: [
                  { uri: '/menu', httpMethod: 'GET' },
                  { uri: '/orders/{id}', targetBackendServiceLabel: 'other' },
                  { uri: '/orders/all', targetBackendServiceLabel: 'nowhere' },
                ],
              },
              backends: [
                web,
                { ...Object(web), label: { targetName: 'other' } },
                { serviceName: 'none', label: { targetName: 'nowhere' } },
              ],
              policies: { 'rate-limit': [limiting([{ ...limit, throttle: { burst: 2, noDelay: true } }])] },
            },
          },
        },
      }
    })

    test('a limit by URI counts each path, whoever asks', async () => {
      const { codes } = now()
      expect(await codes(2, '/v1/uri/a?x=1')).toEqual([200, 429])
      expect(await codes(2, '/v1/uri/b', { from: '127.0.0.2' })).toEqual([200, 429])
      expect(await codes(1, '/v1/uri/a?x=2', { from: '127.0.0.3' })).toEqual([429])
    })

    test('a limit by client address counts each client, whatever it asks for', async () => {
      const { codes, ask } = now()
      expect(await codes(2, '/v1/client.ip/a')).toEqual([200, 503])
      expect((await ask('/v1/client.ip/b')).body).toBe(REJECTION(503, 'Service Unavailable'))
      expect(await codes(2, '/v1/client.ip', { from: '127.0.0.2' })).toEqual([200, 503])
      expect(
        await codes(1, '/v1/client.ip/c', { headers: { 'x-forwarded-for': '9.9.9.9', 'x-real-ip': '9.9.9.8' } }),
      ).toEqual([503])
    })

    test('codes that nginx treats in its own way are answered as the lint says', async () => {
      const { ask } = now()
      for (const version of ['v444', 'v495', 'v599']) expect((await ask(`/${version}/uri/a`)).code).toBe(200)
      await expect(ask('/v444/uri/a')).rejects.toThrow('socket hang up')
      expect(await ask('/v495/uri/a')).toMatchObject({ code: 400, body: REJECTION(400, 'Bad Request') })
      expect(await ask('/v599/uri/a')).toMatchObject({ code: 599, body: REJECTION(599, 'Too Many Requests') })
    })

    test('without a proof of who the consumer is, its address counts', async () => {
      const { codes, ask } = now()
      const claims = { 'x-consumer-id': 'else', apikey: 'secret', authorization: 'Bearer x' }
      expect(await codes(2, '/v1/consumer/a')).toEqual([200, 420])
      expect(await codes(1, '/v1/consumer/a', { headers: claims })).toEqual([420])
      expect((await ask('/v1/consumer/a')).body).toBe(REJECTION(420, 'Too Many Requests'))
      expect(await codes(1, '/v1/consumer/a', { from: '127.0.0.2' })).toEqual([200])
    })

    test('several policies with several limits all apply', async () => {
      const { codes } = now()
      expect(await codes(3, '/v1/several/a')).toEqual([200, 200, 429])
      expect(await codes(3, '/v1/several/b')).toEqual([200, 200, 429])
      expect(await codes(3, '/v1/several/c')).toEqual([200, 200, 429])
      expect(await codes(3, '/v1/several/d')).toEqual([429, 429, 429])
    })

    test('all routes share one budget, and so does what no route names', async () => {
      const { codes } = now()
      expect(await codes(1, '/v1/routes/menu')).toEqual([200])
      expect(await codes(1, '/v1/routes/orders/7')).toEqual([200])
      expect(await codes(1, '/v1/routes/orders/all')).toEqual([502])
      for (const path of ['menu', 'orders/8', 'orders/all', 'orders/8/', 'other', ''])
        expect(await codes(1, `/v1/routes/${path}`)).toEqual([429])
      expect(await codes(1, '/v1/routes')).toEqual([429])
    })
  })

  describe('shaping', () => {
    const now = serving(
      program,
      ({ web }) => {
        const shaped = (name: string, throttle: object) => ({
          name,
          proxyConfig: {
            ingress: { basePath: `/${name}`, basePathVersionAppendRule: 'NONE' },
            backends: [web],
            policies: { 'rate-limit': [limiting([{ rate: '1r/s', zoneSize: '1M', throttle: { ...throttle } }])] },
          },
        })
        return {
          proxies: {
            a: shaped('stored', { burst: 2 }),
            b: shaped('at-once', { burst: 2, noDelay: true }),
            c: shaped('two-stages', { burst: 3, delay: 1 }),
            d: shaped('none', {}),
          },
        }
      },
      (text) => text,
    )

    const together = async (name: string, count: number) => {
      const { ask, outcomes } = now()
      const headers = { 'x-correlation-id': name }
      const all = await Promise.all(Array.from({ length: count }, () => ask(`/${name}`, { headers })))
      return { codes: all.map(({ code }) => code).sort(), outcomes: [...(await outcomes(name, count))].sort() }
    }

    test('excess requests are stored in a buffer, and those beyond it are rejected', async () => {
      expect(await together('stored', 4)).toEqual({
        codes: [200, 200, 200, 429],
        outcomes: ['DELAYED', 'DELAYED', 'PASSED', 'REJECTED'],
      })
    })

    test('excess requests are processed at once while there is room', async () => {
      expect(await together('at-once', 4)).toEqual({
        codes: [200, 200, 200, 429],
        outcomes: ['PASSED', 'PASSED', 'PASSED', 'REJECTED'],
      })
    })

    test('excess requests are throttled in two stages', async () => {
      expect(await together('two-stages', 5)).toEqual({
        codes: [200, 200, 200, 200, 429],
        outcomes: ['DELAYED', 'DELAYED', 'PASSED', 'PASSED', 'REJECTED'],
      })
    })

    test('without a throttle excess requests are rejected', async () => {
      expect(await together('none', 2)).toEqual({ codes: [200, 429], outcomes: ['PASSED', 'REJECTED'] })
    })
  })

  describe('of environments and gRPC', () => {
    const now = serving(program, ({ web, orders }) => {
      const limit = { rate: '1r/s', zoneSize: '1M' }
      const simple = (name: string, policies = {}) => ({
        name,
        proxyConfig: { ingress: { basePath: `/${name}` }, backends: [web], policies },
      })
      return {
        environments: [
          {
            name: 'prod',
            policies: {
              'rate-limit': [limiting([{ ...limit, throttle: { burst: 3, noDelay: true } }], { returnCode: 503 })],
            },
          },
        ],
        proxies: {
          one: simple('one'),
          two: simple('two', { 'rate-limit': [limiting([limit])] }),
          rpc: {
            name: 'rpc',
            proxyConfig: {
              hostname: 'orders.beans.example',
              grpcIngress: { service: 'beans.orders.v1.Orders' },
              backends: [orders],
              policies: {
                'rate-limit': [limiting([{ ...limit, rateLimitBy: 'uri' }], { returnCode: 503, grpcStatusCode: 403 })],
              },
            },
          },
        },
      }
    })

    test('global policies and those of the proxy all apply, and proxies share what is global', async () => {
      const { codes } = now()
      const from = '127.0.0.7'
      expect(await codes(2, '/v1/two/a', { from })).toEqual([200, 429])
      expect(await codes(4, '/v1/one/a', { from })).toEqual([200, 200, 200, 503])
      expect(await codes(1, '/v1/one/a', { from: '127.0.0.8' })).toEqual([200])
    })

    test('a refused gRPC request has the status grpcStatusCode, and clients read it as a status of gRPC', async () => {
      const { grpc } = now()
      expect(await grpc.call()).toMatchObject({ code: 200, grpc: 0 })
      expect(await grpc.call()).toMatchObject({ code: 403, grpc: 7 })
    })

    test('after 1.25.1 one port has both HTTP/1 and gRPC', async () => {
      const { port, ask } = now()
      const client = createGrpcClient(port)
      const { code } = await client.call()
      client.close()
      // Its budget is spent, so that nginx refuses it.
      const isOld = isOlder(program.version, '1.25.1')
      expect(code).toBe(isOld ? 0 : 403)
      expect((await ask('/', { host: 'orders.beans.example' })).code).toBe(404)
    })
  })
})
