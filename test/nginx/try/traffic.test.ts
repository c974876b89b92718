/** What goes through `sluice try`: gRPC, TLS, its own upstream or another one, and the load that it sends. */

import { credentials } from '@grpc/grpc-js'
import { expect, test } from 'vitest'
import { freePort } from '../../free-ports.ts'
import { gateway, policy, route } from '../../live/manifests.ts'
import { casesOf } from '../../support/cases.ts'
import { createGrpcClient, startHttpBackend } from '../backends.ts'
import { statusByTls } from '../requests.ts'
import { describeNewestNginx } from '../with-nginx.ts'
import { only, tryFiles, tryUntilApplied } from './trying.ts'

const { cases, each } = casesOf(import.meta.url)

const FRAME = gateway() + route('coffee') + route('tea')
const ORDERS = route('orders', {
  kind: 'GRPCRoute',
  match: 'method: { service: beans.orders.v1.Orders, method: Place }',
})
const PER_MINUTE = 'key: $binary_remote_addr, rate: 1r/m'

/** What becomes of requests that come at once: statuses, outcomes, and how nginx begins the record of the last outcome. */
const LIMITED: readonly (readonly [
  limit: string,
  settings: string,
  codes: number[],
  outcomes: string[],
  log: RegExp,
])[] = cases('LIMITED')

describeNewestNginx('traffic through sluice try', (program) => {
  test('gRPC is answered and limited', async () => {
    const limits = policy('orders', PER_MINUTE, { kind: 'GRPCRoute' })
    const trying = await tryFiles(program, { 'shop.yaml': gateway() + ORDERS + limits })
    await trying.event({ event: 'condition', object: { kind: 'GRPCRoute' }, reason: 'PolicyAffected' })
    const client = createGrpcClient(await trying.port())
    expect(await client.call()).toMatchObject({ code: 200, grpc: 0 })
    expect(await client.call()).toMatchObject({ code: 503, grpc: 14 })
    client.close()
    const event = await trying.event({ event: 'limited' })
    expect(event).toMatchObject({ outcome: 'rejected', request: 'POST /beans.orders.v1.Orders/Place HTTP/2.0' })
  })

  test('gRPC and HTTP over TLS, for which no certificate is given', async () => {
    const tls = '[{ name: https, port: 443, protocol: HTTPS, tls: { certificateRefs: [{ name: none }] } }]'
    const limits = policy('all', PER_MINUTE, { kind: 'Gateway', target: 'edge' })
    const trying = await tryUntilApplied(program, {
      'shop.yaml': gateway('edge', tls) + ORDERS + route('coffee') + limits,
    })
    const port = await trying.port('https')
    const client = createGrpcClient(port, credentials.createSsl(null, null, null, { rejectUnauthorized: false }))
    expect(await client.call()).toMatchObject({ code: 200, grpc: 0 })
    client.close()
    expect(await statusByTls(port, { path: '/coffee' })).toBe(503)
  })

  test('--upstream takes the place of the echo', async () => {
    const backend = await startHttpBackend()
    const trying = await tryUntilApplied(program, FRAME, ['--upstream', `http://${backend.address}`])
    expect(await trying.statuses('/tea?a=1', 1)).toEqual([200])
    expect(backend.heard.map(({ path }) => path)).toEqual(['/tea?a=1'])
    await backend.stop()
  })

  test('an upstream that is gone is answered with 502, and limits count all the same', async () => {
    const upstream = `http://127.0.0.1:${await freePort()}`
    const trying = await tryUntilApplied(program, { 'shop.yaml': FRAME + policy('coffee', PER_MINUTE) }, [
      '--upstream',
      upstream,
    ])
    expect(await trying.statuses('/coffee', 2)).toEqual([502, 503])
    await trying.event({ event: 'limited', outcome: 'rejected' })
  })

  test('a Gateway and a route with settings of their own are both enforced, behind one another', async () => {
    const both =
      policy('all', 'key: $binary_remote_addr, rate: 1r/m, burst: 2, noDelay: true', {
        kind: 'Gateway',
        target: 'edge',
        settings: 'rejectCode: 430',
      }) + policy('coffee', PER_MINUTE, { settings: 'rejectCode: 431' })
    const trying = await tryUntilApplied(program, { 'shop.yaml': FRAME + both })
    expect(await trying.statuses('/coffee', 4)).toEqual([200, 430, 431, 431])
    const clients = only(trying.events, 'limited').map(({ client }) => client)
    expect(new Set(clients)).toEqual(new Set(['127.0.0.1']))
  })

  test('the echo says what was asked', async () => {
    const trying = await tryUntilApplied(program, FRAME)
    const answer = await fetch(`http://127.0.0.1:${await trying.port()}/coffee?a=1`, { method: 'POST', body: 'cup' })
    expect(await answer.text()).toMatch(/^POST \/coffee\?a=1\nhost: 127\.0\.0\.1/)
  })

  test('--load: what nginx did is what simulate says', async () => {
    const limits = policy('coffee', 'key: $binary_remote_addr, rate: 1r/m, burst: 1')
    const args = ['--load', '30r/s', '--clients', '5', '--for', '2s']
    const trying = await tryFiles(
      program,
      { 'shop.yaml': FRAME + limits.replace('burst: 1', 'burst: 1, noDelay: true') },
      args,
    )
    const load = await trying.event({ event: 'load' })
    const totals = { requests: 60, passed: 10, delayed: 0, rejected: 50, unmatched: 0 }
    expect(load).toMatchObject({
      name: '5 clients at 30r/s together for 2s, steady',
      nginx: { totals },
      simulated: { totals },
    })
    expect(await trying.ended).toBe(0)
  })

  each<[string, string, boolean]>(
    '--load: an answer 404 %s is no request without a route',
    async (_, settings, hasBackend) => {
      const limits = policy('coffee', 'key: $binary_remote_addr, rate: 1r/m, burst: 1, noDelay: true', { settings })
      const backend = hasBackend ? await startHttpBackend(404) : undefined
      const args = ['--load', '10r/s', '--clients', '2', '--for', '2s', '--path', '/coffee']
      const upstream = backend ? ['--upstream', `http://${backend.address}`] : []
      const trying = await tryUntilApplied(program, { 'shop.yaml': FRAME + limits }, [...args, ...upstream])
      await trying.statuses('/coffee', 5)
      const load = await trying.event({ event: 'load' })
      const totals = { requests: 20, passed: 4, delayed: 0, rejected: 16, unmatched: 0 }
      expect(load).toMatchObject({ nginx: { totals }, simulated: { totals } })
      expect(await trying.ended).toBe(0)
      await backend?.stop()
    },
  )

  test('--load ends with the signal', async () => {
    const trying = await tryUntilApplied(program, FRAME, ['--load', '50r/s', '--for', '1h'])
    expect(await trying.end()).toBe(0)
    expect(only(trying.events, 'load')).toEqual([])
  })

  test('--load without a route for it says so', async () => {
    const trying = await tryFiles(program, { 'shop.yaml': gateway() }, ['--load', '30r/s'])
    expect(await trying.ended).toBe(2)
    expect(trying.stderr()).toMatch(/none of these HTTPRoutes takes one by its path alone/)
  })

  test('requests are delayed, rejected, or only counted, and nginx and the events say so', async () => {
    const routes = LIMITED.map(([limit, settings], index) =>
      [route(`r${index}`), policy(`r${index}`, `key: $binary_remote_addr, ${limit}`, { settings })].join(''),
    )
    const trying = await tryUntilApplied(program, gateway() + routes.join(''))
    for (const [index, [limit, settings, codes, outcomes, log]] of LIMITED.entries()) {
      const zone = `shop_rl_r${index}_rule0`
      expect([limit, settings, await trying.statuses(`/r${index}`, codes.length)]).toEqual([limit, settings, codes])
      const said = () => only(trying.events, 'limited').filter((event) => event.zone === zone)
      await expect
        .poll(() =>
          said()
            .map(({ outcome }) => outcome)
            .sort(),
        )
        .toEqual(outcomes)
      const event = { excess: expect.any(Number), client: '127.0.0.1', request: `GET /r${index} HTTP/1.1` }
      expect(said()[0]).toEqual({ outcome: expect.any(String), zone, ...event })
      const records = trying
        .errorLog()
        .split('\n')
        .filter((line) => line.includes(`"${zone}", client: 127.0.0.1, server: _, `))
      expect(records.at(-1)?.split(`"${zone}"`)[0]).toMatch(log)
    }
  })
})
