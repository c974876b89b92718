/** What the driver of a Gateway is given. */
import { expect, test } from 'vitest'
import { configurationFor, policyOfPart, type Site } from '../../src/live/configuration.ts'
import { composeFiles } from '../../src/proxy/configuration.ts'
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts'
import { gateway, policy, route, worldOf } from './manifests.ts'

const SITE: Site = {
  nginxVersion: '1.31',
  address: '127.0.0.1',
  ports: new Map([[80, 18_080]]),
  addresses: { get: () => '127.0.0.1:9' },
  certificates: undefined,
  socketDir: '/tmp',
}

const FRAME = gateway() + route('coffee') + route('tea')

type World = ReturnType<typeof worldOf>

function configure(world: World, options: Partial<Parameters<typeof configurationFor>[2]> = {}) {
  const [only] = world.gateways
  if (!only) throw new Error('no Gateway')
  return configurationFor(only, world, { site: SITE, inForce: undefined, ...options })
}

const textOf = ({ wanted }: ReturnType<typeof configure>, forms = wanted.forms) =>
  composeFiles(wanted, forms)
    .map(({ text }) => text)
    .join('')

test('each accepted policy is a part with two files, and the rest belongs to none', () => {
  const configuration = configure(
    worldOf(FRAME + policy('coffee', 'key: $uri, rate: 1r/s') + policy('tea', 'key: $host, rate: 2r/s')),
  )
  const { wanted, problems } = configuration
  expect(problems).toEqual([])
  expect([...wanted.forms.keys()]).toEqual(['shop/coffee', 'shop/tea'])
  expect(composeFiles(wanted, wanted.forms).map(({ name, part }) => [name, part])).toEqual([
    ['RateLimitPolicy_Routes_shop_coffee_zones.conf', 'shop/coffee'],
    ['RateLimitPolicy_Routes_shop_coffee_limits.conf', 'shop/coffee'],
    ['RateLimitPolicy_Routes_shop_tea_zones.conf', 'shop/tea'],
    ['RateLimitPolicy_Routes_shop_tea_limits.conf', 'shop/tea'],
    ['nginx.conf', undefined],
  ])
  expect(policyOfPart('shop/coffee')).toEqual({ namespace: 'shop', name: 'coffee' })
})

test('an old form of a part is rendered beside the new forms of the others', () => {
  const before = configure(worldOf(FRAME + policy('coffee', 'key: $uri, rate: 1r/s')))
  const after = configure(
    worldOf(FRAME + policy('coffee', 'key: $host, rate: 9r/s') + policy('tea', 'key: $host, rate: 2r/s')),
  )
  const old = before.wanted.forms.get('shop/coffee') ?? ''
  const text = textOf(after, new Map([...after.wanted.forms, ['shop/coffee', old]]))
  expect(text).toContain('limit_req_zone $uri zone=shop_rl_coffee_rule0:32k rate=1r/s;')
  expect(text).toContain('zone=shop_rl_tea_rule0:32k rate=2r/s;')
  expect(text).not.toContain('rate=9r/s')
})

test('the configuration depends on the forms alone, also for a policy that has gone or moved', () => {
  const before = configure(worldOf(FRAME + policy('coffee', 'key: $uri, rate: 1r/s')))
  const moved = configure(worldOf(FRAME + policy('coffee', 'key: $uri, rate: 1r/s', { target: 'tea' })))
  expect(textOf(moved, before.wanted.forms)).toBe(textOf(before))
  expect(textOf(configure(worldOf(FRAME)), before.wanted.forms)).toBe(textOf(before))
})

test('what loses a conflict, what the API server rejects and what another Gateway has is no part', () => {
  const world = worldOf(
    `${FRAME}${gateway('other')}${route('milk', { parent: 'other' })}${policy('milk', 'key: $uri, rate: 1r/s')}` +
      policy('coffee', 'key: $uri, rate: 1r/s', { settings: 'rejectCode: 429', created: '2026-01-01T00:00:00Z' }) +
      policy('late', 'key: $uri, rate: 1r/s', {
        settings: 'rejectCode: 430',
        target: 'coffee',
        created: '2026-01-02T00:00:00Z',
      }) +
      policy('tea', 'key: $uri, rate: 1r/s', { settings: 'rejectCode: 99' }),
  )
  expect([...configure(world).wanted.forms.keys()]).toEqual(['shop/coffee'])
})

test('the status, and what kubectl and the API server add, do not change a form', () => {
  const plain = configure(worldOf(FRAME + policy('coffee', 'key: $uri, rate: 1r/s')))
  const stored = policy('coffee', 'key: $uri, rate: 1r/s').replace(
    'namespace: shop',
    'namespace: shop, uid: a, generation: 3, resourceVersion: "7", annotations: { kubectl.kubernetes.io/last-applied-configuration: "{}" }',
  )
  expect(configure(worldOf(`${FRAME}${stored}status: { ancestors: [] }\n`)).wanted.forms).toEqual(plain.wanted.forms)
})

test('suspects are the parts whose key nginx will refuse, and those with an error of their own', () => {
  const { wanted } = configure(worldOf(FRAME + policy('coffee', 'key: $uri, rate: 1r/s')))
  const after = FRAME + policy('coffee', 'key: $host, rate: 1r/s') + policy('tea', 'key: $host, rate: 0r/s')
  expect(configure(worldOf(after), { inForce: wanted.forms }).wanted.suspects).toEqual(
    new Set(['shop/coffee', 'shop/tea']),
  )
  expect(configure(worldOf(after)).wanted.suspects).toEqual(new Set(['shop/tea']))
  const resized = FRAME + policy('coffee', 'key: $host, rate: 1r/s', { size: '64k' })
  expect(configure(worldOf(resized), { inForce: wanted.forms }).wanted.suspects).toEqual(new Set())
})

test('zones are named as the settings say', () => {
  const keyed = { ...DEFAULT_SETTINGS, zoneNaming: 'keyed' } as const
  const before = configure(worldOf(FRAME + policy('coffee', 'key: $uri, rate: 1r/s'), keyed))
  expect(textOf(before)).toMatch(/zone=shop_rl_coffee_rule0_\w+:32k/)
  const after = worldOf(FRAME + policy('coffee', 'key: $host, rate: 1r/s'), keyed)
  expect(configure(after, { inForce: before.wanted.forms }).wanted.suspects).toEqual(new Set())
})

test('a policy whose name is too long for a file is left out, with the reason', () => {
  const name = 'a'.repeat(230)
  const { wanted, leftOut } = configure(worldOf(FRAME + policy(name, 'key: $uri, rate: 1r/s', { target: 'coffee' })))
  expect(wanted.forms.size).toBe(0)
  expect(leftOut.get(`shop/${name}`)).toMatch(/too long/)
})

test('ports that would be one are a problem', () => {
  const world = worldOf(
    gateway('edge', '[{ name: a, port: 80, protocol: HTTP }, { name: b, port: 81, protocol: HTTP }]'),
  )
  const site = {
    ...SITE,
    ports: new Map([
      [80, 18_080],
      [81, 18_080],
    ]),
  }
  expect(configure(world, { site }).problems).toEqual([
    expect.stringContaining('ports 80 and 81 would both become 18080'),
  ])
})
