/** Who counts as a consumer: only who has proved it before limits are checked. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { casesOf } from '../../support/cases.ts'
import { describeNginx } from '../with-nginx.ts'
import { clientAuthority } from './certificates.ts'
import { limiting, sceneOf, serving } from './serving.ts'

const { cases } = casesOf(import.meta.url)

const BY_CONSUMER = { rate: '1r/s', rateLimitBy: 'consumer', zoneSize: '1M' }

describeNginx('consumers of API proxies', (program) => {
  describe('by key', () => {
    const now = serving(program, sceneOf(cases('by key')))
    const sending = (key: string, from = '127.0.0.1') => ({ headers: { 'x-api-key': key }, from })

    test('each client has a budget, whatever its address, and shares it among its keys', () =>
      now().walk(cases('budgets of clients')))

    test('a header that only claims to be a consumer does not move the limit', async () => {
      const { codes } = now()
      await codes(1, '/v1/header/a', sending('Se"c;r}e\\t'))
      for (const name of ['x-consumer-id', 'consumer-id', 'x-forwarded-for', 'x-real-ip', 'authorization'])
        expect(
          await codes(1, '/v1/header/a', { headers: { 'x-api-key': 'Se"c;r}e\\t', [name]: 'client:other' } }),
        ).toEqual([429])
    })

    test('what is not exactly a key is unknown, and guessing has a budget by address', async () => {
      const { codes, ask, web } = now()
      const heard = web.heard.length
      const from = '127.0.0.21'
      const wrong = ['ALIKe', 'Default', 'DEFAULT', 'x', '', 'b', 'b/v1/header/a', 'alike ! x', 'shop', 'a a ! a']
      for (const key of wrong)
        expect({ key, code: (await ask('/v1/header/a', sending(key, from))).code }).toEqual({ key, code: 401 })
      expect(await codes(2, '/v1/header/a', sending('guess', from))).toEqual([429, 429])
      expect(await codes(1, '/v1/query/a', { from })).toEqual([429])
      expect(await codes(1, '/v1/header/a', sending('guess', '127.0.0.22'))).toEqual([401])
      expect(web.heard.length).toBe(heard)
      const refused = await ask('/v1/header/a.jpg', { from: '127.0.0.23' })
      expect(refused.body).toBe('{"message":"Unauthorized","status":"401"}')
      expect(refused.headers).toMatchObject({ 'content-type': 'application/json', 'www-authenticate': 'ApiKey' })
    })

    test('who guesses too often still gets in with a right key', async () => {
      const { codes } = now()
      const from = '127.0.0.24'
      expect((await codes(12, '/v1/query/a', { from })).at(-1)).toBe(429)
      expect(await codes(1, '/v1/query/a?x&api-key=in-query', { from })).toEqual([200])
    })

    test('a key may be in the query or in a header, where policies say so', () => now().walk(cases('places of keys')))

    test('calls of gRPC have the same keys', async () => {
      const { grpc, orders } = now()
      expect(await grpc.call({ apikey: 'of-grpc' })).toMatchObject({ code: 200, grpc: 0 })
      expect(orders.heard.at(-1)?.headers).not.toHaveProperty('apikey')
      expect(await grpc.call({ apikey: 'of-grpc' })).toMatchObject({ code: 429, grpc: 14 })
      expect(await grpc.call({ apikey: 'OF-GRPC' })).toMatchObject({ code: 401, grpc: 16 })
    })

    test('the backend gets the key only where it is to be forwarded', async () => {
      const { ask, web } = now()
      expect((await ask('/v1/forwarding', { headers: { apikey: 'forwarded' } })).code).toBe(200)
      expect(web.heard.at(-1)?.headers.apikey).toBe('forwarded')
      await ask('/v1/query', sending('in-header', '127.0.0.26'))
      for (const { headers } of web.heard) expect(headers).not.toHaveProperty('x-api-key')
    })
  })

  describe('by certificate', () => {
    const clients: Record<string, { readonly cert: string; readonly key: string }> = {}
    const now = serving(program, async ({ web, folder }) => {
      const [ours, theirs] = [await clientAuthority('ours'), await clientAuthority('theirs')]
      const server = await ours.issue('CN=localhost')
      clients.one = await ours.issue('CN=one, O="a;} b"')
      clients.two = await ours.issue('CN=two')
      clients.foreign = await theirs.issue('CN=one, O="a;} b"')
      const write = (name: string, text: string) => {
        writeFileSync(join(folder, name), text)
        return join(folder, name)
      }
      const tls = {
        certificate: write('tls.crt', server.cert),
        key: write('tls.key', server.key),
        clientCa: write('ca.crt', ours.ca.cert),
      }
      const proxyConfig = {
        ingress: { basePath: '/' },
        backends: [web],
        policies: { 'rate-limit': [limiting([BY_CONSUMER])] },
      }
      return { site: { tls }, proxies: { one: { name: 'one', proxyConfig } } }
    })

    test('a verified certificate is a consumer, wherever it comes from; without one the address counts', async () => {
      const { codes } = now()
      expect(await codes(2, '/v1/a', { tls: clients.one ?? {} })).toEqual([200, 429])
      expect(await codes(1, '/v1/a', { tls: clients.one ?? {}, from: '127.0.0.2' })).toEqual([429])
      expect(await codes(2, '/v1/a', { tls: clients.two ?? {} })).toEqual([200, 429])
      expect(await codes(2, '/v1/a', { tls: {} })).toEqual([200, 429])
      expect(await codes(1, '/v1/a', { tls: {}, headers: { 'x-consumer-id': 'x' } })).toEqual([429])
    })

    test('a certificate of another authority is refused', async () => {
      expect(await now().codes(1, '/v1/a', { tls: clients.foreign ?? {}, from: '127.0.0.3' })).toEqual([400])
    })
  })

  describe('by a hop', () => {
    const now = serving(program, sceneOf(cases('by a hop')))

    test('its header counts on the socket alone, and only there the backend gets it', async () => {
      const { codes, folder, web } = now()
      const socketPath = join(folder, 'hop.sock')
      const as = (consumer: string, address = '10.0.0.1') => ({ 'x-consumer-id': consumer, 'x-real-ip': address })
      expect(await codes(2, '/v1/a', { socketPath, headers: as('ann') })).toEqual([200, 429])
      expect(web.heard.at(-1)?.headers).toMatchObject({ 'x-consumer-id': 'ann', 'x-real-ip': '10.0.0.1' })
      expect(await codes(1, '/v1/a', { socketPath, headers: as('ann', '10.0.0.2') })).toEqual([429])
      expect(await codes(2, '/v1/a', { socketPath, headers: as('ben') })).toEqual([200, 429])
      expect(await codes(2, '/v1/a', { headers: as('cat') })).toEqual([200, 429])
      expect(web.heard.at(-1)?.headers).not.toHaveProperty('x-consumer-id')
      for (const consumer of ['dan', 'ann', 'unix: eve', 'address:9.9.9.9'])
        expect(await codes(1, '/v1/a', { headers: as(consumer, 'unix:') })).toEqual([429])
    })

    test('without the header the address that the hop gives counts, which is none of its consumers', async () => {
      const { codes, folder } = now()
      const socketPath = join(folder, 'hop.sock')
      expect(await codes(2, '/v1/a', { socketPath, headers: { 'x-real-ip': '10.0.0.9' } })).toEqual([200, 429])
      const headers = { 'x-consumer-id': 'address:10.0.0.9' }
      expect(await codes(1, '/v1/a', { socketPath, headers })).toEqual([200])
    })
  })
})
