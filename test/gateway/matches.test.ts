import { describe, expect, it } from 'vitest'
import { attachmentOf } from '../../src/gateway/routing/attachment.ts'
import { locationsOf, onlyRedirects, pathsOf, printLocation } from '../../src/gateway/routing/matches.ts'
import { compilePattern, rejectedPattern } from '../../src/gateway/routing/pattern.ts'
import { sharedLocations } from '../../src/gateway/routing/targets.ts'
import type { Json, JsonObject } from '../../src/json/member.ts'
import { casesOf } from '../support/cases.ts'
import { gateway, policy, route, world } from './objects.ts'

const { cases, each } = casesOf(import.meta.url)

const print = (paths: ReturnType<typeof pathsOf>) => paths.map(({ type, value }) => `${type} ${value}`)

describe('the paths of an HTTPRoute', () =>
  each<[Json | undefined, readonly string[]]>('with rules %j: %j', (rules, paths) =>
    expect(print(pathsOf(route('a', rules === undefined ? {} : { rules })))).toEqual(paths),
  ))

describe('the paths of a GRPCRoute', () =>
  each<[Json, readonly string[]]>(
    'with rules %j: %j',
    (rules, paths) => expect(print(pathsOf(route('a', { rules }, 'GRPCRoute')))).toEqual(paths),
    'the paths of a GRPCRoute: with rules %j: %j',
  ))

it('the locations of a route are its hostnames, ports and paths, whatever the type of a path', () => {
  const listeners = cases<readonly { name: string; port?: number; protocol: string; hostname?: string }[]>('listeners')
  const rules = [{ matches: [{ path: { value: '/a' } }, { path: { type: 'Exact', value: '/a' } }] }]
  const view = route('coffee', { hostnames: ['a.example', 'b.test'], rules })
  const attachment = attachmentOf(view, gateway('shop', listeners), world({}).namespaces)
  const locations = attachment.state === 'attached' ? locationsOf(view, attachment.listeners) : []
  expect(locations.map(printLocation)).toEqual(['a.example:80/a', 'b.test:80/a', 'a.example:443/a'])
})

describe('a route only redirects', () =>
  each<[readonly JsonObject[], boolean]>('with rules %j: %s', (rules, expected) =>
    expect(onlyRedirects(route('a', { rules }))).toBe(expected),
  ))

describe('a shared location', () => {
  const at = (path: string, hostnames: readonly string[] = []) => ({
    hostnames,
    rules: [{ matches: [{ path: { value: path } }] }],
  })
  const lookups = world({
    gateways: [gateway('shop')],
    routes: [
      route('coffee', at('/menu', ['a.example'])),
      route('tea', at('/menu', ['a.example', 'b.example'])),
      route('tea', at('/menu', ['a.example']), 'GRPCRoute'),
      route('milk', at('/menu', ['b.example'])),
      route('juice', at('/juice')),
    ],
  })
  const others = (...on: readonly string[]) =>
    sharedLocations(policy('a', { on }), lookups).map(
      ({ name, location, other }) => `${name} ${printLocation(location)} ${other.identity.name}`,
    )

  it('is found with the first route that is not targeted', () => {
    expect(others('HTTPRoute coffee')).toEqual(['coffee a.example:80/menu tea'])
    expect(others('HTTPRoute milk')).toEqual(['milk b.example:80/menu tea'])
  })

  it('is not reported where all routes that share it are targeted', () => {
    expect(others('HTTPRoute juice')).toEqual([])
    expect(others('HTTPRoute coffee', 'HTTPRoute tea', 'HTTPRoute milk')).toEqual([])
  })

  it('is not reported for a route of another kind with the name of a target', () =>
    expect(others('HTTPRoute coffee', 'GRPCRoute tea')).toEqual([]))

  it('is only looked for on known Gateways', () => {
    const unseen = world({ routes: [route('coffee', at('/a')), route('tea', at('/a'))] }, { closed: false })
    expect(sharedLocations(policy('a'), unseen)).toEqual([])
  })
})

/** Regular expressions as PCRE reads them. `test/nginx/render-paths.test.ts` asks nginx about them. */

describe('a pattern matches as in PCRE', () =>
  each<[pattern: string, matching: string, other: string]>(
    '%s',
    (pattern, matching, other) => {
      const compiled = compilePattern(pattern)
      if (typeof compiled === 'string') throw new Error(`${pattern} is ${compiled}`)
      expect([compiled.pattern.test(matching), compiled.pattern.test(other)]).toEqual([true, false])
    },
    'a pattern matches as in PCRE',
  ))

describe('a pattern', () => {
  each<[string]>('is rejected: %s', (pattern) => expect(compilePattern(pattern)).toBe('rejected'))

  each<[string]>('is not known: %s', (pattern) => expect(compilePattern(pattern)).toBe('unknown'))

  it('that nginx rejects is found among others', () => {
    const [good, bad, worse] = ['a', '(', '[a'].map((value) => ({ type: 'RegularExpression', value }))
    const exact = { type: 'Exact', value: '(' }
    if (!good || !bad || !worse) throw new Error('there are three')
    expect(rejectedPattern([exact, good, bad, worse])).toBe('(')
    expect(rejectedPattern([exact, good])).toBeUndefined()
  })
})
