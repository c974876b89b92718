/** Bodies with texts that would break out of an nginx configuration, and what such a configuration may say. */
import fc from 'fast-check'
import { expect } from 'vitest'
import type { Published, RenderedFile, Site } from '../../../src/api-management/render/published.ts'
import { isObject, type Json, type JsonObject } from '../../../src/json/member.ts'
import { hostile, type Path, readDirectives, textsIn, withText } from '../../live/hostile.ts'

/** The folder of the socket; nginx makes the socket even to test a configuration. */
export const SOCKETS = '/tmp/sluice-hostile'

/** The nginx for which they are rendered. */
export const siteOf = (nginxVersion: string): Site => ({
  ...{ nginxVersion, address: '127.0.0.1', port: 18_080, grpcPort: 18_081 },
  hop: { socket: `${SOCKETS}/hop.sock`, consumerHeader: 'x-consumer-id', addressHeader: 'x-real-ip' },
})

const limiting = { action: { limits: [{ rate: '5r/s', rateLimitBy: 'consumer', zoneSize: '1M' }] } }

/** A body that has every declared field, at the first index of every list, and that no rule objects to. */
export const WHOLE: JsonObject = {
  name: 'shop',
  version: 'v2',
  environment: 'default',
  proxyConfig: {
    hostname: 'api.shop.example',
    ingress: {
      basePath: '/shop',
      basePathVersionAppendRule: 'PREFIX',
      stripBasePathVersion: true,
      routes: [
        { uri: '/pets/{id}', targetBackendServiceLabel: 'pets' },
        { uri: '/pets/all', targetBackendServiceLabel: 'pets' },
      ],
    },
    grpcIngress: { service: 'shop.Orders', routes: [{ method: 'Place', targetBackendServiceLabel: 'pets' }] },
    backends: [
      {
        serviceName: 'menu',
        label: { targetName: 'default' },
        serviceTargets: [
          { hostname: '127.0.0.1', listener: { port: 8080, transportProtocol: 'HTTP', enableTLS: true } },
        ],
      },
      {
        serviceName: 'pets',
        label: { targetName: 'pets' },
        serviceTargets: [{ hostname: '::1', listener: { transportProtocol: 'GRPC' } }],
      },
    ],
    policies: {
      'rate-limit': [
        {
          systemMetadata: { appliedOn: 'inbound', context: 'proxy' },
          metadata: { labels: { targetPolicyName: 'default' } },
          action: {
            returnCode: 503,
            grpcStatusCode: 502,
            limits: [
              { rate: '10r/s', rateLimitBy: 'uri', zoneSize: '1M', throttle: { burst: 9, delay: 3, noDelay: false } },
              { rate: '20r/s', rateLimitBy: 'client.ip', zoneSize: '2M', throttle: { burst: 9, noDelay: true } },
            ],
          },
        },
      ],
      'apikey-authn': [
        {
          action: { suppliedIn: 'HEADER', apiKeyName: 'X-API-Key', credentialForward: false },
          data: [
            { clientID: 'one', apiKey: 'first' },
            { clientID: 'two', apiKey: 'FIRST' },
          ],
        },
        { action: { suppliedIn: 'QUERY', apiKeyName: 'key' }, data: [{ clientID: 'one', apiKey: 'in-query' }] },
      ],
      'request-correlation-id': [{ action: { httpHeaderName: 'x-trace' } }],
    },
  },
}

/** A proxy and an environment with every field that reaches a configuration. */
const MEANT: JsonObject = {
  environment: 'prod',
  policies: { 'rate-limit': [limiting], 'request-correlation-id': [{ action: { httpHeaderName: 'x-of-prod' } }] },
  body: WHOLE,
}

function valuesIn(value: Json | undefined, path: Path): readonly Path[] {
  const inner = Array.isArray(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : []
  return [path, ...inner.flatMap(([name, member]) => valuesIn(member, [...path, name]))]
}

const TEXTS = textsIn(MEANT, [])
const VALUES = valuesIn(MEANT, []).filter(([first]) => first === 'body' || first === 'policies')

/** Beside hostile texts also values that look right and are not, and long ones. */
const text = fc.oneof(
  { weight: 6, arbitrary: hostile },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      ' ',
      '..',
      '/..',
      '/a//b',
      '*',
      '*.x',
      'unix:/tmp/x',
      'a:80',
      '[::1',
      'n'.repeat(5000),
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
)

const change: fc.Arbitrary<readonly [Path, Json]> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constantFrom(...TEXTS), text) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...VALUES), fc.jsonValue() as fc.Arbitrary<Json>) },
)

/** What is to be published, as it is meant but for some values. */
export const hostilePublished: fc.Arbitrary<Published> = fc
  .array(change, { minLength: 0, maxLength: 3 })
  .map((changes) =>
    publishedOf(changes.reduce<Json | undefined>((all, [path, value]) => withText(all, path, value), MEANT)),
  )

function publishedOf(all: Json | undefined): Published {
  const { environment = '', policies = {}, body = {} } = isObject(all) ? all : {}
  const name = typeof environment === 'string' ? environment : ''
  const objectOr = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})
  return {
    proxies: [{ id: 'P-1_x', workspace: 'w', environment: name, revision: 1, body: objectOr(body) }],
    environments: [{ name, policies: objectOr(policies) }],
  }
}

/** What it is meant to be. */
export const MEANT_PUBLISHED = publishedOf(MEANT)

/** What the first parameter of a directive may be, and so which directives there may be. */
const ALLOWED: Readonly<Record<string, RegExp>> = {
  access_log: /^access\.log$/,
  add_header: /^[A-Za-z0-9-]+$/,
  client_body_temp_path: /^client_body_temp$/,
  default_type: /^application\/json$/,
  error_log: /^error\.log$/,
  error_page: /^[45]\d\d$/,
  events: /^$/,
  grpc_hide_header: /^[A-Za-z0-9-]+$/,
  grpc_pass: /^grpcs?:\/\/sluice__p_02d_1__x_backend\d$/,
  grpc_set_header: /^[A-Za-z0-9-]+$/,
  grpc_ssl_name: /^"?[\w.:[\]-]+"?$/,
  grpc_ssl_server_name: /^on$/,
  http: /^$/,
  http2: /^on$/,
  if: /^\(\$sluice__p_02d_1__x_client$/,
  include: /^(?:proxies\/_p_02d_1__x(?:\.server)?|environments\/[0-9a-f]{16})\.conf$/,
  limit_req:
    /^zone=(?:[\w-]+\._p_02d_1__x|global\.[\w-]+\.[0-9a-f]{16}|unknown_api_keys)(?:_rl_policy\d+_rule\d+_[0-9a-f]{16})?$/,
  limit_req_status: /^[45]\d\d$/,
  limit_req_zone: /^\$(?:consumer_id|uri|binary_remote_addr)$/,
  listen: /^(?:127\.0\.0\.1:1808[01]|unix:\/tmp\/sluice-hostile\/hop\.sock)$/,
  location: /^(?:=|\^~|~|\/|@sluice__p_02d_1__x_(?:\d{3}|no_client))$/,
  log_format: /^sluice_[a-z0-9_]+$/,
  map: /^(?:\$\w+|"[=$\w ]+")$/,
  map_hash_bucket_size: /^512$/,
  map_hash_max_size: /^65536$/,
  pid: /^nginx\.pid$/,
  proxy_headers_hash_max_size: /^1024$/,
  proxy_hide_header: /^[A-Za-z0-9-]+$/,
  proxy_http_version: /^1\.1$/,
  proxy_pass: /^https?:\/\/sluice__p_02d_1__x_backend\d\/?$/,
  proxy_set_header: /^[A-Za-z0-9-]+$/,
  proxy_ssl_name: /^"?[\w.:[\]-]+"?$/,
  proxy_ssl_server_name: /^on$/,
  proxy_temp_path: /^proxy_temp$/,
  real_ip_header: /^x-real-ip$/,
  recursive_error_pages: /^on$/,
  return: /^(?:404|418|[45]\d\d)$/,
  root: /^\/dev\/null$/,
  rewrite: /^"\(\?s\)\^/,
  server: /^(?:|"?(?:[a-z0-9][a-z0-9._-]*|\[[0-9a-f:.]+\]):\d+"?)$/i,
  server_name: /^"?(?:_|(?:\*\.)?[a-z0-9][a-z0-9._-]*)"?$/,
  server_names_hash_bucket_size: /^512$/,
  server_names_hash_max_size: /^65536$/,
  server_tokens: /^off$/,
  set: /^\$consumer_id$/,
  set_real_ip_from: /^unix:$/,
  try_files: /^\/sluice\.no-(?:backend|client)$/,
  types: /^$/,
  upstream: /^sluice__p_02d_1__x_backend\d$/,
  variables_hash_bucket_size: /^512$/,
  variables_hash_max_size: /^65536$/,
  worker_connections: /^1024$/,
  worker_processes: /^auto$/,
}

/** Expects nothing in a configuration but what is meant to be there. */
export function expectOnlyMeant(files: readonly RenderedFile[]): void {
  for (const { name, text: written } of files) {
    const directives = readDirectives(written)
    expect(directives, `${name}:\n${written}`).toBeDefined()
    let mapDepth = Number.POSITIVE_INFINITY
    for (const { words, depth } of directives ?? []) {
      const [directive = '', first = ''] = words
      if (depth <= mapDepth) mapDepth = Number.POSITIVE_INFINITY
      // The rows of a map are no directives: a value, and what it becomes.
      if (depth > mapDepth) expect(words.length, `${name}:\n${written}`).toBe(2)
      else {
        expect(Object.keys(ALLOWED), `${name}:\n${written}`).toContain(directive)
        expect(first, `${directive} in ${name}`).toMatch(ALLOWED[directive] ?? /^$/)
      }
      if (directive === 'map' && depth < mapDepth) mapDepth = depth
    }
  }
}
