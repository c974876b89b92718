import { describe, expect, it } from 'vitest'
import { shadowedLimits } from '../../src/gateway/effective/interactions.ts'
import { tightestByKey } from '../../src/gateway/effective/tightest.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { isAtLeastAsTight, queueOf, shadows, waiting } from '../../src/nginx/bucket.ts'
import { gateway, limitOf, perClient, policy, route, world } from './objects.ts'

describe('the queue of a limit', () => {
  it.each([
    [{}, { burst: 0, delay: undefined, noDelay: false }, 0],
    [{ burst: null, delay: null, noDelay: null }, { burst: 0, delay: undefined, noDelay: false }, 0],
    [{ burst: 20 }, { burst: 20, delay: undefined, noDelay: false }, 20],
    [{ burst: 20, delay: 0 }, { burst: 20, delay: 0, noDelay: false }, 20],
    [{ burst: 20, delay: 8 }, { burst: 20, delay: 8, noDelay: false }, 12],
    [{ burst: 8, delay: 20 }, { burst: 8, delay: 20, noDelay: false }, 0],
    [{ burst: 20, noDelay: true }, { burst: 20, delay: undefined, noDelay: true }, 0],
    [{ burst: 2_147_483_647 }, { burst: 2_147_483_647, delay: undefined, noDelay: false }, 2_147_483_647],
  ])('of %j is %j, where %i can wait', (fields, queue, count) => {
    const read = queueOf(limitOf(fields))
    expect(read).toEqual(queue)
    expect(read && waiting(read)).toBe(count)
  })

  it.each([
    { burst: '20' },
    { burst: -1 },
    { burst: 1.5 },
    { burst: 2_147_483_648 },
    { burst: true },
    { burst: 20, delay: -1 },
    { burst: 20, delay: {} },
    { burst: 20, noDelay: 'yes' },
  ])('of %j is unknown', (fields) => expect(queueOf(limitOf(fields))).toBeUndefined())
})

describe('a limit of a Gateway', () => {
  it.each<[JsonObject, JsonObject, boolean]>([
    [{ rate: '1r/s' }, { rate: '2r/s' }, true],
    [{ rate: '2r/s' }, { rate: '2r/s' }, false],
    [{ rate: '3r/s' }, { rate: '2r/s' }, false],
    [{ rate: '60r/m' }, { rate: '2r/s' }, true],
    [{ rate: '1r/s', burst: 5 }, { rate: '2r/s' }, false],
    [{ rate: '2r/s', burst: 4 }, { rate: '2r/s', burst: 5 }, true],
    [{ rate: '1r/s', burst: 5 }, { rate: '2r/s', burst: 5 }, true],
    [{ rate: '1r/s', burst: 5, noDelay: true }, { rate: '2r/s', burst: 5 }, false],
    [{ rate: '1r/s', burst: 5, noDelay: true }, { rate: '2r/s', burst: 9, delay: 5 }, true],
    [{ rate: '1r/s', burst: 5, delay: 3 }, { rate: '2r/s', burst: 5, delay: 2 }, false],
    [{ rate: '1r/s', burst: 5, delay: 2 }, { rate: '2r/s', burst: 5, noDelay: true }, true],
    [{ rate: '0r/s' }, { rate: '2r/s' }, false],
    [{ rate: '1r/s', burst: 'five' }, { rate: '2r/s', burst: 5 }, false],
  ])('%j makes %j of a route idle: %s', (outer, inner, expected) =>
    expect(shadows(limitOf(outer), limitOf(inner))).toBe(expected),
  )

  it('is repeated by one that passes no more requests', () => {
    expect(isAtLeastAsTight(limitOf({ rate: '60r/m' }), limitOf({ rate: '1r/s' }))).toBe(true)
    expect(isAtLeastAsTight(limitOf({ rate: '1r/s', burst: 1 }), limitOf({ rate: '1r/s' }))).toBe(false)
  })
})

it('the tightest limit is found for each key as nginx reads it', () => {
  const limits = [
    { key: '"$host"', rate: '5r/s' },
    { key: '$host', rate: '1r/s', burst: 9 },
    { key: '$host', rate: '1r/s', burst: 3 },
    { key: '$host', rate: '1r/s', burst: 3 },
    { key: "''", rate: '1r/s' },
    { key: '$uri', rate: '0r/s' },
    { key: '$uri', rate: '7r/s' },
  ]
  const view = policy('a', { limits })
  const tightest = tightestByKey(view.limits.map((limit) => ({ policy: view, limit })))
  expect([...tightest].map(([key, { limit }]) => [key, limit.index])).toEqual([
    ['$host', 2],
    ['$uri', 6],
  ])
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

  it('unless the limits of the Gateway are in dry run', () => {
    expect(idle([edge, policy('try', { on: ['Gateway shop'], settings: { dryRun: true } })])).toEqual([])
  })
})
