/** `sluice simulate`: the port to which a request came decides which routes it meets. */
import { beforeAll, describe, expect, it } from 'vitest'
import { createShop, json, line, policy, write } from './shop.ts'

createShop()

const gateway = (listeners: string) => `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: edge, namespace: shop}
spec: {gatewayClassName: nginx, listeners: [${listeners}]}
---`
const REDIRECT = 'filters: [{type: RequestRedirect, requestRedirect: {scheme: https}}]'
const on = (name: string, section: string, rule: string) => `
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: ${name}, namespace: shop}
spec: {parentRefs: [{name: edge, sectionName: ${section}}], rules: [{${rule}}]}
---`
const [HTTP, HTTPS, ADMIN] = [
  '{name: http, port: 80, protocol: HTTP}',
  '{name: https, port: 443, protocol: HTTPS}',
  '{name: admin, port: 8080, protocol: HTTP}',
]
const limit = (name: string) => policy(name, ['HTTPRoute', name], '{key: $binary_remote_addr, rate: 1r/m}')
const log = Array.from({ length: 4 }, (_, second) => line('10.0.0.1', second, 'GET / HTTP/1.1')).join('')
const withPort = (port: string) =>
  log
    .split('\n')
    .filter(Boolean)
    .map((text) => `shop.example:${port} ${text}\n`)
    .join('')

describe('a redirect on 80 beside the site on 443', () => {
  beforeAll(() =>
    write(
      'site/all.yaml',
      gateway(`${HTTP}, ${HTTPS}`) + on('redirect', 'http', REDIRECT) + on('site', 'https', '') + limit('site'),
    ),
  )

  it('is for the requests to 80 where the log has the port', async () => {
    write('80.log', withPort('80'))
    write('443.log', withPort('443'))
    expect(await json('site --log 80.log')).toMatchObject({ totals: { passed: 4 }, routes: [{ name: 'redirect' }, {}] })
    const site = await json('site --log 443.log')
    expect(site).toMatchObject({ totals: { passed: 1, rejected: 3 }, routes: [{ name: 'site' }, {}] })
    expect(site.warnings.join()).not.toContain('server_port')
    expect(await json('site --log access.log --set scheme=http')).toMatchObject({ totals: { rejected: 0 } })
  })

  it('is not where the requests go that have no port, and the report says so', async () => {
    write('plain.log', log)
    const { totals, warnings } = await json('site --log plain.log')
    expect(totals).toMatchObject({ passed: 1, rejected: 3 })
    expect(warnings).toContain(
      'the traffic does not tell the ports of the listeners 443 (HTTPS), 80 (HTTP) apart: 4 requests match on several of them, and are taken to come to one where the route does not redirect, to HTTPS first; log $server_port or $scheme, or use --set server_port=443',
    )
    write('8443.log', withPort('8443'))
    expect((await json('site --log 8443.log')).warnings[0]).toContain(
      'the ports of the log are not those of the listeners, 443 (HTTPS), 80 (HTTP): 4 requests',
    )
    expect(await json('site --clients 1 --rate 1r/s --for 4s --path /')).toMatchObject({ totals: { rejected: 3 } })
  })
})

it('routes of a port are for its requests alone, and one route on all ports leaves nothing to guess', async () => {
  write(
    'two/all.yaml',
    gateway(`${HTTP}, ${ADMIN}`) + on('shop', 'http', '') + on('admin', 'admin', '') + limit('admin'),
  )
  write('8080.log', withPort('8080'))
  expect(await json('two --log 8080.log')).toMatchObject({ totals: { passed: 1, rejected: 3 } })
  write('none.log', withPort('80'))
  expect(await json('two --log none.log')).toMatchObject({ totals: { passed: 4 } })
  write(
    'all/all.yaml',
    gateway(`${HTTP}, ${HTTPS}`) + on('shop', '', '').replace(', sectionName: ', '') + limit('shop'),
  )
  write('plain.log', log)
  const { totals, warnings } = await json('all --log plain.log')
  expect(totals).toMatchObject({ passed: 1, rejected: 3 })
  expect(warnings.join()).not.toContain('server_port')
})
