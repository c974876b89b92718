import { describe, expect, it } from 'vitest'
import { shadowedLimits } from '../../src/gateway/effective/interactions.ts'
import { tightestByKey } from '../../src/gateway/effective/tightest.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { isAtLeastAsTight, queueOf, shadows, waiting } from '../../src/nginx/bucket.ts'
import { casesOf } from '../support/cases.ts'
import { gateway, limitOf, perClient, policy, route, world } from './objects.ts'

const { cases, each } = casesOf(import.meta.url)

describe('the queue of a limit', () => {
  each<[JsonObject, JsonObject, number]>('of %j is %j, where %i can wait', (fields, queue, count) => {
    const read = queueOf(limitOf(fields))
    expect(read).toEqual(queue)
    expect(read && waiting(read)).toBe(count)
  })

  each<[{ burst: string | number | boolean; delay?: number | JsonObject; noDelay?: string }]>(
    'of %j is unknown',
    (fields) => expect(queueOf(limitOf(fields))).toBeUndefined(),
  )
})

describe('a limit of a Gateway', () => {
  each<[JsonObject, JsonObject, boolean]>('%j makes %j of a route idle: %s', (outer, inner, expected) =>
    expect(shadows(limitOf(outer), limitOf(inner))).toBe(expected),
  )

  it('is repeated by one that passes no more requests', () => {
    expect(isAtLeastAsTight(limitOf({ rate: '60r/m' }), limitOf({ rate: '1r/s' }))).toBe(true)
    expect(isAtLeastAsTight(limitOf({ rate: '1r/s', burst: 1 }), limitOf({ rate: '1r/s' }))).toBe(false)
  })
})

it('the tightest limit is found for each key as nginx reads it', () => {
  const limits = cases<readonly { key: string; rate: string; burst?: number }[]>('limits')
  const view = policy('a', { limits })
  const tightest = tightestByKey(view.limits.map((limit) => ({ policy: view, limit })))
  expect([...tightest].map(([key, { limit }]) => [key, limit.index])).toEqual(
    cases('the tightest limit is found for each key as nginx reads it'),
  )
})

describe('a limit of a route is never reached', () => {
  const edge = policy('edge', { on: ['Gateway shop'], limits: [perClient('1r/s')] })
  const parents = (...names: readonly string[]) => ({ parentRefs: names.map((name) => ({ name })) })
  const idle = (policies: readonly ReturnType<typeof policy>[], spec: JsonObject = parents('shop')) => {
    const subject = policy('own', { limits: [perClient('2r/s'), { key: '$uri', rate: '2r/s' }] })
    const gateways = [gateway('shop'), gateway('bare'), gateway('tls', [{ name: 'tls', port: 443, protocol: 'TLS' }])]
    const lookups = world({ policies: [...policies, subject], gateways, routes: [route('coffee', spec)] })
    return shadowedLimits(subject, lookups, 'same-field').map(({ limit }) => limit.index)
  }

  it('behind a Gateway with a tighter one by the same key', () => {
    expect(idle([edge])).toEqual([0])
    expect(idle([edge], parents('tls', 'shop'))).toEqual([0])
  })

  it('unless requests also come through another Gateway', () => {
    expect(idle([edge], parents('shop', 'bare'))).toEqual([])
    expect(idle([edge], parents('shop', 'gone'))).toEqual([])
  })

  it('unless the limits of the Gateway are in dry run', () =>
    expect(idle([edge, policy('try', { on: ['Gateway shop'], settings: { dryRun: true } })])).toEqual([]))
})
