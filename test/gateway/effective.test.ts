import { describe, expect, it } from 'vitest'
import { effectiveLimits } from '../../src/gateway/effective/effective.ts'
import { dryRunMismatches } from '../../src/gateway/effective/interactions.ts'
import { casesOf } from '../support/cases.ts'
import { gateway, perClient, policy, route, world } from './objects.ts'

const { cases, each } = casesOf(import.meta.url)

const STACK = { composition: 'stack', conflict: 'same-field' } as const
const INHERIT = { composition: 'inherit', conflict: 'same-field' } as const
const edge = (rate: string, settings = {}, name = 'edge') =>
  policy(name, { on: ['Gateway shop'], limits: [perClient(rate)], settings })
const own = (rate: string, settings = {}, name = 'own') => policy(name, { limits: [perClient(rate)], settings })

/** The limits of a route behind its one Gateway, as `level policy rate`. */
function limits(policies: readonly ReturnType<typeof policy>[], options: typeof STACK | typeof INHERIT) {
  const lookups = world({ policies, gateways: [gateway('shop')], routes: [route('coffee')] })
  const [at, ...others] = effectiveLimits(route('coffee'), lookups, options)
  expect(others).toEqual([])
  return (
    at && {
      ...at,
      limits: at.limits.map(({ level, policy: from, limit }) => `${level} ${from.identity.name} ${limit.rate.raw}`),
      settings: at.limits.map(({ settings: { dryRun, logLevel, rejectCode } }) =>
        [dryRun.value, logLevel.value, rejectCode.value].join(' '),
      ),
      lifted: at.lifted.map(({ policy: from }) => from.identity.name),
    }
  )
}

describe('limits of Gateway and route', () => {
  it('are both enforced, in this order, each by precedence', () => {
    const policies = [own('3r/s', {}, 'z'), own('2r/s', {}, 'y'), edge('5r/s', {}, 'f'), edge('4r/s')]
    expect(limits(policies, STACK)).toMatchObject(cases<object>('are both enforced, in this order, each by precedence'))
  })

  it('are those of the route alone where directives are inherited', () =>
    expect(limits([own('2r/s'), edge('4r/s')], INHERIT)).toMatchObject(
      cases<object>('are those of the route alone where directives are inherited'),
    ))

  it('are those of the Gateway where the route has none', () =>
    expect(limits([policy('own'), edge('4r/s')], INHERIT)).toMatchObject({ limits: ['gateway edge 4r/s'], lifted: [] }))

  it('leave out what is filled in later, what the API server rejects, and the policies that only define zones', () => {
    const later = policy('own', { limits: [{ key: '$host', rate: `\${RATE}` }, perClient('1r/s')] })
    const broken = policy('broken', { limits: [perClient('often'), perClient('1r/s')] })
    const annotations = { 'nginx.org/internal-annotation-http-context-only': 'true' }
    const zones = policy('edge', { on: ['Gateway shop'], limits: [perClient('1r/s')], annotations })
    expect(limits([later, broken, zones], STACK)?.limits).toEqual(['route own 1r/s'])
  })

  it('leave out rejected policies, and name them', () => {
    const policies = [own('1r/s', { rejectCode: 429 }, 'a'), own('2r/s', { rejectCode: 429 }, 'b')]
    expect(limits(policies, STACK)).toMatchObject({
      limits: ['route a 1r/s'],
      notAccepted: [{ policy: policies[1], outcome: { state: 'rejected', conflicts: [{ preferred: policies[0] }] } }],
    })
  })
})

describe('settings', () => {
  const outer = edge('4r/s', { rejectCode: 429, logLevel: 'warn' })

  it('are inherited one by one, and have defaults', () => {
    expect(limits([outer, own('2r/s', { rejectCode: 420 })], STACK)?.settings).toEqual(
      cases('are inherited one by one, and have defaults'),
    )
    expect(limits([edge('4r/s'), own('2r/s')], STACK)?.settings).toEqual(['false error 503', 'false error 503'])
  })

  it('of the route apply to the inherited limits of its Gateway', () => {
    const settings = { rejectCode: 420, dryRun: true }
    expect(limits([outer, policy('own', { settings })], INHERIT)?.settings).toEqual(['true warn 420'])
    expect(limits([outer, policy('own', { settings })], STACK)?.settings).toEqual(['false warn 429'])
  })

  it('can end the dry run of the Gateway only for the limits of the route, and only with composition stack', () => {
    const policies = [edge('4r/s', { dryRun: true }), own('2r/s', { dryRun: false })]
    expect(limits(policies, STACK)?.settings).toEqual(['true error 503', 'false error 503'])
    expect(limits(policies, INHERIT)?.settings).toEqual(['true error 503'])
  })

  it('name the policy that they come from', () => {
    const lookups = world({ policies: [outer], gateways: [gateway('shop')] })
    const [limit] = effectiveLimits(route('coffee'), lookups, STACK)[0]?.limits ?? []
    expect(limit?.settings).toMatchObject({ rejectCode: { policy: outer }, dryRun: { policy: undefined } })
  })
})

describe('what applies to a route', () => {
  const parentRefs = [{ name: 'shop' }, { name: 'edge' }, { name: 'gone' }, { name: 'tls' }, { name: 'shop', port: 80 }]
  const gateways = [gateway('shop'), gateway('edge'), gateway('tls', [{ name: 'tls', port: 443, protocol: 'TLS' }])]
  const policies = [edge('1r/s'), policy('other', { on: ['Gateway gone'], limits: [perClient('2r/s')] })]

  it('is listed for each Gateway that does not reject it, known or not', () => {
    const lookups = world({ gateways, policies }, { closed: false })
    const at = effectiveLimits(route('coffee', { parentRefs }), lookups, STACK)
    expect(at.map(({ name, limits, attachment }) => `${name} ${limits.length} ${attachment.state}`)).toEqual(
      cases('is listed for each Gateway that does not reject it, known or not'),
    )
    expect(at.every(({ complete }) => !complete)).toBe(true)
  })
})

describe('the dryRun of a route', () => {
  const scene = (outer: object, mine: object, isLimited: boolean) => {
    const subject = isLimited ? own('2r/s', mine) : policy('own', { settings: { ...mine } })
    return {
      subject,
      world: world({
        policies: [edge('1r/s', outer), subject],
        gateways: [gateway('shop')],
        routes: [route('coffee')],
      }),
    }
  }
  each<[{ dryRun?: boolean }, { dryRun?: boolean }, boolean, string | undefined, undefined | string]>(
    'with %j on the Gateway and %j here (limits of its own: %s): %s',
    (...row) => {
      const [outer, mine, isLimited, inherit, stack] = row
      const { subject, world } = scene(outer, mine, isLimited)
      expect(dryRunMismatches(subject, world, INHERIT)[0]?.mismatch).toBe(inherit)
      expect(dryRunMismatches(subject, world, STACK)[0]?.mismatch).toBe(stack)
    },
  )
})
