/** Which route answers, and whose limit therefore holds: matches as the Gateway API orders them, on real programs. */
import { expect, test } from 'vitest'
import type { RouteView } from '../../src/gateway/objects/gateways-and-routes.ts'
import { routeRows } from '../../src/gateway/routing/matches.ts'
import { createRouter } from '../../src/gateway/routing/router.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { perClient, policy, route } from '../gateway/objects.ts'
import { casesOf } from '../support/cases.ts'
import { send } from './backends.ts'
import { running } from './running-gateway.ts'
import { describeNginx } from './with-nginx.ts'

const { cases } = casesOf(import.meta.url)

/** The route to which the simulation would send a request. */
function routed(
  routes: readonly RouteView[],
  { path, method, headers }: { path: string; method: string; headers: Readonly<Record<string, string>> },
): string | undefined {
  const router = createRouter(routeRows(routes.map((one) => ({ route: one, hostnames: [''] }))))
  const { pathname, search } = new URL(`http://x${path.replace('//', '/')}`)
  const row = router({
    host: 'x',
    path: decodeURIComponent(pathname),
    method,
    header: (name) => headers[name],
    argument: (name) => new RegExp(`[?&]${name}=([^&]*)`).exec(search)?.[1],
  })
  return row && routes[row.route]?.identity.name
}

describeNginx('limits at the right match', (program) => {
  const matched = (matches: readonly JsonObject[], name: string) =>
    route(name, {
      parentRefs: [{ name: 'shop', sectionName: 'http' }],
      rules: [{ matches, backendRefs: [{ name: 'web', port: 80 }] }],
    })
  const MATCHES = cases<Readonly<Record<string, JsonObject>>>('MATCHES')
  const NAMES = Object.keys(MATCHES)
  const routes = Object.entries(MATCHES).map(([name, match]) => matched([match], name))
  const now = running(program, {
    routes,
    /** The limit of each route rejects with its own status. */
    policies: NAMES.map((name, index) =>
      policy(name, {
        on: [`HTTPRoute ${name}`],
        limits: [perClient('1r/m', { zoneSize: '32k', key: '$http_x_client' })],
        settings: { rejectCode: 460 + index },
      }),
    ),
  })

  type Case = {
    readonly route: string
    readonly path: string
    readonly method?: string
    readonly headers?: Readonly<Record<string, string>>
  }
  const CASES: readonly Case[] = cases('CASES')
  test.each(CASES)('$route answers $path $headers', async ({ route: name, path, method = 'GET', headers = {} }) => {
    const { port } = now()
    const client = `${path} ${method} ${JSON.stringify(headers)}`
    const all = { ...headers, 'x-client': Buffer.from(client).toString('hex') }
    const [first, second] = [
      await send(port, path, { method, headers: all }),
      await send(port, path, { method, headers: all }),
    ]
    expect([first, NAMES[second - 460] ?? second]).toEqual([200, name])
    expect(routed(routes, { path, method, headers })).toBe(name)
  })
})
