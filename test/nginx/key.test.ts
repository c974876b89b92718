import { describe, expect, test } from 'vitest'
import { keyParts } from '../../src/limits/key.ts'
import { clientControlled, keyEmptiness, sharing, uniquePerRequest } from '../../src/nginx/key.ts'
import { readParameter } from '../../src/nginx/parameter.ts'

const platform = { nginxVersion: '1.31', plus: true, variables: ['tenant'] }

function partsOf(key: string) {
  const read = readParameter(key)
  return read.ok ? keyParts(read.value) : []
}
const names = (found: readonly { readonly name: string }[]) => found.map(({ name }) => name)

test.each([
  ['$http_x_api_key', 'sometimes'],
  ['$arg_page', 'sometimes'],
  ['$cookie_sid$http_x', 'sometimes'],
  ['$args', 'sometimes'],
  ['$remote_user', 'sometimes'],
  ['$1', 'sometimes'],
  ['$jwt_claim_sub', 'sometimes'],
  ['$http_x:', 'never'],
  ['$binary_remote_addr$http_x', 'never'],
  ['$host', 'never'],
  ['$tenant', 'never'],
  ['$nope', 'never'],
  ['fixed', 'never'],
  ['""', 'always'],
  ['$upstream_addr', 'always'],
  ['$sent_http_x$request_body', 'always'],
  ['$upstream_addr$arg_x', 'sometimes'],
])('%s is %s empty', (key, missingLimits) => expect(keyEmptiness(partsOf(key), platform)).toBe(missingLimits))

test.each([
  ['$binary_remote_addr', []],
  ['$binary_remote_addr:$host', []],
  ['$server_name$request_method', ['request_method']],
  ['$binary_remote_addr$request_uri', ['request_uri']],
  ['$http_x_api_key$cookie_sid', ['http_x_api_key', 'cookie_sid']],
  ['$remote_addr:$remote_port', ['remote_port']],
  ['$tenant', []],
  ['fixed', []],
])('in %s a client chooses %j', (key, chosen) =>
  expect(names(clientControlled(partsOf(key), platform))).toEqual(chosen),
)

test.each([
  ['$request_id', ['request_id']],
  ['$host$msec', ['msec']],
  ['$time_iso8601', []],
  ['$connection', []],
  ['$binary_remote_addr', []],
])('%s is new each time by %j', (key, unique) =>
  expect(names(uniquePerRequest(partsOf(key), platform))).toEqual(unique),
)

describe('one bucket for all clients', () => {
  test.each(['fixed', '$hostname', 'api-$nginx_version', 'x$upstream_addr', '$status'])('%s', (key) =>
    expect(sharing(partsOf(key), platform)).toBe('always'),
  )
  test.each(['$host', '$http_x', '""', '$upstream_addr', 'x$1', '$tenant', '$nope'])('not %s', (key) =>
    expect(sharing(partsOf(key), platform)).not.toBe('always'),
  )
})
