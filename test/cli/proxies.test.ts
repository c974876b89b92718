/** `sluice effective`, `simulate` and `render` for API proxies: their text, their JSON, their errors. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import Ajv from 'ajv'
import Ajv2020 from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { effective, formatEffective, formatRender, formatSimulation, render, simulate } from '../../src/browser.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { createFolder } from '../files/folder.ts'
import { sluice } from './run.ts'

const cwd = fileURLToPath(new URL('../..', import.meta.url))
const EXAMPLE = 'examples/api-management/menu.yaml'

const schemaErrors = (name: string, json: string): readonly unknown[] => {
  const schema = JSON.parse(readFileSync(new URL(`../../schemas/${name}.schema.json`, import.meta.url), 'utf8'))
  const ajv = name === 'simulate' ? new Ajv2020.default() : new Ajv.default({ strict: false })
  addFormats.default(ajv)
  const validate = ajv.compile(schema)
  validate(JSON.parse(json))
  return validate.errors ?? []
}

type Place = { readonly name?: string; readonly version?: string; readonly hostname?: string; readonly base?: string }

/** A body with one policy, as JSON. */
const body = (
  { name, version, hostname, base = '/' }: Place,
  limit: JsonObject = {},
  action: JsonObject = {},
): string =>
  JSON.stringify({
    name,
    version,
    proxyConfig: {
      hostname,
      ingress: { basePath: base },
      policies: { 'rate-limit': [{ action: { limits: [limit], ...action } }] },
    },
  })

const ask = async (files: Readonly<Record<string, string>>, ...args: readonly string[]) =>
  sluice(args, { cwd: createFolder(files) })

describe('effective', () => {
  it('names every value of a proxy, the lines of those that are written, and the defaults of the others', async () => {
    const { stdout, code } = await ask({ 'a.json': body({ name: 'a' }) }, 'effective', 'Proxy/a', '.')
    expect(code).toBe(0)
    expect(stdout).toContain('10r/s per client.ip ($binary_remote_addr), no burst')
    expect(stdout).toContain('with 429; gRPC with 429: clients see UNAVAILABLE')
    expect(stdout).toMatch(
      /default\s+rate 10r\/s, rateLimitBy client\.ip, zoneSize 10 MiB, returnCode\s+429, grpcStatusCode 429/,
    )
  })

  it('says in JSON where each value is written', async () => {
    const { stdout } = await sluice(['effective', 'Proxy/menu', EXAMPLE, '--format=json'], { cwd })
    expect(schemaErrors('effective', stdout)).toEqual([])
    const { limits, target, memory } = JSON.parse(stdout)
    expect(target).toMatchObject({ kind: 'Proxy', name: 'menu', hostname: 'shop.example', proxyVersion: 'v1' })
    expect(memory).toEqual({ zones: 3, bytes: 12 * 1024 ** 2 })
    const lines = readFileSync(new URL(`../../${EXAMPLE}`, import.meta.url), 'utf8').split('\n')
    for (const { writtenAt, rate, zoneSize } of limits) {
      expect(lines[writtenAt.rate.line - 1]).toContain(`rate: ${rate}`)
      expect(lines[writtenAt.zoneSize.line - 1]).toContain(`zoneSize: ${zoneSize ?? ''}`)
      expect(lines[writtenAt.returnCode.line - 1]).toContain('returnCode: 429')
    }
    expect(limits[2].writtenAt.delay).toBeNull()
  })

  it('names the zones as the rendered configuration does', async () => {
    const { stdout } = await sluice(['effective', 'Proxy/menu', EXAMPLE, '--format=json'], { cwd })
    const rendered = await sluice(['render', EXAMPLE], { cwd })
    for (const { zone, rate } of JSON.parse(stdout).limits) {
      expect(rendered.stdout).toMatch(
        new RegExp(`limit_req_zone .* zone=${zone.replaceAll('.', '\\.')}:\\d+m rate=${rate};`),
      )
    }
  })

  it('tells proxies of one name apart by hostname and version', async () => {
    const files = {
      'one.json': body({ name: 'a', hostname: 'x.example' }, { rate: '1r/s' }),
      'two.json': body({ name: 'a', hostname: 'x.example', version: 'v2' }, { rate: '2r/s' }),
      'three.json': body({ name: 'a', hostname: 'y.example' }, { rate: '3r/s' }),
    }
    const both = await ask(files, 'effective', 'Proxy/a', '.')
    expect(both).toMatchObject({
      code: 2,
      stderr:
        'sluice: Proxy/a is ambiguous; pick one of Proxy/x.example/a@v1, Proxy/y.example/a@v1, Proxy/x.example/a@v2\n',
    })
    const { stdout } = await ask(files, 'effective', 'Proxy/a@v2', '.')
    expect(stdout).toContain('2r/s per client.ip')
    expect((await ask(files, 'effective', 'Proxy/y.example/a', '.')).stdout).toContain('3r/s per client.ip')
  })

  it('calls a body without a name by its file', async () => {
    const { name: _, ...rest } = JSON.parse(body({}))
    const { stdout } = await ask({ 'policies.json': JSON.stringify(rest) }, 'effective', 'Proxy/policies.json', '.')
    expect(stdout).toContain('Policies without the name of a proxy')
  })

  it.each([
    ['Proxy/menus', 'Proxy/menus was not found; did you mean Proxy/menu?'],
    ['Proxi/menu', 'unknown kind "Proxi"; did you mean Proxy/menu?'],
    ['Proxy/elsewhere', 'Proxy/elsewhere was not found; these files contain Proxy/menu'],
  ])('%s', async (query, message) => {
    const { code, stderr } = await sluice(['effective', query, EXAMPLE], { cwd })
    expect([code, stderr]).toEqual([2, `sluice: ${message}\n`])
  })

  it('says where a proxy is defined more than once', async () => {
    const files = { 'a.json': body({ name: 'a' }), 'b.json': body({ name: 'a' }) }
    const { stderr } = await ask(files, 'effective', 'Proxy/a', '.')
    expect(stderr).toBe(
      'sluice: Proxy/a is defined more than once, in a.json:1, b.json:1; pass only the paths that belong together\n',
    )
  })

  it('says that files have no API proxy', async () => {
    const { stderr } = await sluice(['effective', 'Proxy/menu', 'examples/shop'], { cwd })
    expect(stderr).toBe('sluice: Proxy/menu was not found; these files contain no API proxy with rate limit policies\n')
  })

  it('lists what the API would accept of a body that it refuses', async () => {
    const files = { 'a.json': body({ name: 'a' }, { rate: '5r/s' }, { returnCode: 200 }) }
    const { stdout, code } = await ask(files, 'effective', 'Proxy/a', '.')
    expect(code).toBe(0)
    expect(stdout).toContain('The API refuses this body: it has an error: ')
    expect(stdout).toContain('5r/s per client.ip')
    expect(stdout).toMatch(/default .*returnCode 429/)
  })
})

describe('simulate', () => {
  const SHAPE = ['--clients', '2', '--rate', '10r/s', '--for', '10s'] as const

  it('counts by what the limit counts by: each made-up client is a consumer of its own', async () => {
    const outcomes = ['consumer', 'client.ip', 'uri'].map(async (rateLimitBy) => {
      const files = { 'a.json': body({ name: 'a' }, { rate: '5r/s', rateLimitBy }) }
      const { stdout } = await ask(files, 'simulate', '.', ...SHAPE, '--format', 'json')
      expect(schemaErrors('simulate', stdout)).toEqual([])
      return JSON.parse(stdout).totals
    })
    const [consumer, client, uri] = await Promise.all(outcomes)
    expect(consumer).toEqual(client)
    expect(consumer.passed).toBe(100)
    expect(uri.passed).toBeLessThan(55)
  })

  it('sends the requests of a log to the proxy that answers them', async () => {
    const line = (host: string, target: string) =>
      JSON.stringify({ time: '2026-01-01T00:00:00.000Z', remote_addr: '10.0.0.1', method: 'GET', uri: target, host })
    const log = [line('x.example', '/v1/a/1'), line('x.example', '/v2/a/1'), line('y.example', '/v1/a/1')]
    const files = {
      'a.json': body({ name: 'a', hostname: 'x.example', base: '/a' }),
      'b.json': body({ name: 'a', hostname: 'x.example', version: 'v2', base: '/a' }),
      'access.log': `${[...log, line('x.example', '/v1/ab')].join('\n')}\n`,
    }
    const { stdout } = await ask(files, 'simulate', '.', '--log', 'access.log', '--format', 'json')
    const { routes, totals } = JSON.parse(stdout)
    expect(routes.map(({ name, requests }: { name: string; requests: number }) => [name, requests])).toEqual([
      ['a', 1],
      ['a@v2', 1],
    ])
    expect(totals.unmatched).toBe(2)
  })

  it('takes consumers from a field of the log, and says what to do where it has none', async () => {
    const line = JSON.stringify({ time: '2026-01-01T00:00:00.000Z', remote_addr: '10.0.0.1', uri: '/v1/', app: 'red' })
    const files = { 'a.json': body({ name: 'a' }, { rateLimitBy: 'consumer' }), 'access.log': `${line}\n${line}\n` }
    const without = await ask(files, 'simulate', '.', '--log', 'access.log')
    expect(without.stdout.replace(/\s+/g, ' ')).toContain(
      'a rate-limit[0] limits[0] is not simulated: the log has no value for $consumer_id',
    )
    const { stdout } = await ask(files, 'simulate', '.', '--log', 'access.log', '--field', 'consumer_id=app')
    expect(stdout).toContain('requests   2: 1 passed, 0 delayed, 1 rejected')
    expect(stdout).toContain('rejected   red: 1 of 2')
  })

  it('knows no Gateway in front of a proxy', async () => {
    const args = ['simulate', EXAMPLE, ...SHAPE, '--route', 'Proxy/menu', '--gateway', 'edge']
    const { code, stderr } = await sluice(args, { cwd })
    expect([code, stderr]).toEqual([
      2,
      'sluice: an API proxy is behind no Gateway; use --route Proxy/NAME without --gateway\n',
    ])
  })

  it('compares with another version', async () => {
    const files = {
      'new/a.json': body({ name: 'a' }, { rate: '5r/s' }),
      'old/a.json': body({ name: 'a' }, { rate: '50r/s' }),
    }
    const { stdout } = await ask(files, 'simulate', 'new', ...SHAPE, '--compare', 'old', '--format', 'json')
    expect(JSON.parse(stdout).comparison.newlyRejected).toMatchObject({ requests: 100, keys: 2 })
  })

  it('takes the Gateway where files have both, and says so', async () => {
    const { stdout } = await sluice(['simulate', 'examples/shop', EXAMPLE, ...SHAPE, '--format', 'json'], { cwd })
    const { system, warnings } = JSON.parse(stdout)
    expect(system).toBe('gateway')
    expect(warnings).toContain(
      'the API proxies of these files are left out; pass only their paths, or choose one with --route Proxy/NAME',
    )
    const chosen = ['simulate', 'examples/shop', EXAMPLE, ...SHAPE, '--route', 'Proxy/menu', '--format', 'json']
    expect(JSON.parse((await sluice(chosen, { cwd })).stdout)).toMatchObject({ system: 'api-management' })
  })
})

describe('render', () => {
  it('prints one text, or a whole nginx.conf without includes', async () => {
    const files = { 'a.json': body({ name: 'a' }) }
    const contexts = await ask(files, 'render', '.')
    expect(contexts.stdout).toMatch(
      /^# In the http context\n# The proxy a\nlimit_req_zone \$binary_remote_addr zone=a\./,
    )
    const whole = await ask(files, 'render', '.', '--complete', '--listen', '127.0.0.1', '--port', '80=8080')
    expect(whole.stdout).toContain('listen 127.0.0.1:8080 default_server;')
    expect(whole.stdout).not.toContain('include ')
  })

  it('writes Gateways and proxies into folders of their own, and prints only one of them', async () => {
    const paths = ['examples/shop', EXAMPLE].map((path) => `${cwd}/${path}`)
    const folder = createFolder({})
    const { stdout } = await sluice(['render', ...paths, '--complete', '--dir', 'out'], { cwd: folder })
    expect(stdout.trim().split('\n')).toContain('out/api-management/nginx.conf')
    expect(stdout).toContain('out/shop_storefront/nginx.conf')
    const { stderr, code } = await sluice(['render', 'examples/shop', EXAMPLE], { cwd })
    expect(code).toBe(2)
    expect(stderr).toContain('these files contain both Gateways and API proxies')
    const picked = await sluice(['render', 'examples/shop', EXAMPLE, '--gateway', 'storefront'], { cwd })
    expect(picked.code).toBe(0)
  })

  it('gives backends other addresses', async () => {
    const args = ['render', EXAMPLE, '--complete', '--upstream', 'menu.shop.internal=127.0.0.1:9001']
    expect((await sluice(args, { cwd })).stdout).toContain('server 127.0.0.1:9001;')
    const { stderr } = await sluice(args.with(4, 'menu.shop.interna=127.0.0.1:9001'), { cwd })
    expect(stderr).toContain('no API proxy has such a backend; did you mean menu.shop.internal?')
  })

  it('leaves out what cannot be published, and the second of two at one place', async () => {
    const files = {
      'a.json': body({ name: 'a', base: '/a' }),
      'b.json': body({ name: 'b', base: '/a' }),
      'c.json': body({ name: 'c', base: '/{c}' }),
    }
    const { stderr, stdout } = await ask(files, 'render', '.', '--format', 'json')
    expect(stderr).toContain('note: Proxy/b (b.json:1) is left out: */v1/a belongs to Proxy/a (a.json:1)')
    expect(stderr).toContain('note: Proxy/c (c.json:1) is left out: /proxyConfig/ingress/basePath: "/{c}" is not')
    expect(schemaErrors('render', stdout)).toEqual([])
    expect(JSON.parse(stdout).apiManagement[0].files).toHaveLength(2)
  })

  it('says what the API refuses', async () => {
    const files = { 'a.json': body({ name: 'a' }, {}, { returnCode: 200 }) }
    const { stderr } = await ask(files, 'render', '.')
    expect(stderr).toContain(
      'note: Proxy/a (a.json:1) is rendered without limits that have errors, but the API refuses it: ',
    )
  })
})

describe('the library has the same results', () => {
  const text = readFileSync(new URL(`../../${EXAMPLE}`, import.meta.url), 'utf8')
  const sources = [{ file: EXAMPLE, text }]
  const textOf = (result: { readonly ok: boolean; readonly value?: string }): string | undefined => result.value

  it('as the command prints', async () => {
    const limits = effective(sources, 'Proxy/menu')
    const printed = await sluice(['effective', 'Proxy/menu', EXAMPLE, '--format=json'], { cwd })
    expect(limits.ok && textOf(formatEffective(limits.value, 'json'))).toBe(printed.stdout)
    const report = simulate(sources, { clients: 2, rate: '10r/s', for: '10s' })
    const shape = ['--clients', '2', '--rate', '10r/s', '--for', '10s']
    const simulated = await sluice(['simulate', EXAMPLE, ...shape, '--format=json'], { cwd })
    expect(report.ok && textOf(formatSimulation(report.value, 'json'))).toBe(simulated.stdout)
    const configuration = render(sources, { files: true })
    const rendered = await sluice(['render', EXAMPLE, '--format=json'], { cwd })
    expect(configuration.ok && textOf(formatRender(configuration.value, 'json'))).toBe(rendered.stdout)
  })
})
