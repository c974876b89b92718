/** Conditions, and what has changed in them. */
import { expect, test } from 'vitest'
import type { Refusal } from '../../src/gateway/status/status.ts'
import { changedConditions, conditionsOf } from '../../src/live/conditions.ts'
import { queryWorlds } from '../../src/queries/query-world.ts'
import { queryStatus } from '../../src/queries/status.ts'
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts'
import { gateway, policy, route } from './manifests.ts'

function statusOf(text: string, refusal?: Refusal) {
  const [world] = queryWorlds([{ file: 'shop.yaml', text }], { settings: DEFAULT_SETTINGS, closedWorld: true })
  if (!world) throw new Error('no manifests')
  return queryStatus(world, {
    settings: DEFAULT_SETTINGS,
    controllerName: undefined,
    now: '2026-01-01T00:00:00Z',
    refusal: () => refusal,
  })
}

const FRAME = gateway() + route('coffee')
const COFFEE = statusOf(FRAME + policy('coffee', 'key: $uri, rate: 1r/s'))
const ACCEPTED = {
  object: { kind: 'RateLimitPolicy', namespace: 'shop', name: 'coffee' },
  ...{ ancestor: { kind: 'HTTPRoute', name: 'coffee' }, type: 'Accepted' },
}
const AFFECTED = { object: { kind: 'HTTPRoute', namespace: 'shop', name: 'coffee' }, type: 'RateLimitPolicyAffected' }

test('those of a policy have the target as their ancestor, those of a target have none', () =>
  expect([...conditionsOf(COFFEE).values()]).toEqual([
    { ...ACCEPTED, status: 'True', reason: 'Accepted', message: expect.any(String) },
    { ...AFFECTED, status: 'True', reason: 'PolicyAffected', message: expect.any(String) },
  ]))

const WORDS = 'limit_req "z" uses the "a" key'

test.each<[Refusal['keeps'], string, string | undefined]>([
  ['last-accepted', 'what it accepted last stays in force', 'True'],
  ['nothing', 'nothing of it is in force', undefined],
])('a policy that nginx refused is invalid, and affects its target by what is in force: %s', (keeps, kept, status) => {
  const refused = statusOf(FRAME + policy('coffee', 'key: $uri, rate: 1r/s'), { words: WORDS, keeps })
  const [accepted, affected] = conditionsOf(refused).values()
  expect(accepted).toEqual({
    ...ACCEPTED,
    status: 'False',
    reason: 'Invalid',
    message: `nginx refuses the RateLimitPolicy, and ${kept}: ${WORDS}`,
  })
  expect(affected?.status).toBe(status)
})

test('changes are what is new, what differs and what is gone', () => {
  const none = new Map()
  const now = conditionsOf(COFFEE)
  expect(changedConditions(none, now)).toEqual([...now.values()])
  expect(changedConditions(now, conditionsOf(COFFEE))).toEqual([])
  expect(changedConditions(now, conditionsOf(statusOf(FRAME)))).toEqual(
    [ACCEPTED, AFFECTED].map((one) => ({ ...one, status: null, reason: null, message: null })),
  )
})
