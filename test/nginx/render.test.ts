/** Complete configurations before real programs: what we write they take, and what is bad in a policy they refuse. */

import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { runCommand } from '../../scripts/docs/run-command.ts'
import type { JsonObject } from '../../src/gateway/member.ts'
import { gateway, perClient, policy, route } from '../gateway/objects.ts'
import type { NginxProgram } from './real-nginx.ts'
import { checkRendered, renderScene, type Scene } from './rendered.ts'
import { describeNginx } from './with-nginx.ts'

const to = (name: string, port = 80): JsonObject => ({ backendRefs: [{ name, port }] })
const at = (value: string, type = 'PathPrefix'): JsonObject => ({ path: { type, value } })
const rule = (matches: readonly JsonObject[], more: JsonObject = to('coffee')): JsonObject => ({ matches, ...more })
const HTTPS = { name: 'https', port: 443, protocol: 'HTTPS', hostname: '*.beans.example' }
const HTTP = { name: 'http', port: 80, protocol: 'HTTP' }
const edge = (settings: JsonObject = {}, name = 'edge') =>
  policy(name, { on: ['Gateway shop'], limits: [perClient('10r/s')], settings })
const own = (settings: JsonObject = {}, limits = [perClient('1r/s', { burst: 5, noDelay: true })]) =>
  policy('own', { limits, settings })

/** Scenes that each hold something else, and what their configuration must or must not say. */
const SCENES: Readonly<Record<string, Scene & { readonly says?: RegExp; readonly keepsSilent?: RegExp }>> = {
  'a Gateway without a route': { routes: [], policies: [edge()], says: /limit_req zone=shop_rl_edge_rule0;/ },
  'a route without a rule': { routes: [route('coffee')], policies: [], says: /return 500;/ },
  'a conflict': {
    routes: [],
    policies: [edge({ rejectCode: 429 }), edge({ rejectCode: 430 }, 'late')],
    says: /late is left out on Gateway shop: it loses to RateLimitPolicy shop\/edge on\n# Gateway shop \(both set rejectCode;/,
    keepsSilent: /limit_req_status 430/,
  },
  'a hop': {
    routes: [route('coffee', { rules: [rule([at('/')])] })],
    policies: [edge(), own({ rejectCode: 430 })],
    says: /listen unix:/,
  },
  'a hop that closes connections': {
    routes: [route('coffee', { rules: [rule([at('/'), { method: 'POST' }])] })],
    policies: [edge(), own({ rejectCode: 444 })],
    says: /error_page 502 = @sluice_closed;/,
  },
  'a hop for gRPC': {
    routes: [route('coffee', { rules: [rule([{ method: { service: 'a.B' } }])] }, 'GRPCRoute')],
    policies: [
      edge(),
      policy('own', { on: ['GRPCRoute coffee'], limits: [perClient('1r/s')], settings: { dryRun: true } }),
    ],
    says: /grpc_pass grpc:\/\/unix:/,
  },
  'HTTPS beside HTTP, wildcards beside names': {
    gateway: gateway('shop', [HTTP, HTTPS, { ...HTTPS, name: 'deep', hostname: '*.a.beans.example' }]),
    routes: [
      route('coffee', {
        hostnames: ['menu.beans.example', '*.a.beans.example', 'x.a.beans.example'],
        rules: [rule([at('/')])],
      }),
    ],
    policies: [edge()],
    says: /server_name \*\.a\.beans\.example;/,
  },
  'paths of every type': {
    routes: [
      route('coffee', {
        rules: [
          rule([at('/'), at('/a/'), at('/a'), at('/a', 'Exact'), at('/a b"c\\d{2};$e', 'Exact'), at('/~x')]),
          rule([
            at('/b{2}/"\\d+;', 'RegularExpression'),
            at('/x|/y', 'RegularExpression'),
            at('^/z$', 'RegularExpression'),
          ]),
        ],
      }),
    ],
    policies: [own()],
    says: /location ~ "\^\(\?:\/x\|\/y\)"/,
  },
  'methods, headers and query parameters': {
    routes: [
      route('coffee', {
        rules: [
          rule([
            {
              ...at('/x'),
              method: 'GET',
              headers: [
                { name: 'X-Kind', value: 'a"b\\c;{}$d default' },
                { name: 'version', type: 'RegularExpression', value: '^v[0-9]{1,2}$' },
              ],
              queryParams: [
                { name: 'a[]', value: '1+1' },
                { name: 'q', type: 'RegularExpression', value: '.' },
              ],
            },
          ]),
          rule([{ headers: [{ name: 'odd.name', value: 'x' }] }]),
        ],
      }),
    ],
    policies: [own()],
    says: /asks for the header odd\.name/,
  },
  redirects: {
    routes: [
      route('coffee', {
        rules: [
          rule([at('/a')], {
            filters: [{ type: 'RequestRedirect', requestRedirect: { scheme: 'https', statusCode: 301 } }],
          }),
          rule([at('/b')], {
            filters: [
              { type: 'RequestHeaderModifier' },
              {
                type: 'RequestRedirect',
                requestRedirect: {
                  hostname: 'b.example',
                  port: 8443,
                  path: { type: 'ReplaceFullPath', replaceFullPath: '/new "x"' },
                },
              },
            ],
          }),
        ],
      }),
    ],
    policies: [own()],
    says: /return 301 "https:\/\/\$host\$request_uri";/,
  },
  'several backends, one backend, none': {
    routes: [
      route('coffee', {
        rules: [
          rule([at('/w')], {
            backendRefs: [
              { name: 'a', port: 80, weight: 9 },
              { name: 'b', port: 81 },
              { name: 'c', port: 82, weight: 0 },
            ],
          }),
          rule([at('/n')], {}),
          rule([at('/f')], { backendRefs: [{ name: 'x', kind: 'Bucket', group: 'storage.example' }] }),
        ],
      }),
    ],
    policies: [own()],
    says: /server 127\.0\.0\.1:80 weight=9;\n\s+server 127\.0\.0\.1:81 weight=1;/,
  },
  'methods of gRPC': {
    routes: [
      route(
        'coffee',
        {
          rules: [
            rule([
              { method: { service: 'a.B', method: 'C' } },
              { method: { method: 'D' } },
              { method: { service: 'a.B' } },
            ]),
            rule([{ method: { type: 'RegularExpression', service: 'x.*' }, headers: [{ name: 'v', value: '1' }] }, {}]),
          ],
        },
        'GRPCRoute',
      ),
    ],
    policies: [],
    says: /location ~ "\^\(\?:\/\[\^\/\]\+\/D\)\$"/,
  },
  'names as long as they can be': {
    routes: [
      route('c'.repeat(253), {
        hostnames: [`${'h'.repeat(60)}.`.repeat(4).concat('example')],
        rules: [rule([at(`/${'p'.repeat(1000)}`)])],
      }),
    ],
    policies: [policy('p'.repeat(253), { on: [`HTTPRoute ${'c'.repeat(253)}`], limits: [perClient('1r/s')] })],
  },
  'zones alone': {
    routes: [],
    policies: [
      policy('edge', {
        on: ['Gateway shop'],
        limits: [perClient('10r/s')],
        annotations: { 'nginx.org/internal-annotation-http-context-only': 'true' },
      }),
    ],
    says: /limit_req_zone/,
    keepsSilent: /limit_req zone/,
  },
  "variables that are not nginx's own": {
    routes: [route('coffee', { rules: [rule([at('/')])] })],
    policies: [own({}, [{ key: '$gw_api_compliant_host$request_uri_path$connection_keepalive$tenant', rate: '1r/s' }])],
    says: /# A stand-in: \$tenant/,
  },
}

describeNginx('nginx takes what is rendered', (program) => {
  const accepts = (scene: Scene, options = {}) => {
    const rendered = renderScene(scene, {
      nginxVersion: program.version,
      portOffset: 20_000,
      defined: new Set(['tenant']),
      ...options,
    })
    expect(rendered.problems).toEqual([])
    return { ...checkRendered(program, rendered), text: rendered.files.map(({ text }) => text).join('\n') }
  }

  test.each(Object.entries(SCENES))('%s', (_, { says = /./, keepsSilent = /(?!)/, ...scene }) => {
    for (const composition of ['stack', 'inherit'] as const)
      expect(accepts(scene, { composition })).toMatchObject({ accepted: true })
    const { text } = accepts(scene)
    expect(text).toMatch(says)
    expect(text).not.toMatch(keepsSilent)
  })

  test.each(Object.entries(SCENES).filter(([name]) => !name.startsWith('names as long')))(
    '%s, one file a policy',
    (_, scene) => expect(accepts(scene, { files: true })).toMatchObject({ accepted: true }),
  )

  test('a file name of 256 characters it does not take, nor does the file system', () => {
    const name = 'p'.repeat(216)
    const scene = {
      routes: [route('coffee', { rules: [rule([at('/')])] })],
      policies: [policy(name, { limits: [perClient('1r/s')] })],
    }
    expect(() => accepts(scene, { files: true })).toThrow(/ENAMETOOLONG/)
  })

  test.each([
    { key: '$nope', rate: '1r/s' },
    { key: '"open', rate: '1r/s' },
    { key: '$uri', rate: '0r/s' },
    { key: '$uri', rate: '1r/s', zoneSize: '1g' },
    { key: '$uri', rate: '1r/s', zoneSize: '31k' },
  ])('what is bad in a policy it refuses: %o', (limit) => {
    const scene = { routes: [route('coffee', { rules: [rule([at('/')])] })], policies: [own({}, [limit])] }
    expect(accepts(scene)).toMatchObject({ accepted: false })
  })

  test('whatever stands in a route stays where it belongs', () => {
    fc.assert(
      fc.property(scenes, (scene) => {
        expect(accepts(scene)).toMatchObject({ accepted: true })
      }),
      { numRuns: 100 },
    )
  })
})

/** Texts that mean something to nginx, or to those who quote. */
const nasty = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '"',
        "'",
        '\\',
        '$',
        '$uri',
        '{',
        '}',
        ';',
        '#',
        ' ',
        '\n',
        '\t',
        '~',
        '*',
        '|',
        'default',
        'include',
      ),
      fc.string(),
    ),
    {
      maxLength: 6,
    },
  )
  .map((pieces) => pieces.join('').replaceAll('\0', ''))
const headerName = fc.oneof(nasty, fc.constantFrom('x-a', 'X_b', 'v'))
const values = fc.array(fc.record({ name: headerName, value: nasty }), { maxLength: 2 })
const matches = fc.record({
  path: fc.record({ type: fc.constantFrom('Exact', 'PathPrefix'), value: nasty.map((text) => `/${text}`) }),
  method: fc.option(fc.constantFrom('GET', 'get', '$x'), { nil: undefined }),
  headers: values,
  queryParams: values,
})
const redirect = fc.record({
  hostname: nasty,
  path: fc.record({ type: fc.constant('ReplaceFullPath'), replaceFullPath: nasty.map((text) => `/${text}`) }),
})
const rules = fc.record({
  matches: fc.array(matches, { minLength: 1, maxLength: 3 }),
  backendRefs: fc.array(fc.record({ name: fc.oneof(nasty, fc.constant('coffee')), port: fc.constant(80) }), {
    maxLength: 2,
  }),
  filters: fc.oneof(
    fc.constant([]),
    fc.record({ type: fc.constant('RequestRedirect'), requestRedirect: redirect }).map((filter) => [filter]),
  ),
})
const scenes: fc.Arbitrary<Scene> = fc
  .record({
    rules: fc.array(rules, { maxLength: 2 }),
    hostnames: fc.array(nasty, { maxLength: 2 }),
    settings: fc.constantFrom({}, { rejectCode: 444 }),
  })
  .map(({ rules: all, hostnames, settings }) => ({
    routes: [route('coffee', { rules: all as readonly JsonObject[], hostnames })],
    policies: [edge(), own(settings)],
  }))

/** A command line in a folder of its own, which goes with the tests. */
const folders: string[] = []
const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'sluice-render-cli-'))
  folders.push(made)
  return made
}
afterAll(() => {
  for (const one of folders) rmSync(one, { recursive: true, force: true })
})

const verdict = ({ path }: NginxProgram, prefix: string) => {
  const { status, stderr } = spawnSync(path, ['-t', '-p', prefix, '-c', join(prefix, 'nginx.conf'), '-e', 'stderr'], {
    encoding: 'utf8',
  })
  return { status, stderr }
}

describeNginx('sluice render --complete', (program) => {
  const render = (...argv: readonly string[]) =>
    runCommand(['render', '--complete', '--nginx-version', program.version, '--port-offset', '20000', ...argv])

  test('examples/shop is taken, in one file and in several', async () => {
    const [one, several] = [folder(), folder()]
    const { code, stdout, stderr } = await render('examples/shop')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    writeFileSync(join(one, 'nginx.conf'), stdout)
    expect(await render('examples/shop', '--dir', several)).toMatchObject({ code: 0, stderr: '' })
    expect([verdict(program, one), verdict(program, several)]).toMatchObject([{ status: 0 }, { status: 0 }])
    expect(readdirSync(several)).toContain('RateLimitPolicy_Gateway_shop_storefront_limits.conf')
  })

  test('real certificates are named by host or listener', async () => {
    const [certificates, out] = [folder(), folder()]
    const made = spawnSync('openssl', [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-subj',
      '/CN=x',
      '-keyout',
      join(certificates, 'https.key'),
      '-out',
      join(certificates, 'https.crt'),
    ])
    expect(made.status).toBe(0)
    expect(await render('examples/shop', '--tls-dir', certificates, '--dir', out)).toMatchObject({ code: 0 })
    expect(verdict(program, out)).toMatchObject({ status: 0 })
    cpSync(join(certificates, 'https.crt'), join(certificates, 'other.crt'))
    rmSync(join(certificates, 'https.crt'))
    const { code, stderr } = await render('examples/shop', '--tls-dir', certificates)
    expect(code).toBe(2)
    expect(stderr).toMatch(
      /^sluice: Gateway shop\/storefront: no certificate for menu\.beans\.example: --tls-dir needs .*\n$/,
    )
  })

  test('several Gateways have a folder each', async () => {
    const [manifests, out] = [folder(), folder()]
    const both = ['a', 'b'].map((name) => gateway(name).object)
    writeFileSync(join(manifests, 'all.json'), JSON.stringify({ kind: 'List', apiVersion: 'v1', items: both }))
    expect(await render(manifests, '--dir', out)).toMatchObject({ code: 0 })
    expect(readdirSync(out)).toEqual(['shop_a', 'shop_b'])
    for (const name of readdirSync(out)) expect(verdict(program, join(out, name))).toMatchObject({ status: 0 })
  })
})
