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
import { casesOf } from '../support/cases.ts'

const { each } = casesOf(import.meta.url)

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
  each<[Partial<Refusal>, string]>('%j is told', (changes, message) =>
    expect(messageOf(refused(changes))).toBe(message),
  )

  it('is a warning with its words, and counts as Invalid', () => {
    const { writes, reasons } = planned(SHOP, refused())
    expect(writes[0]?.warnings).toEqual([{ reason: 'Invalid', message: messageOf(refused()) }])
    expect([...reasons]).toEqual([['Invalid', 1]])
  })

  each<[Partial<Refusal>, readonly string[]]>('marks its target where it limits all the same: %j', (changes, marked) =>
    expect(planned(SHOP, refused(changes)).writes.map(({ key }) => key)).toEqual([
      'RateLimitPolicy/shop/coffee',
      ...marked,
    ]),
  )
})

describe('several replicas', () => {
  type Changes = Partial<Refusal> | undefined
  const by = (changes: Changes): Refusals => new Map(changes ? [['shop/coffee', refused(changes)]] : [])

  each<[string, own: Changes, others: readonly Changes[], expected: Changes]>('say: %s', (_, own, others, expected) =>
    expect(refusalAmong('shop/coffee', by(own), others.map(by))).toEqual(expected && refused(expected)),
  )
})
