/** What the snippets of a world define, as the rules about keys see it. */
import { expect, it } from 'vitest'
import { keyPlatform } from '../../src/gateway/keys/keys.ts'
import { unknownVariables } from '../../src/gateway/keys/unknown-variables.ts'
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts'
import { limitOf, world } from './objects.ts'

const reasonsIn = (value: string, key: string): readonly string[] => {
  const { variables } = world({ snippets: [{ spec: { snippets: [{ context: 'http', value }] } }] })
  const view = limitOf({ key }).key.value
  if (!view) throw new Error(`${key} cannot be read`)
  return unknownVariables(view, keyPlatform(DEFAULT_SETTINGS.platform, variables)).map(({ reason }) => reason)
}

it.each([
  ['map "{$host}" $tenant { default x; }', '$tenant$area', ['unknown']],
  ['geoip2 a.mmdb { $area source=$remote_addr country iso_code; }', '$area', []],
  ['include tenants.conf;', '$tenant$area', []],
  ['include tenants.conf;', '$binary_remote_adr', []],
  ['include tenants.conf;', '$jwt_claim_sub', ['plus-only']],
])('%s: of %s, %j', (value, key, reasons) => expect(reasonsIn(value, key)).toEqual(reasons))

it('snippets are complete where all of them are known', () => {
  expect(world({}).variables.complete).toBe(true)
  expect(world({}, { closed: false }).variables.complete).toBe(false)
})
