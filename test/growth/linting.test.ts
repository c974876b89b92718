/** Judging takes time in proportion to the input, whatever its contents. */
import { describe, expect, it } from 'vitest'
import { lint as lintSources } from '../../src/index.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { lint } from '../../src/lint/lint.ts'
import { gateway, policy, route, world } from '../gateway/objects.ts'
import { goodPolicy, pointersOf, withValueAt } from '../rules/policies.ts'
import { casesOf } from '../support/cases.ts'
import { expectLinear } from './growth.ts'

const { each } = casesOf(import.meta.url)

describe('a lint', () => {
  const comment = '# sluice-disable-next-line gateway/key-constant -- meant\n      '

  it('of a policy with many comments', () =>
    expectLinear((size) => {
      const text = `apiVersion: gateway.nginx.org/v1alpha1
kind: RateLimitPolicy
metadata: { name: coffee, namespace: shop }
spec:
  targetRefs:
  - { group: gateway.networking.k8s.io, kind: HTTPRoute, name: coffee }
  rateLimit:
    local:
      rules:
      ${comment.repeat(size)}- { key: everybody, rate: 10r/s, zoneSize: 10m }
`
      return () => lint([{ file: 'a.yaml', text }])
    }, 1000))

  const places = pointersOf(goodPolicy()).filter((pointer) => !/^(?:|\/kind|\/apiVersion)$/.test(pointer))

  it.each<[string, (size: number) => string]>([
    ['letters and a space', (size) => `${'a'.repeat(size)} `],
    ['dollars', (size) => '$'.repeat(size)],
    ['variables', (size) => '$a'.repeat(size)],
    ['nines', (size) => `${'9'.repeat(size)}r/s`],
    ['zeros', (size) => `${'0'.repeat(size)}m`],
    ['spaces', (size) => ' '.repeat(size)],
    ['dashes and dots', (size) => '-.'.repeat(size)],
    ['escaped quotes', (size) => `"${'\\"'.repeat(size)}`],
  ])('of policies with very many %s, wherever they stand', (_, textOf) => {
    // Every text is different, because results are cached by text.
    let more = 0
    expectLinear(
      (size) => () => {
        more += 1
        const hostile = places.map((pointer) => withValueAt(goodPolicy(), pointer, textOf(size + more)))
        const text = JSON.stringify({ kind: 'List', apiVersion: 'v1', items: [...hostile, goodPolicy()] })
        return lint([{ file: 'a.json', text }], { closedWorld: true })
      },
      1000,
    )
  })
})

each<[string, string]>('policies on one route, %s', (_, rate) =>
  expectLinear((size) => {
    const limited = withValueAt(goodPolicy(), '/spec/rateLimit/local/rules/0/rate', rate)
    const one = (index: number) => withValueAt(limited, '/metadata/name', `p${index}`)
    const text = JSON.stringify({
      kind: 'List',
      apiVersion: 'v1',
      items: Array.from({ length: size }, (_, i) => one(i)),
    })
    return () => lint([{ file: 'a.json', text }])
  }, 100),
)

it.each<[string, (index: number) => JsonObject, (size: number) => JsonObject]>([
  [
    'a hostname for each listener',
    (index) => ({ hostname: `*.h${index}.example` }),
    (size) => ({ hostnames: Array.from({ length: size }, (_, index) => `a.h${index}.example`) }),
  ],
  [
    'a parent reference for each listener',
    (index) => ({ hostname: `h${index}.example` }),
    (size) => ({
      parentRefs: Array.from({ length: size }, (_, index) => ({ name: 'shop', sectionName: `l${index}` })),
    }),
  ],
])('a route with %s', (_, listener, spec) =>
  expectLinear((size) => {
    const shop = gateway(
      'shop',
      Array.from({ length: size }, (_, index) => ({
        ...{ name: `l${index}`, port: 80, protocol: 'HTTP' },
        ...listener(index),
      })),
    )
    const coffee = route('coffee', { parentRefs: [{ name: 'shop' }], ...spec(size) })
    const sources = [shop, coffee, policy('p', { on: ['HTTPRoute coffee'] })].map(({ object }) => ({ object }))
    return () => lint(sources, { closedWorld: true })
  }, 250),
)

it('looking through a large world', () =>
  expectLinear((size) => {
    const many = Array.from({ length: size }, (_, index) => index)
    const policies = many.map((index) => policy(`p${index}`, { on: [`HTTPRoute r${index % 5}`] }))
    const objects = { policies, routes: many.map((index) => route(`r${index}`)) }
    return () => {
      const { policies: around, routes } = world(objects)
      for (const index of many) {
        around.targeting('HTTPRoute', 'shop', `r${index}`)
        routes.get('HTTPRoute', 'shop', `r${index}`)
        routes.get('HTTPRoute', 'cafe', `r${index}`)
      }
    }
  }, 500))

describe('a lint of one text', () => {
  const many = (size: number, textOf: (index: number) => string) => Array.from({ length: size }, (_, i) => textOf(i))
  const fields = (size: number) => Object.fromEntries(many(size, (index) => `f${index}`).map((name) => [name, 1]))
  const named = (name: string) => withValueAt(goodPolicy(), '/metadata/name', name)
  const json = (object: unknown) => JSON.stringify(object)

  it.each<[string, number, (size: number) => string]>([
    ['many unknown fields', 200, (size) => `${json(goodPolicy()).slice(0, -1)},${json(fields(size)).slice(1)}`],
    [
      'many unknown fields in a limit',
      200,
      (size) => json(withValueAt(goodPolicy(), '/spec/rateLimit/local/rules/0', fields(size))),
    ],
    [
      'blank lines before one that cannot be read',
      2000,
      (size) => `${'  \n'.repeat(size)}kind: RateLimitPolicy\n  a: [`,
    ],
    ['one definition again and again', 100, (size) => many(size, () => json(goodPolicy())).join('')],
    [
      'findings in one line with a character of two units',
      50,
      (size) =>
        json({ apiVersion: 'v1', kind: 'List', items: many(size, (index) => `🦜${index}`).map((name) => named(name)) }),
    ],
  ])('with %s', (_, size, textOf) =>
    expectLinear((times) => {
      const text = textOf(times)
      return () => lint([{ file: 'a.yaml', text }], { closedWorld: true })
    }, size),
  )
})

describe('a kustomization', () => {
  const numbers = (size: number) => Array.from({ length: size }, (_, index) => String(index))
  const manifest = (name: string) => JSON.stringify(withValueAt(goodPolicy(), '/metadata/name', name))

  /** What stands in `<<` and `>>`, and a file with `$i` in its name, is there many times, with its number for `$i`. */
  function filesOf(files: Readonly<Record<string, string>>, size: number) {
    const repeat = (text: string) =>
      text.replace(/<<(.*?)>>/gs, (_, unit: string) =>
        numbers(size)
          .map((i) => unit.replaceAll('$i', i))
          .join(''),
      )
    const withPolicies = (text: string) =>
      text
        .replace(/"POLICY ([^"]+)"/g, (_, name: string) => JSON.stringify(manifest(name)))
        .replace(/POLICY (\S+)/g, (_, name: string) => manifest(name))
    return Object.entries(files)
      .flatMap(([file, text]) =>
        file.includes('$i')
          ? numbers(size).map((i) => [file.replaceAll('$i', i), text.replaceAll('$i', i)] as const)
          : [[file, repeat(text)] as const],
      )
      .map(([file, text]) => ({ file, text: withPolicies(text) }))
  }

  each<[string, Readonly<Record<string, string>>]>('with %s is built', (name, files) => {
    const judged = JSON.stringify(lintSources(filesOf(files, 2), { kustomize: true }))
    expect(judged).toContain('"notJudged":[]')
    expect(judged.includes('document/kustomization')).toBe(name.includes('missing'))
    expectLinear((size) => {
      const sources = filesOf(files, size)
      return () => lintSources(sources, { kustomize: true })
    }, 100)
  })
})
