import { describe, expect, test } from 'vitest'
import { keyParts } from '../../src/limits/key.ts'
import { clientControlled, keyEmptiness, sharing, uniquePerRequest } from '../../src/nginx/key.ts'
import { readParameter } from '../../src/nginx/parameter.ts'
import { casesOf } from '../support/cases.ts'

const { each } = casesOf(import.meta.url)

const platform = { nginxVersion: '1.31', plus: true, variables: ['tenant'] }

function partsOf(key: string) {
  const read = readParameter(key)
  return read.ok ? keyParts(read.value) : []
}
const names = (found: readonly { readonly name: string }[]) => found.map(({ name }) => name)

each<[string, string]>('%s is %s empty', (key, missingLimits) =>
  expect(keyEmptiness(partsOf(key), platform)).toBe(missingLimits),
)

each<[string, readonly string[]]>('in %s a client chooses %j', (key, chosen) =>
  expect(names(clientControlled(partsOf(key), platform))).toEqual(chosen),
)

each<[string, readonly string[]]>('%s is new each time by %j', (key, unique) =>
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
