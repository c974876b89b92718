/** What keeps a body from becoming a configuration, and whether its remedies help. */
import { expect, test } from 'vitest'
import { nameOf } from '../../../src/api-management/render/names.ts'
import { placeOf, publicationProblems } from '../../../src/api-management/render/plan.ts'
import type { Json, JsonObject } from '../../../src/json/member.ts'
import { isObject } from '../../../src/json/member.ts'
import { applyPatch, type PatchOperation } from '../../../src/json/patch.ts'

const keys = (...data: readonly JsonObject[]): JsonObject => ({ policies: { 'apikey-authn': [{ data }] } })
const target = (more: JsonObject): JsonObject => ({
  backends: [{ serviceTargets: [{ hostname: 'web.example', ...more }] }],
})
const AT_TARGET = '/proxyConfig/backends/0/serviceTargets/0'
const AT_KEY = '/proxyConfig/policies/apikey-authn/0'

/** `proxyConfig`, where what is wrong, its message, its remedy, and the remedy as it is carried out. */
const PROBLEMS: readonly (readonly [JsonObject, string, string, string, readonly PatchOperation[]])[] = [
  ...[
    'a b',
    '',
    'a;b',
    '-a',
    'a..b',
    '*',
    '*.',
    'a.*.b',
    'http://a',
    'a:80',
    '_',
    'n'.repeat(254),
    'ü.example',
    5,
    null,
  ].map(
    (hostname) =>
      [
        { hostname },
        '/proxyConfig/hostname',
        ' is not a hostname',
        'Write a hostname such as "api.example.com".',
        [{ op: 'replace', path: '/proxyConfig/hostname', value: 'api.example.com' }],
      ] as const,
  ),
  ...[
    'shop',
    '',
    '//',
    '/a//b',
    '/a/../b',
    '/a b',
    '/a{b',
    '/%41',
    '/a?b',
    '/a$b',
    '/a"',
    '/\n',
    `/${'a'.repeat(500)}`,
    {},
  ].map(
    (basePath) =>
      [
        { ingress: { basePath } },
        '/proxyConfig/ingress/basePath',
        ' is not a base path of letters, digits and ".", "-", "_", "~"',
        'Write a base path of letters, digits and ".", "-", "_", "~" such as "/shop".',
        [{ op: 'replace', path: '/proxyConfig/ingress/basePath', value: '/shop' }],
      ] as const,
  ),
  [
    { ingress: { basePathVersionAppendRule: 'SUFFIX' } },
    '/proxyConfig/ingress/basePathVersionAppendRule',
    '"SUFFIX" is not "PREFIX" or "NONE"',
    'Write "PREFIX" or "NONE".',
    [{ op: 'replace', path: '/proxyConfig/ingress/basePathVersionAppendRule', value: 'NONE' }],
  ],
  [
    { ingress: { stripBasePathVersion: 'yes' } },
    '/proxyConfig/ingress/stripBasePathVersion',
    '"stripBasePathVersion" must be true or false',
    'Write "stripBasePathVersion: true", or remove it.',
    [{ op: 'replace', path: '/proxyConfig/ingress/stripBasePathVersion', value: true }],
  ],
  [
    { ingress: 5 },
    '/proxyConfig/ingress',
    '"ingress" must be an object',
    'Write an object, or remove "ingress".',
    [{ op: 'remove', path: '/proxyConfig/ingress' }],
  ],
  [
    { ingress: { routes: {} } },
    '/proxyConfig/ingress/routes',
    '"routes" must be a list',
    'Write a list, or remove "routes".',
    [{ op: 'replace', path: '/proxyConfig/ingress/routes', value: [] }],
  ],
  [
    { ingress: { routes: ['/a'] } },
    '/proxyConfig/ingress/routes/0',
    'an item of "routes" must be an object',
    'Write an object, or remove the item.',
    [{ op: 'remove', path: '/proxyConfig/ingress/routes/0' }],
  ],
  ...['a', '/{', '/{a}b', '/a b', '/.*', '/(x)'].map(
    (uri) =>
      [
        { ingress: { routes: [{ uri }] } },
        '/proxyConfig/ingress/routes/0/uri',
        ' is not a path of plain segments and parameters',
        'Write a path of plain segments and parameters such as "/orders/{id}".',
        [{ op: 'replace', path: '/proxyConfig/ingress/routes/0/uri', value: '/orders/{id}' }],
      ] as const,
  ),
  [
    {
      ingress: { routes: [{ uri: '/a', targetBackendServiceLabel: 'x' }] },
      backends: [{ label: { targetName: 'y' } }],
    },
    '/proxyConfig/ingress/routes/0/targetBackendServiceLabel',
    'no backend has this label',
    'Write the label.targetName of a backend, or add such a backend.',
    [{ op: 'replace', path: '/proxyConfig/ingress/routes/0/targetBackendServiceLabel', value: 'y' }],
  ],
  [
    { grpcIngress: {} },
    '/proxyConfig/grpcIngress',
    'grpcIngress names no service',
    'Add "service": "shop.orders.v1.Orders".',
    [{ op: 'add', path: '/proxyConfig/grpcIngress/service', value: 'shop.orders.v1.Orders' }],
  ],
  ...['/a.B', 'a b', 'a/B', '', '1a', 'a;b'].map(
    (service) =>
      [
        { grpcIngress: { service } },
        '/proxyConfig/grpcIngress/service',
        ' is not the full name of a gRPC service',
        'Write the full name of a gRPC service such as "shop.orders.v1.Orders".',
        [{ op: 'replace', path: '/proxyConfig/grpcIngress/service', value: 'shop.orders.v1.Orders' }],
      ] as const,
  ),
  ...['unix:/x', 'a/b', 'a:1', '*.a', ':', '::g', '$host', 7].map(
    (hostname) =>
      [
        target({ hostname }),
        `${AT_TARGET}/hostname`,
        ' is not the name or address of a host',
        'Write the name or address of a host such as "orders.example.com".',
        [{ op: 'replace', path: `${AT_TARGET}/hostname`, value: 'orders.example.com' }],
      ] as const,
  ),
  [
    { backends: [{ serviceTargets: [{}] }] },
    AT_TARGET,
    'a target needs a hostname',
    'Add "hostname": "orders.example.com".',
    [{ op: 'add', path: `${AT_TARGET}/hostname`, value: 'orders.example.com' }],
  ],
  ...[0, 65_536, 1.5, '80', null].map(
    (port) =>
      [
        target({ listener: { port } }),
        `${AT_TARGET}/listener/port`,
        'a port must be a whole number from 1 to 65535',
        'Write a number such as 8080.',
        [{ op: 'replace', path: `${AT_TARGET}/listener/port`, value: 8080 }],
      ] as const,
  ),
  [
    { backends: [{ serviceTargets: [{ hostname: 'a' }, { hostname: 'b', listener: { enableTLS: true } }] }] },
    '/proxyConfig/backends/0/serviceTargets/1/listener',
    'the targets of one backend must be reached in the same way',
    'Write the same enableTLS and transportProtocol for all of them, or make two backends.',
    [{ op: 'replace', path: '/proxyConfig/backends/0/serviceTargets/1/listener/enableTLS', value: false }],
  ],
  [
    keys({ apiKey: 'k' }),
    `${AT_KEY}/data/0/clientID`,
    'clientID is missing',
    'Add "clientID".',
    [{ op: 'add', path: `${AT_KEY}/data/0/clientID`, value: 'shop' }],
  ],
  ...['', 'a b', 'ä', 'a\n', 'k'.repeat(257)].map(
    (apiKey) =>
      [
        keys({ clientID: 'shop', apiKey }),
        `${AT_KEY}/data/0/apiKey`,
        ' is not a key of at most 256 visible ASCII characters',
        'Write a key of at most 256 visible ASCII characters such as "b7Qm2Xw9".',
        [{ op: 'replace', path: `${AT_KEY}/data/0/apiKey`, value: 'b7Qm2Xw9' }],
      ] as const,
  ),
  [
    keys({ clientID: 'a', apiKey: 'k' }, { clientID: 'b', apiKey: 'k' }),
    `${AT_KEY}/data/1/apiKey`,
    'two clients have this key',
    'Give each client a key of its own.',
    [{ op: 'replace', path: `${AT_KEY}/data/1/apiKey`, value: 'other' }],
  ],
  [
    { policies: { 'apikey-authn': [{ action: { apiKeyName: 'my_key' } }] } },
    `${AT_KEY}/action/apiKeyName`,
    '"my_key" is not the name of a header with only letters, digits and hyphens',
    'Write the name of a header with only letters, digits and hyphens such as "apikey".',
    [{ op: 'replace', path: `${AT_KEY}/action/apiKeyName`, value: 'apikey' }],
  ],
  ...[
    ...['x_id', 'a b', ''].map(
      (name) => [name, ' is not the name of a header of its own with only letters, digits and hyphens'] as const,
    ),
    ...['Host', 'content-length', 'Set-Cookie', 'x-forwarded-for'].map(
      (name) => [name, ': nginx or HTTP sets this header itself: another name is needed'] as const,
    ),
  ].map(
    ([httpHeaderName, message]) =>
      [
        { policies: { 'request-correlation-id': [{ action: { httpHeaderName } }] } },
        '/proxyConfig/policies/request-correlation-id/0/action/httpHeaderName',
        message,
        'Write the name of a header of its own with only letters, digits and hyphens such as "x-correlation-id".',
        [
          {
            op: 'replace',
            path: '/proxyConfig/policies/request-correlation-id/0/action/httpHeaderName',
            value: 'x-correlation-id',
          },
        ],
      ] as const,
  ),
]

test.each(PROBLEMS)('%j is a problem at %s, and its remedy helps', (...problem) => {
  const [proxyConfig, pointer, message, remedy, patch] = problem
  const body = { name: 'shop', proxyConfig }
  expect(publicationProblems(body)).toEqual([{ pointer, message: expect.stringContaining(message), remedy }])
  const patched = applyPatch(body, patch)
  expect(
    patched && 'value' in patched && isObject(patched.value) ? publicationProblems(patched.value) : patched,
  ).toEqual([])
})

test.each<Json>([
  {},
  { policies: {} },
  { proxyConfig: {} },
  { proxyConfig: { ingress: {}, backends: [{}], policies: {} } },
])('a body with little in it has no problem: %j', (body) => {
  expect(isObject(body) && publicationProblems(body)).toEqual([])
})

test.each<readonly [JsonObject, object]>([
  [{}, { hostname: undefined, paths: ['/v1'] }],
  [
    { version: 'v2', proxyConfig: { ingress: { basePath: '/shop/' } } },
    { hostname: undefined, paths: ['/v2/shop'] },
  ],
  [
    { proxyConfig: { hostname: 'A.example', ingress: { basePath: '/', basePathVersionAppendRule: 'none' } } },
    { hostname: 'a.example', paths: ['/'] },
  ],
  [{ proxyConfig: { grpcIngress: { service: 'a.B' } } }, { hostname: undefined, paths: ['/a.B'] }],
  [{ proxyConfig: { ingress: {}, grpcIngress: { service: 'a.B' } } }, { hostname: undefined, paths: ['/v1', '/a.B'] }],
])('%j answers at %j', (body, place) => {
  expect(placeOf(body)).toEqual(place)
})

test('different ids have different names, also for those who compare without case', () => {
  const ids = ['a', 'A', '_a', '-a', '_', '__', '-', 'a-', 'a_', 'A_', '_A', '_0', '02d', '_02d_', '0']
  expect(new Set(ids.map((id) => nameOf(id).toLowerCase())).size).toBe(ids.length)
  for (const id of ids) expect(nameOf(id)).toMatch(/^[a-z0-9_]+$/)
})
