/** Which versions of a policy a running nginx cannot have: a change of their keys is never refused. */
import { describe, expect, it } from 'vitest'
import { isNotTaken, type TakenContext, wasNotTaken } from '../../src/gateway/keys/taken.ts'
import type { PolicyView } from '../../src/gateway/objects/policy.ts'
import { readPolicy } from '../../src/gateway/objects/policy.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { apiNames } from '../../src/kubernetes/api-groups.ts'
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts'
import { casesOf } from '../support/cases.ts'
import { gateway, perClient, policy, route, type WorldObjects, world } from './objects.ts'

const { each } = casesOf(import.meta.url)

const NAMES = apiNames()
const PLACE: WorldObjects = { gateways: [gateway('shop')], routes: [route('coffee')] }

type Around = { readonly before?: readonly PolicyView[]; readonly objects?: WorldObjects; readonly closed?: boolean }

function contextOf({ before = [], objects = PLACE, closed = true }: Around): TakenContext {
  const { platform, conflict } = DEFAULT_SETTINGS
  return { ...world(objects, { closed, before }), platform, conflict, names: NAMES }
}

const wasSilent = (previous: PolicyView, around: Around = {}) =>
  wasNotTaken(previous, contextOf({ ...around, before: [previous, ...(around.before ?? [])] }))

const limited = (limit: JsonObject) => policy('coffee', { limits: [perClient('10r/s', limit)] })

describe('nginx has no zone of a version', () => {
  each<[why: string, limit: JsonObject]>('with %s', (_, limit) => expect(wasSilent(limited(limit))).toBe(true))

  it('with a rate that is too long', () => expect(wasSilent(limited({ rate: `${'0'.repeat(5000)}1r/s` }))).toBe(true))

  it('one limit of which nginx refuses', () =>
    expect(wasSilent(policy('coffee', { limits: [perClient('10r/s'), perClient('0r/s')] }))).toBe(true))

  it('whose name is too long for a file', () =>
    expect(wasSilent(policy('c'.repeat(230), { limits: [perClient('10r/s')] }))).toBe(true))

  it.each<[why: string, objects: WorldObjects, inAnOpenWorld: boolean]>([
    ['does not exist', { gateways: [gateway('shop')] }, false],
    ['names no Gateway that exists', { routes: [route('coffee')] }, false],
    ['names no Gateway', { ...PLACE, routes: [route('coffee', { parentRefs: [] })] }, true],
    [
      'is rejected',
      { ...PLACE, routes: [route('coffee', { parentRefs: [{ name: 'shop', sectionName: 'tls' }] })] },
      true,
    ],
  ])('whose target %s', (_, objects, inAnOpenWorld) => {
    expect(wasSilent(limited({}), { objects })).toBe(true)
    expect(wasSilent(limited({}), { objects, closed: false })).toBe(inAnOpenWorld)
  })

  it('that lost a conflict', () => {
    const older = policy('older', { settings: { rejectCode: 429 }, created: '2026-01-01T00:00:00Z' })
    const lost = policy('coffee', { settings: { rejectCode: 503 }, created: '2026-01-02T00:00:00Z' })
    expect(wasSilent(lost, { before: [older] })).toBe(true)
    expect(wasSilent(older, { before: [lost] })).toBe(false)
  })

  it('that the controller has not accepted', () => {
    const withStatus = (status: string, observedGeneration: number, controllerName = NAMES.controllerName) => {
      const { object } = limited({})
      const conditions = [{ type: 'Accepted', status, observedGeneration }]
      const metadata = { name: 'coffee', namespace: 'shop', generation: 2 }
      return readPolicy({ ...object, metadata, status: { ancestors: [{ controllerName, conditions }] } })
    }
    expect(wasSilent(withStatus('False', 2))).toBe(true)
    expect(wasSilent(withStatus('False', 1))).toBe(false)
    expect(wasSilent(withStatus('True', 2))).toBe(false)
    expect(wasSilent(withStatus('False', 2, 'example.org/other'))).toBe(false)
  })
})

describe('nginx may have the zones of a version', () => {
  it.each<[why: string, limit: JsonObject]>([
    ['that is good', {}],
    ['with a field that the API server drops', { brust: 5 }],
    ['with a rate that only overflows', { rate: '9223372036854776r/s' }],
  ])('%s', (_, limit) => expect(wasSilent(limited(limit))).toBe(false))

  it('with a variable that a snippet defines', () => {
    const snippets = [{ spec: { snippets: [{ context: 'http', value: 'map $host $tenant { default x; }' }] } }]
    expect(wasSilent(limited({ key: '$tenant' }), { objects: { ...PLACE, snippets } })).toBe(false)
  })

  it('one of whose targets exists', () =>
    expect(wasSilent(policy('coffee', { on: ['HTTPRoute gone', 'HTTPRoute coffee'] }))).toBe(false))

  it('that is only assumed to have lost a conflict', () => {
    const [first, second] = ['a', 'b'].map((name) => policy(name, { settings: { rejectCode: 429 } }))
    if (first && second) expect(wasSilent(second, { before: [first] })).toBe(false)
    expect.assertions(1)
  })
})

it('a new version gets no zone where it loses a conflict or has no target, whatever nginx makes of its keys', () => {
  const older = policy('older', { settings: { rejectCode: 429 }, created: '2026-01-01T00:00:00Z' })
  const lost = policy('coffee', { settings: { rejectCode: 503 }, created: '2026-01-02T00:00:00Z' })
  const now = (one: PolicyView, objects: WorldObjects) => isNotTaken(one, contextOf({ objects }))
  expect(now(lost, { ...PLACE, policies: [older, lost] })).toBe(true)
  expect(now(older, { ...PLACE, policies: [older, lost] })).toBe(false)
  expect(now(limited({}), { gateways: [gateway('shop')] })).toBe(true)
  expect(now(limited({ key: '$nope' }), PLACE)).toBe(false)
})
