/** What nginx refuses, in one replica and in several, and what a status says of it. */
import { describe, expect, it } from 'vitest'
import { type Refusals, refusalAmong } from '../../src/controller/nginx/reports.ts'
import { planWrites } from '../../src/controller/plan.ts'
import type { Refusal, StatusOptions } from '../../src/gateway/status/status.ts'
import { GATEWAY_SYSTEM } from '../../src/gateway/system.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { objectsOf } from '../../src/project/worlds.ts'
import { namedWorlds } from '../../src/queries/query-world.ts'
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts'
import { createWorld } from '../../src/world/world.ts'
import { gateway, policy, route, source } from '../queries/manifests.ts'

const OPTIONS: StatusOptions = {
  conflict: 'same-field',
  affectedRoutes: 'targeted',
  controllerName: 'example.com/own',
  gatewayController: 'example.com/own',
  ownsClassless: true,
  gatewayGroup: 'gateway.networking.k8s.io',
  now: '2026-01-31T12:00:00Z',
  isLive: true,
  fabricVersion: DEFAULT_SETTINGS.fabricVersion,
}

/** What is written for some objects where nginx says this of every policy. */
function planned(objects: readonly JsonObject[], refusal?: Refusal) {
  const [world] = namedWorlds([source(objects)], { settings: DEFAULT_SETTINGS, closedWorld: true })
  if (!world) throw new Error('no world')
  const byKind = objectsOf(world.objects.collected, { closed: true })
  const { lookups } = createWorld([GATEWAY_SYSTEM], byKind)
  const said = { invalidity: () => undefined, refusal: () => refusal }
  return planWrites({ objects: byKind, lookups, ...said, options: OPTIONS })
}

const SHOP = [gateway('edge'), route('coffee'), policy('coffee', ['HTTPRoute/coffee'])]

const refused = (changes: Partial<Refusal> = {}): Refusal => ({ words: 'invalid rate', keeps: 'nothing', ...changes })

const messageOf = (refusal: Refusal) =>
  JSON.stringify(planned(SHOP, refusal).writes[0]?.change).match(/"message":"([^"]*)"/)?.[1]

describe('a policy that nginx refuses', () => {
  it.each([
    [refused(), 'nginx refuses the RateLimitPolicy, and nothing of it is in force: invalid rate'],
    [
      refused({ keeps: 'last-accepted' }),
      'nginx refuses the RateLimitPolicy, and what it accepted last stays in force: invalid rate',
    ],
    [
      refused({ replicas: { have: 1, all: 3 } }),
      '1 of 3 replicas have the RateLimitPolicy; nginx refuses it, and nothing of it is in force: invalid rate',
    ],
  ])('%j', (refusal, message) => expect(messageOf(refusal)).toBe(message))

  it('is a warning with its words, and counts as Invalid', () => {
    const { writes, reasons } = planned(SHOP, refused())
    expect(writes[0]?.warnings).toEqual([{ reason: 'Invalid', message: messageOf(refused()) }])
    expect([...reasons]).toEqual([['Invalid', 1]])
  })

  it.each([
    [refused(), []],
    [refused({ keeps: 'last-accepted' }), ['HTTPRoute/shop/coffee']],
    [refused({ replicas: { have: 1, all: 2 } }), ['HTTPRoute/shop/coffee']],
    [refused({ replicas: { have: 0, all: 2 } }), []],
  ])('marks its target where it limits all the same: %j', (refusal, marked) =>
    expect(planned(SHOP, refusal).writes.map(({ key }) => key)).toEqual(['RateLimitPolicy/shop/coffee', ...marked]),
  )
})

describe('several replicas', () => {
  const by = (refusal: Refusal): Refusals => new Map([['shop/coffee', refusal]])
  const none: Refusals = new Map()

  it.each<[string, Refusals, readonly Refusals[], Refusal | undefined]>([
    ['one alone says what it said', by(refused()), [], refused()],
    ['where none refuses there is nothing to say', none, [none, none], undefined],
    [
      'own words come first',
      by(refused({ words: 'own' })),
      [by(refused())],
      refused({ words: 'own', replicas: { have: 0, all: 2 } }),
    ],
    ['one of the others refuses', none, [none, by(refused())], refused({ replicas: { have: 2, all: 3 } })],
    [
      'what one keeps is in force',
      by(refused()),
      [by(refused({ keeps: 'last-accepted' }))],
      refused({ keeps: 'last-accepted', replicas: { have: 0, all: 2 } }),
    ],
  ])('%s', (_, own, others, expected) => expect(refusalAmong('shop/coffee', own, others)).toEqual(expected))
})
