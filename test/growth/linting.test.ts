/** Judging takes time in proportion to the input, whatever its contents. */
import { describe, it } from 'vitest'
import { lint as lintSources } from '../../src/index.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { lint } from '../../src/lint/lint.ts'
import { gateway, policy, route, world } from '../gateway/objects.ts'
import { goodPolicy, pointersOf, withValueAt } from '../rules/policies.ts'
import { expectLinear } from './growth.ts'

describe('a lint', () => {
  const comment = '# sluice-disable-next-line gateway/key-constant -- meant\n      '

  it('of a policy with many comments', () => {
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
    }, 1000)
  })

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

it.each([
  ['that nginx takes', '10r/s'],
  ['that the API server rejects', '10R/S'],
])('policies on one route, %s', (_, rate) => {
  expectLinear((size) => {
    const limited = withValueAt(goodPolicy(), '/spec/rateLimit/local/rules/0/rate', rate)
    const one = (index: number) => withValueAt(limited, '/metadata/name', `p${index}`)
    const text = JSON.stringify({
      kind: 'List',
      apiVersion: 'v1',
      items: Array.from({ length: size }, (_, i) => one(i)),
    })
    return () => lint([{ file: 'a.json', text }])
  }, 100)
})

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
])('a route with %s', (_, listener, spec) => {
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
  }, 250)
})

it('looking through a large world', () => {
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
  }, 500)
})

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
        json({
          apiVersion: 'v1',
          kind: 'List',
          items: many(size, (index) => `🦜${index}`).map((name) => named(name)),
        }),
    ],
  ])('with %s', (_, size, textOf) => {
    expectLinear((times) => {
      const text = textOf(times)
      return () => lint([{ file: 'a.yaml', text }], { closedWorld: true })
    }, size)
  })
})

describe('a kustomization', () => {
  const json = (object: unknown) => JSON.stringify(object)
  const many = (size: number) => Array.from({ length: size }, (_, index) => index)
  const manifest = (name: string) => json(withValueAt(goodPolicy(), '/metadata/name', name))
  const COMPONENT = { apiVersion: 'kustomize.config.k8s.io/v1alpha1', kind: 'Component' }
  const target = { kind: 'RateLimitPolicy' }
  type Files = Readonly<Record<string, string>>
  const ofOne = (members: object, files: Files = {}): Files => ({
    'kustomization.yaml': json({ resources: ['p'], ...members }),
    p: manifest('p'),
    ...files,
  })
  const ofMany = (size: number, members: object): Files => ({
    'kustomization.yaml': json({ resources: many(size).map((i) => `p${i}`), ...members }),
    ...Object.fromEntries(many(size).map((i) => [`p${i}`, manifest(`p${i}`)])),
  })
  const patch = (operations: readonly object[]) => ({ target, patch: json(operations) })
  const add = (path: string, value: unknown) => ({ op: 'add', path, value })

  it.each<[string, (size: number) => Files]>([
    ['many resources', (size) => ofMany(size, {})],
    [
      'many resources of one file',
      (size) =>
        ofOne(
          {},
          {
            p: many(size)
              .map((i) => manifest(`p${i}`))
              .join('\n---\n'),
          },
        ),
    ],
    ['many resources in one namespace', (size) => ofMany(size, { namespace: 'tea' })],
    ['many resources that are missing', (size) => ofOne({ resources: ['p', ...many(size).map((i) => `gone${i}`)] })],
    [
      'many patches of their own',
      (size) => ofMany(size, { patches: many(size).map((i) => ({ patch: manifest(`p${i}`) })) }),
    ],
    [
      'many literals',
      (size) => ofOne({ configMapGenerator: [{ name: 'm', literals: many(size * 10).map((i) => `a${i}=b`) }] }),
    ],
    ['many generators', (size) => ofOne({ configMapGenerator: many(size).map((i) => ({ name: `m${i}` })) })],
    ['many entries of labels', (size) => ofOne({ labels: many(size).map((i) => ({ pairs: { [`a${i}`]: 'b' } })) })],
    ['many labels', (size) => ofOne({ commonLabels: Object.fromEntries(many(size).map((i) => [`a${i}`, 'b'])) })],
    [
      'many components',
      (size) =>
        ofOne(
          { components: many(size).map((i) => `c${i}`) },
          Object.fromEntries(
            many(size).map((i) => [`c${i}/kustomization.yaml`, json({ ...COMPONENT, commonLabels: { a: `v${i}` } })]),
          ),
        ),
    ],
    [
      'many patches of one object',
      (size) => ofOne({ patches: many(size).map((i) => patch([add('/metadata/labels', { a: `v${i}` })])) }),
    ],
    [
      'many operations on a mapping',
      (size) => ofOne({ patches: [patch(many(size).map((i) => add(`/metadata/annotations/a${i}`, 'b')))] }),
    ],
    [
      'many operations on a list',
      (size) =>
        ofOne({
          patches: [
            patch([
              add('/spec/x', []),
              ...many(size).flatMap((i) => [add('/spec/x/-', {}), add(`/spec/x/${i}/key`, 'a')]),
            ]),
          ],
        }),
    ],
    [
      'many mistakes in a patch within it',
      (size) => {
        const rules = many(size).map(() => ({ key: '$uri', rate: 'x', zoneSize: 'y' }))
        const policy = withValueAt(JSON.parse(manifest('p')), '/spec/rateLimit/local/rules', rules)
        return ofOne({ patches: [{ patch: JSON.stringify(policy, null, 1) }] })
      },
    ],
    [
      'many members of a patch',
      (size) => {
        const labels = Object.fromEntries(many(size).map((i) => [`a${i}`, 'b']))
        return ofOne({ patches: [{ patch: json(withValueAt(JSON.parse(manifest('p')), '/metadata/labels', labels)) }] })
      },
    ],
  ])('with %s is built', (_, filesOf) => {
    expectLinear((size) => {
      const sources = Object.entries(filesOf(size)).map(([file, text]) => ({ file, text }))
      return () => lintSources(sources, { kustomize: true })
    }, 100)
  })
})
