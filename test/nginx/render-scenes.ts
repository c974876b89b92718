/** Scenes to render: one for each feature, and some with hostile values in routes. */

import fc from 'fast-check'
import type { JsonObject } from '../../src/json/member.ts'
import { gateway, perClient, policy, route } from '../gateway/objects.ts'
import type { Scene } from './rendered.ts'

const to = (name: string, port = 80): JsonObject => ({ backendRefs: [{ name, port }] })
export const at = (value: string, type = 'PathPrefix'): JsonObject => ({ path: { type, value } })
export const rule = (matches: readonly JsonObject[], more: JsonObject = to('coffee')): JsonObject => ({
  matches,
  ...more,
})
const HTTPS = { name: 'https', port: 443, protocol: 'HTTPS', hostname: '*.beans.example' }
const HTTP = { name: 'http', port: 80, protocol: 'HTTP' }
const edge = (settings: JsonObject = {}, name = 'edge') =>
  policy(name, { on: ['Gateway shop'], limits: [perClient('10r/s')], settings })
export const own = (settings: JsonObject = {}, limits = [perClient('1r/s', { burst: 5, noDelay: true })]) =>
  policy('own', { limits, settings })

/** Scenes by what they show, and what their configuration must or must not contain. */
export const SCENES: Readonly<Record<string, Scene & { readonly says?: RegExp; readonly keepsSilent?: RegExp }>> = {
  'a Gateway without a route': { routes: [], policies: [edge()], says: /limit_req zone=shop_rl_edge_rule0;/ },
  'a route without a rule': { routes: [route('coffee')], policies: [], says: /try_files \/sluice\.no-backend =500;/ },
  'a conflict': {
    routes: [],
    policies: [edge({ rejectCode: 429 }), edge({ rejectCode: 430 }, 'late')],
    says: /late is left out on Gateway shop: it conflicts with RateLimitPolicy\n?#? shop\/edge\n?#? on\n?#? Gateway shop \(both set\n?#? rejectCode;/,
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
    says: /cannot check\n?\s*#? the header\n?\s*#? odd\.name/,
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
    says: /# A placeholder: \$tenant/,
  },
}

/** Strings with a meaning for nginx, or for code that quotes them. */
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
export const scenes: fc.Arbitrary<Scene> = fc
  .record({
    rules: fc.array(rules, { maxLength: 2 }),
    hostnames: fc.array(nasty, { maxLength: 2 }),
    settings: fc.constantFrom({}, { rejectCode: 444 }),
  })
  .map(({ rules: all, hostnames, settings }) => ({
    routes: [route('coffee', { rules: all as readonly JsonObject[], hostnames })],
    policies: [edge(), own(settings)],
  }))
