/** Which object a question means. */
import { describe, expect, it } from 'vitest'
import { ask, gateway, policy, route, source } from './manifests.ts'

const SHOP = [gateway('edge'), route('coffee'), route('tea'), policy('tea', ['HTTPRoute/tea'])]

/** `HTTPRoute shop/coffee`, or why there is no answer. */
function meant(...parameters: Parameters<typeof ask>): string {
  const answer = ask(...parameters)
  if (typeof answer === 'string') return answer
  const { kind, namespace, name } = answer.target
  return `${kind} ${namespace}/${name}${answer.world === null ? '' : ` in ${answer.world}`}`
}

describe('a question', () => {
  it('names a kind in any case, a name, and a namespace where it wants', () => {
    for (const question of ['HTTPRoute/coffee', 'httproute/coffee', 'HTTPRoute/shop/coffee'])
      expect(meant(question, SHOP)).toBe('HTTPRoute shop/coffee')
  })

  it.each([
    ['coffee', /^"coffee" names no object; write KIND\/NAME/],
    ['HTTPRoute/', /names no object/],
    ['HTTPRoute//coffee', /names no object/],
    ['HTTPRoute/a/b/c', /names no object/],
    ['HTTPRute/coffee', 'unknown kind "HTTPRute"; did you mean HTTPRoute/coffee?'],
    ['Service/coffee', 'unknown kind "Service"; limits apply to Gateway, HTTPRoute, GRPCRoute'],
  ])('%s is none', (question, problem) => {
    expect(meant(question, SHOP)).toMatch(problem)
  })

  it.each([
    ['HTTPRoute/cofee', 'no HTTPRoute cofee is in sight; did you mean HTTPRoute/shop/coffee?'],
    ['HTTPRoute/market/coffee', 'no HTTPRoute market/coffee is in sight; did you mean HTTPRoute/shop/coffee?'],
    ['GRPCRoute/coffee', 'no GRPCRoute coffee is in sight; did you mean HTTPRoute/shop/coffee?'],
    ['HTTPRoute/x', 'no HTTPRoute x is in sight; these files hold shop/coffee, shop/tea'],
    ['GRPCRoute/x', 'no GRPCRoute x is in sight; these files hold no GRPCRoute'],
  ])('%s is answered with what may be meant', (question, problem) => {
    expect(meant(question, SHOP)).toBe(problem)
  })

  it('that several answer to lists them, and takes the namespace of the command line', () => {
    const both = [...SHOP, { ...route('coffee'), metadata: { name: 'coffee', namespace: 'market' } }]
    expect(meant('HTTPRoute/coffee', both)).toBe(
      'several are called HTTPRoute/coffee: HTTPRoute/shop/coffee, HTTPRoute/market/coffee',
    )
    expect(meant('HTTPRoute/market/coffee', both)).toBe('HTTPRoute market/coffee')
    expect(meant('HTTPRoute/coffee', both, { namespace: 'market' })).toBe('HTTPRoute market/coffee')
  })

  it('about what stands twice has no answer', () => {
    expect(meant('HTTPRoute/coffee', [...SHOP, route('coffee')])).toBe(
      'HTTPRoute shop/coffee stands more than once among these files; name the paths of one',
    )
  })

  it('may be about what only a policy names', () => {
    expect(meant('HTTPRoute/mate', [policy('mate', ['HTTPRoute/mate'])])).toBe('HTTPRoute shop/mate')
    const both = [...SHOP, policy({ name: 'lost', namespace: 'infra' }, ['HTTPRoute/coffee'])]
    expect(meant('HTTPRoute/coffee', both)).toBe('HTTPRoute shop/coffee')
  })

  it('about what lives nobody knows where asks for the namespace', () => {
    const homeless = [{ ...route('coffee'), metadata: { name: 'coffee' } }]
    expect(meant('HTTPRoute/coffee', homeless)).toBe(
      'nothing says in which namespace HTTPRoute coffee lives; --namespace NS does',
    )
    expect(meant('HTTPRoute/shop/coffee', homeless)).toContain('--namespace shop does')
  })

  it('picks a world where there are several', () => {
    const worlds = ['eu', 'us'].map((world) => source(SHOP, { world }))
    expect(meant('HTTPRoute/coffee', worlds)).toBe(
      'HTTPRoute/shop/coffee is in several worlds: eu, us; --world NAME picks one',
    )
    expect(meant('HTTPRoute/coffee', worlds, { world: 'us' })).toBe('HTTPRoute shop/coffee in us')
    expect(meant('HTTPRoute/coffee', worlds, { world: 'use' })).toBe('no file is of a world "use"; did you mean "us"?')
  })
})
