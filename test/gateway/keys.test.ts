import { describe, expect, it } from 'vitest'
import { clientInputOf, keyPlatform, readableParts, variedBy } from '../../src/gateway/keys/keys.ts'
import { unknownVariables } from '../../src/gateway/keys/unknown-variables.ts'
import { leastKeyBytes, sizeForKeys, usableSize } from '../../src/gateway/keys/zones.ts'
import { keyParts } from '../../src/limits/key.ts'
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts'
import { limitOf } from './objects.ts'

const defining = (...names: readonly string[]) => ({
  defined: new Set(names),
  isOpen: false,
  modules: new Set<string>(),
})
const platform = keyPlatform({ ...DEFAULT_SETTINGS.platform, variables: ['$Plan'] }, defining('tenant'))

describe('a readable key', () => {
  it.each(['$binary_remote_addr', '$tenant:$plan', '$gw_api_compliant_host', '$http_anything', '""', '$1'])(
    'is %s',
    (key) => {
      expect(readableParts(limitOf({ key }), platform)).toBeDefined()
    },
  )

  it.each(['$nope', '$host_', '"$host', '$jwt_claim_sub', 'a b', '', 5, null])('is not %j', (key) => {
    expect(readableParts(limitOf({ key }), platform)).toBeUndefined()
  })

  it('knows what configuration defines, world by world', () => {
    const settings = DEFAULT_SETTINGS.platform
    const world = defining('a')
    expect(keyPlatform(settings, world)).toBe(keyPlatform(settings, world))
    expect(keyPlatform(settings, defining('b')).variables).not.toContain('a')
    expect(keyPlatform({ ...settings, variables: ['b'] }, world).variables).toContain('b')
  })
})

it.each([
  ['$http_x_api_key', { type: 'header', name: 'x-api-key' }],
  ['$HTTP_', { type: 'header', name: '' }],
  ['$arg_token', { type: 'argument', name: 'token' }],
  ['$cookie_session_id', { type: 'cookie', name: 'session_id' }],
  ['$http_host', undefined],
  ['$sent_http_x', undefined],
  ['$args', undefined],
  ['http_x', undefined],
])('%s is supplied as %j', (key, supplied) => {
  expect(keyParts(key).map(clientInputOf)).toEqual([supplied])
})

describe('a client evades a limit', () => {
  it.each([
    ['$request_uri', 'request_uri', 'query'],
    ['$uri$is_args$args', 'args', 'varies'],
    ['$host:$http_x', 'http_x', 'varies'],
    ['$http_host', 'http_host', 'host'],
    ['$http_host$http_x', 'http_x', 'varies'],
    ['$connection', 'connection', 'address'],
    ['$proxy_add_x_forwarded_for', 'proxy_add_x_forwarded_for', 'address'],
    ['$ssl_client_verify$request_uri', 'request_uri', 'query'],
    ['$binary_remote_addr$request_uri', 'request_uri', 'query'],
    ['$request_uri$connection', 'request_uri', 'varies'],
    ['$remote_user:$args', 'args', 'varies'],
    ['$ssl_client_fingerprint$http_x', 'http_x', 'varies'],
    ['$tenant$request_uri', 'request_uri', 'query'],
    ['$1$request_uri', 'request_uri', 'query'],
  ])('by %s, varying %s', (key, variable, remedy) => {
    expect(variedBy(keyParts(key), platform)).toMatchObject({ variable, remedy })
  })

  it.each([
    '$binary_remote_addr',
    '$http_authorization:$uri',
    '$tenant',
    '$1',
    '$uri',
    '$host$request_method',
    '$nope',
    'fixed',
    '',
  ])('but not, as far as is known, by %j', (key) => {
    expect(variedBy(keyParts(key), platform)).toBeUndefined()
  })
})

describe('an unknown variable', () => {
  const explained = (key: string) => {
    const { value } = limitOf({ key }).key
    return value ? unknownVariables(value, platform) : []
  }

  it.each([
    ['$nope', 'unknown', '$nope', undefined],
    ['$apiKey', 'unknown', '$apiKey', undefined],
    ['$binary_remote_adr', 'misspelt', '$binary_remote_adr', '$binary_remote_addr'],
    ['$Tennant', 'misspelt', '$Tennant', '$tenant'],
    ['$host_$uri', 'glued', '$host_', '$host:$uri'],
    ['"$host_v2/$host_v2_"', 'glued', '$host_v2', '$host:v2/$host_v2_'],
    ['$Host_', 'misspelt', '$Host_', '$Host'],
    ['$tenant_v2', 'glued', '$tenant_v2', '$tenant:v2'],
    // A known name before an underscore, and another one that is nearer: the author meant the latter.
    ['$request_uir', 'misspelt', '$request_uir', '$request_uri'],
    ['$remote_addr_v4_header', 'glued', '$remote_addr_v4_header', '$remote_addr:v4_header'],
    ['$jwt_claim_sub', 'plus-only', '$jwt_claim_sub', undefined],
  ])('of %s is %s: %s means %s', (key, reason, variable, meant) => {
    expect(explained(key)[0]).toMatchObject({ reason, variable, meant })
  })

  it('is listed once', () => {
    expect(explained('$nope:$NOPE:$nix').map(({ variable }) => variable)).toEqual(['$nope', '$nix'])
  })

  it.each(['$host', '', '"$nope', 'a b'])('is not looked for in %j', (key) => expect(explained(key)).toEqual([]))
})

describe('the memory of a zone', () => {
  it.each([
    [undefined, 10_485_760],
    ['1m', 1_048_576],
    ['32k', 32_768],
    ['31k', undefined],
    ['1g', undefined],
    ['10M', undefined],
    [10, undefined],
  ])('is usable at %s: %s bytes', (zoneSize, bytes) => {
    expect(usableSize(limitOf(zoneSize === undefined ? {} : { zoneSize }), 4096)?.bytes).toBe(bytes)
  })

  it.each([
    ['$binary_remote_addr', 1],
    ['über:$uri$host', 8],
    ['fixed', undefined],
    ['""', undefined],
    ['$nope', undefined],
  ])('holds keys %s of %s bytes at least', (key, bytes) => {
    expect(leastKeyBytes(limitOf({ key }), platform)).toBe(bytes)
  })

  it('is found for a number of keys', () => {
    expect(sizeForKeys(1, 4, 4096)).toBe('1m')
    expect(sizeForKeys(81_376, 4, 4096)).toBe('11m')
    expect(sizeForKeys(1e9, 4, 4096)).toBeUndefined()
  })
})
