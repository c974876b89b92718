/** Which object a query finds. */
import { describe, expect, it } from 'vitest'
import type { Source } from '../../src/project/source.ts'
import { gateway, policy, query, route, source } from './manifests.ts'

const SHOP = [gateway('edge'), route('coffee'), route('tea'), policy('tea', ['HTTPRoute/tea'])]

/** `HTTPRoute shop/coffee`, or the problem. */
function found(...parameters: Parameters<typeof query>): string {
  const result = query(...parameters)
  if (typeof result === 'string') return result
  const { kind, namespace, name } = result.target
  return `${kind} ${namespace}/${name}${result.world === null ? '' : ` in ${result.world}`}`
}

describe('a query', () => {
  it('has a kind in any case, a name, and maybe a namespace', () => {
    for (const text of ['HTTPRoute/coffee', 'httproute/coffee', 'HTTPRoute/shop/coffee'])
      expect(found(text, SHOP)).toBe('HTTPRoute shop/coffee')
  })

  it.each([
    ['coffee', /^"coffee" is not the name of an object; write KIND\/NAME/],
    ['HTTPRoute/', /is not the name of an object/],
    ['HTTPRoute//coffee', /is not the name of an object/],
    ['HTTPRoute/a/b/c', /is not the name of an object/],
    ['HTTPRute/coffee', 'unknown kind "HTTPRute"; did you mean HTTPRoute/coffee?'],
    ['Service/coffee', 'unknown kind "Service"; limits apply to Gateway, HTTPRoute, GRPCRoute'],
  ])('%s is not valid', (text, problem) => {
    expect(found(text, SHOP)).toMatch(problem)
  })

  it.each([
    ['HTTPRoute/cofee', 'HTTPRoute cofee was not found; did you mean HTTPRoute/shop/coffee?'],
    ['HTTPRoute/market/coffee', 'HTTPRoute market/coffee was not found; did you mean HTTPRoute/shop/coffee?'],
    ['GRPCRoute/coffee', 'GRPCRoute coffee was not found; did you mean HTTPRoute/shop/coffee?'],
    ['HTTPRoute/x', 'HTTPRoute x was not found; these files contain shop/coffee, shop/tea'],
    ['GRPCRoute/x', 'GRPCRoute x was not found; these files contain no GRPCRoute'],
  ])('%s finds nothing, and gets a suggestion', (text, problem) => {
    expect(found(text, SHOP)).toBe(problem)
  })

  it('that several objects match lists them, and prefers the namespace of the flag', () => {
    const both = [...SHOP, { ...route('coffee'), metadata: { name: 'coffee', namespace: 'market' } }]
    expect(found('HTTPRoute/coffee', both)).toBe(
      'HTTPRoute/coffee is ambiguous; pick one of HTTPRoute/shop/coffee, HTTPRoute/market/coffee',
    )
    expect(found('HTTPRoute/market/coffee', both)).toBe('HTTPRoute market/coffee')
    expect(found('HTTPRoute/coffee', both, { namespace: 'market' })).toBe('HTTPRoute market/coffee')
  })

  it('for an object that is defined twice fails', () => {
    expect(found('HTTPRoute/coffee', [...SHOP, route('coffee')])).toBe(
      'HTTPRoute shop/coffee is defined more than once in these files; pass only the paths that belong together',
    )
  })

  it('for an object that only the policies of several clusters name fails', () => {
    const on = (name: string) => policy(name, ['HTTPRoute/mate'])
    const [prod, staging] = [
      source([on('a'), on('b')], { file: 'prod/a.yaml' }),
      source([on('a')], { file: 'staging/a.yaml' }),
    ]
    const among = (...sources: readonly Source[]) => found('HTTPRoute/mate', sources, { closedWorld: false })
    expect(among(prod, staging)).toBe(
      'the policies on HTTPRoute shop/mate may be those of several clusters; pass only the paths that belong together',
    )
    expect(among(prod)).toBe('HTTPRoute shop/mate')
    expect(among(prod, staging, source([route('mate')], { file: 'route.yaml' }))).toBe('HTTPRoute shop/mate')
  })

  it('finds what only a policy names', () => {
    expect(found('HTTPRoute/mate', [policy('mate', ['HTTPRoute/mate'])])).toBe('HTTPRoute shop/mate')
    const both = [...SHOP, policy({ name: 'lost', namespace: 'infra' }, ['HTTPRoute/coffee'])]
    expect(found('HTTPRoute/coffee', both)).toBe('HTTPRoute shop/coffee')
  })

  it('for an object without a namespace finds it by its name alone, unless there are several', () => {
    const unplaced = [{ ...route('coffee'), metadata: { name: 'coffee' } }]
    expect(found('HTTPRoute/coffee', unplaced)).toBe('HTTPRoute /coffee')
    expect(found('HTTPRoute/coffe', unplaced)).toBe('HTTPRoute coffe was not found; did you mean HTTPRoute/coffee?')
    expect(found('HTTPRoute/coffee', [source(SHOP), source(unplaced, { file: 'b.yaml' })])).toBe(
      'HTTPRoute/coffee is ambiguous: it is defined without a namespace, and again elsewhere; pass only the paths that belong together',
    )
    expect(found('HTTPRoute/shop/coffee', unplaced)).toContain('set it with --namespace shop')
  })

  it('picks a world where there are several', () => {
    const worlds = ['eu', 'us'].map((world) => source(SHOP, { world }))
    expect(found('HTTPRoute/coffee', worlds)).toBe(
      'HTTPRoute/shop/coffee is in several worlds: eu, us; pick one with --world NAME',
    )
    expect(found('HTTPRoute/coffee', worlds, { world: 'us' })).toBe('HTTPRoute shop/coffee in us')
    expect(found('HTTPRoute/coffee', worlds, { world: 'use' })).toBe('unknown world "use"; did you mean "us"?')
  })
})
