/** Who may take a Lease, and what is written. */
import { describe, expect, it, test } from 'vitest'
import { holderOf, isFree, released, taken } from '../../src/cluster/lease/lease.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { casesOf } from '../support/cases.ts'

const { cases } = casesOf(import.meta.url)

const PLACE = { namespace: 'sluice-system', name: 'sluice-controller' }
const TIME = Date.parse('2026-01-31T12:00:00.123Z')
const by = (identity: string, time = TIME) => ({ place: PLACE, identity, time })

const first = taken(undefined, by('a'))

test('a new Lease has the members of client-go', () =>
  expect(first).toEqual({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { ...PLACE, labels: { 'app.kubernetes.io/name': 'sluice' } },
    spec: {
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-31T12:00:00.123000Z',
      renewTime: '2026-01-31T12:00:00.123000Z',
      leaseTransitions: 0,
    },
  }))

test('a renewal keeps the time at which it was taken, another holder counts', () => {
  expect(taken(first, by('a', TIME + 5000)).spec).toMatchObject(
    cases<object>('a renewal keeps the time at which it was taken, another holder counts'),
  )
  expect(taken(first, by('b', TIME + 5000)).spec).toMatchObject(
    cases<object>('a renewal keeps the time at which it was taken, another holder counts (2)'),
  )
})

describe('a Lease', () => {
  it.each<[string, JsonObject, [identity: string, unchangedFor: number], boolean]>([
    ['is free for its holder', first, ['a', 0], true],
    ['is not free for another one', first, ['b', 14_999], false],
    ['is free when it was not renewed for its duration', first, ['b', 15_000], true],
    ['is free when it was given back', released(first, TIME), ['b', 0], true],
    [
      'has the duration that its holder chose',
      { ...first, spec: { holderIdentity: 'a', leaseDurationSeconds: 60 } },
      ['b', 59_999],
      false,
    ],
    ['has a duration where its holder wrote none', { spec: { holderIdentity: 'a' } }, ['b', 14_999], false],
    ['without anything in it is free', {}, ['b', 0], true],
  ])('%s', (_, lease, by, expected) => expect(isFree(lease, ...by)).toBe(expected))

  it('that was given back has no holder', () =>
    expect([holderOf(first), holderOf(released(first, TIME)), holderOf({})]).toEqual(['a', undefined, undefined]))
})
