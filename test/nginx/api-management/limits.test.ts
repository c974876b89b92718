/** What the limits of API proxies do to requests. Source: specification of the API management rate limit policy. */
import { describe, expect, test } from 'vitest'
import { overridesOf } from '../../../src/api-management/environment.ts'
import { isOlder } from '../../../src/nginx/version.ts'
import { casesOf } from '../../support/cases.ts'
import { createGrpcClient } from '../backends.ts'
import { describeNginx } from '../with-nginx.ts'
import { type Served, type Serving, sceneOf, serving } from './serving.ts'

const { cases } = casesOf(import.meta.url)

const REJECTION = (code: number, message: string) => JSON.stringify({ message, status: String(code) })

describeNginx('the limits of API proxies', (program) => {
  describe('by key', () => {
    const now = serving(program, sceneOf(cases('by key')))
    const walk = (name: string) => now().walk(cases(name))

    test('a limit by URI counts each path, whoever asks', () => walk('by URI'))

    test('a limit by client address counts each client, whatever it asks for', async () => {
      await walk('by client address')
      expect((await now().ask('/v1/client.ip/b')).body).toBe(REJECTION(503, 'Service Unavailable'))
    })

    test('codes that nginx treats in its own way are answered as the lint says', async () => {
      const { ask } = now()
      for (const version of ['v444', 'v495', 'v599']) expect((await ask(`/${version}/uri/a`)).code).toBe(200)
      await expect(ask('/v444/uri/a')).rejects.toThrow('socket hang up')
      expect(await ask('/v495/uri/a')).toMatchObject({ code: 400, body: REJECTION(400, 'Bad Request') })
      expect(await ask('/v599/uri/a')).toMatchObject({ code: 599, body: REJECTION(599, 'Too Many Requests') })
    })

    test('without a proof of who the consumer is, its address counts', async () => {
      await walk('by consumer')
      expect((await now().ask('/v1/consumer/a')).body).toBe(REJECTION(420, 'Too Many Requests'))
    })

    test('several policies with several limits all apply', () => walk('several policies'))

    test('all routes share one budget, and so does what no route names', () => walk('routes'))
  })

  describe('shaping', () => {
    const now = serving(program, sceneOf(cases('shaping')), (text) => text)

    test.each(cases<readonly Shaping[]>('shaped'))('excess requests are $what', async ({ name, codes, outcomes }) => {
      const headers = { 'x-correlation-id': name }
      const all = await Promise.all(codes.map(() => now().ask(`/${name}`, { headers })))
      expect(all.map(({ code }) => code).sort()).toEqual(codes)
      expect([...(await now().outcomes(name, codes.length))].sort()).toEqual(outcomes)
    })
  })

  describe('headers of rejections', () => {
    const now = serving(program, sceneOf(cases('headers of rejections')))

    test.each(cases<readonly Answers[]>('answers'))('$path: $codes', async ({ path, codes, headers = {}, ...told }) => {
      for (const [index, code] of codes.entries()) {
        const answer = await now().ask(path, { headers })
        const names = ['retry-after', 'ratelimit-policy', 'ratelimit'] as const
        const seen = Object.fromEntries(
          names.flatMap((name) => (answer.headers[name] ? [[name, answer.headers[name]]] : [])),
        )
        expect([answer.code, seen]).toEqual([code, index === codes.length - 1 ? told : {}])
      }
    })
  })

  describe('of environments and gRPC', () => {
    const scene = cases<Served>('of environments and gRPC')
    const now = serving(program, sceneOf(scene))

    test('global policies and those of the proxy all apply, and proxies share what is global', () =>
      now().walk(cases('global policies')))

    test('what is said to be overridden is so', async () => {
      const { proxies, environments: [{ policies } = { policies: {} }] = [] } = scene
      const { said, walk } = cases<{ readonly said: readonly string[]; readonly walk: Steps }>('overridden')
      expect(overridesOf(proxies.loose ?? {}, policies).map(({ message }) => message)).toEqual(said)
      await now().walk(walk)
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

type Steps = Parameters<Serving['walk']>[0]

type Shaping = { readonly name: string; readonly codes: readonly number[]; readonly outcomes: readonly string[] }
type Answers = { readonly path: string; readonly codes: readonly number[]; readonly headers?: Record<string, string> }
