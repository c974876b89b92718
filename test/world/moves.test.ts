/** What the world before a change says about the zones that a running nginx has: routes that move, and all that is new. */
import { describe, expect, it } from 'vitest'
import { lint } from '../../src/lint/lint.ts'
import type { Source } from '../../src/project/source.ts'

const KEY_CHANGE = 'gateway/key-change-without-zone-resize'
const GROUP = 'gateway.networking.k8s.io'

const gateway = (name: string, more: object = {}) => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'Gateway',
  metadata: { name, namespace: 'shop' },
  spec: { gatewayClassName: 'nginx', listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }], ...more },
})

const route = (name: string, ...parentRefs: readonly object[]) => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'HTTPRoute',
  metadata: { name, namespace: 'shop' },
  spec: { parentRefs },
})

const policy = (key: string, target = 'coffee', kind = 'HTTPRoute') => ({
  apiVersion: 'gateway.nginx.org/v1alpha1',
  kind: 'RateLimitPolicy',
  metadata: { name: 'coffee', namespace: 'shop' },
  spec: {
    targetRefs: [{ group: GROUP, kind, name: target }],
    rateLimit: { local: { rules: [{ key, rate: '10r/s', zoneSize: '10m' }] } },
  },
})

const listenerSet = (name: string, parent: string) => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'ListenerSet',
  metadata: { name, namespace: 'shop' },
  spec: { parentRef: { name: parent }, listeners: [{ name: 'extra', port: 8080, protocol: 'HTTP' }] },
})

const snippet = (variable: string) => ({
  apiVersion: 'gateway.nginx.org/v1alpha1',
  kind: 'SnippetsFilter',
  metadata: { name: 'maps', namespace: 'shop' },
  spec: { snippets: [{ context: 'http', value: `map $host $${variable} { default x; }` }] },
})

/** Each object is a text of its own. */
const sources = (objects: readonly object[]): readonly Source[] =>
  objects.map((object, index) => ({ file: `${index}.json`, text: JSON.stringify(object) }))

/** True where the lint says of a change from some objects to others that nginx will refuse it. */
function isRefused(before: readonly object[], now: readonly object[], closedWorld = true): boolean {
  const { findings } = lint(sources(now), { previous: sources(before), closedWorld }).report
  return findings.some(({ rule }) => rule === KEY_CHANGE)
}

const [OLD, NEW] = ['$binary_remote_addr', '$binary_remote_addr$host']
const GATEWAYS = [gateway('east'), gateway('west')]
const inSet = (name: string) => ({ group: GROUP, kind: 'ListenerSet', name })

describe('a key that changes together with where a route is attached', () => {
  it.each<[string, before: object, now: object, isRefused: boolean]>([
    ['to another Gateway', route('coffee', { name: 'east' }), route('coffee', { name: 'west' }), false],
    ['to the same Gateway', route('coffee', { name: 'east' }), route('coffee', { name: 'east', port: 80 }), true],
    [
      'to a second Gateway',
      route('coffee', { name: 'east' }),
      route('coffee', { name: 'east' }, { name: 'west' }),
      true,
    ],
    [
      'to one of its Gateways',
      route('coffee', { name: 'east' }, { name: 'west' }),
      route('coffee', { name: 'west' }),
      true,
    ],
    ['for the first time', route('coffee'), route('coffee', { name: 'east' }), false],
    ['no more', route('coffee', { name: 'east' }), route('coffee'), false],
  ])('%s', (_, before, now, expected) => {
    for (const closed of [true, false]) {
      expect(isRefused([...GATEWAYS, before, policy(OLD)], [...GATEWAYS, now, policy(NEW)], closed)).toBe(expected)
      expect(isRefused([before, policy(OLD)], [now, policy(NEW)], closed)).toBe(expected && !closed)
    }
  })

  it('in the names of namespaces alone', () => {
    const at = (...parents: readonly object[]) => ({ ...route('coffee', ...parents), metadata: { name: 'coffee' } })
    const of = (key: string) => ({ ...policy(key), metadata: { name: 'coffee' } })
    const text = (...items: readonly object[]): readonly Source[] => [
      { file: 'a.json', text: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }) },
    ]
    const before = text(at({ name: 'east' }), of(OLD))
    const named = (name: string) => text(at({ name, namespace: 'shop' }), of(NEW))
    const rules = (now: readonly Source[]) => lint(now, { previous: before }).report.findings.map(({ rule }) => rule)
    expect(rules(named('east'))).toEqual([KEY_CHANGE])
    expect(rules(named('west'))).toEqual([])
  })

  it('behind ListenerSets', () => {
    const open = { allowedListeners: { namespaces: { from: 'All' } } }
    const place = [gateway('east', open), gateway('west', open), listenerSet('a', 'east'), listenerSet('b', 'west')]
    const at = (...names: readonly string[]) => [...place, route('coffee', ...names.map(inSet))]
    expect(isRefused([...at('a'), policy(OLD)], [...at('b'), policy(NEW)])).toBe(false)
    expect(isRefused([...at('a'), policy(OLD)], [...at('b', 'a'), policy(NEW)])).toBe(true)
    const direct = [...place, route('coffee', { name: 'east' })]
    expect(isRefused([...at('a'), policy(OLD)], [...direct, policy(NEW)])).toBe(true)
    expect(isRefused([...at('b'), policy(OLD)], [...direct, policy(NEW)])).toBe(false)
    const moved = [gateway('east', open), gateway('west', open), listenerSet('a', 'west'), route('coffee', inSet('a'))]
    expect(isRefused([...at('a'), policy(OLD)], [...moved, policy(NEW)])).toBe(false)
  })
})

describe('a key that changes together with its target', () => {
  it('on the same Gateway is refused, although the old target is gone', () => {
    const before = [gateway('east'), route('coffee', { name: 'east' }), policy(OLD)]
    const now = [gateway('east'), route('tea', { name: 'east' }), policy(NEW, 'tea')]
    expect(isRefused(before, now)).toBe(true)
    expect(isRefused(before, [gateway('east'), policy(NEW, 'east', 'Gateway')])).toBe(true)
    expect(isRefused(before, [...GATEWAYS, policy(NEW, 'west', 'Gateway')])).toBe(false)
  })

  it('was not limited before where the Gateway is new', () => {
    const [attached, other] = [route('coffee', { name: 'east' }), gateway('west')]
    const now = [...GATEWAYS, attached, policy(NEW)]
    expect(isRefused([other, attached, policy(OLD)], now)).toBe(false)
    expect(isRefused([other, attached, policy(OLD)], now, false)).toBe(true)
  })

  it('may have been limited where the previous version is given without any Gateway or route', () => {
    const now = [...GATEWAYS, route('coffee', { name: 'east' }), policy(NEW)]
    expect(isRefused([policy(OLD)], now)).toBe(true)
    expect(isRefused([route('coffee', { name: 'east' }), policy(OLD)], now)).toBe(true)
  })
})

describe('a key that changes together with the snippet that defines its variable', () => {
  const place = [gateway('east'), route('coffee', { name: 'east' })]

  it('is refused where the old variable is gone with its snippet', () => {
    expect(isRefused([...place, snippet('tenant'), policy('$tenant')], [...place, policy(OLD)])).toBe(true)
  })

  it('is not where nginx did not know the old variable', () => {
    expect(isRefused([...place, policy('$tenant')], [...place, snippet('tenant'), policy(OLD)])).toBe(false)
  })
})
